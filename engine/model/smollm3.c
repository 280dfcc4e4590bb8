/* smollm3: Llama's graph, where some layers do not rotate (transformers models/smollm3/modeling_smollm3.py;
 * every fourth, unless the file says which). */
#include "engine/file/checkpoint.h"
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void smollm3_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, gguf_rope_halves(b->file) ? ROPE_HALVES : ROPE_INTERLEAVED, 1);
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++) {
        bool rotates = decoder_flag(&d, "rope.layers", d.layer % 4 != 3);
        decoder_layer(&d, rotates ? rope : PROGRAM_NONE, 0, "ffn_norm", NULL);
    }
    decoder_head(&d);
}
