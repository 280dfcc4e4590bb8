/* qwen3: an RMS norm of each head of q and k before the rotation, a head size of its own (Qwen3,
 * arXiv:2505.09388; transformers models/qwen3/modeling_qwen3.py). */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void qwen3_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    d.norms = DECODER_HEAD_NORMS;
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        decoder_layer(&d, rope, 0, "ffn_norm", NULL);
    decoder_head(&d);
}
