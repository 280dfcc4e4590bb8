/* qwen3moe: Qwen3's attention and experts in every layer; the weights of the chosen are renormalised unless
 * the file says no (transformers models/qwen3_moe/modeling_qwen3_moe.py). */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void qwen3moe_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    struct routing how = h->experts.how;
    how.normalised = h->experts.says_norm ? how.normalised : true;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    d.norms = DECODER_HEAD_NORMS;
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        decoder_layer(&d, rope, 0, "ffn_norm", &how);
    decoder_head(&d);
}
