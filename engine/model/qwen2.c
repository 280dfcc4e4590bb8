/* qwen2: Llama's graph with biases on q, k and v, pairs as halves (Qwen2, arXiv:2407.10671; transformers
 * models/qwen2/modeling_qwen2.py). */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void qwen2_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        decoder_layer(&d, rope, 0, "ffn_norm", NULL);
    decoder_head(&d);
}
