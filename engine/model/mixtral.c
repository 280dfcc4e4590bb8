/* mixtral: Llama's attention and a mixture of experts whose weights are the softmax over the chosen (Jiang et
 * al., arXiv:2401.04088; transformers models/mixtral/modeling_mixtral.py). A GGUF says llama. */
#include "engine/file/checkpoint.h"
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void mixtral_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    struct routing how = h->experts.how;
    how.normalised = true;
    decoder_begin(&d, b, h, gguf_rope_halves(b->file) ? ROPE_HALVES : ROPE_INTERLEAVED, 1);
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        decoder_layer(&d, rope, h->window, "ffn_norm", &how);
    decoder_head(&d);
}
