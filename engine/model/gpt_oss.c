/* gpt_oss: sinks beside the scores, a window on every other layer, biases everywhere, experts with a clamped
 * gate whose weights are the softmax over the chosen (gpt-oss, arXiv:2508.10925; transformers
 * models/gpt_oss/modeling_gpt_oss.py). */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void gpt_oss_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    struct routing how = h->experts.how;
    how.sigmoid = false;
    how.normalised = true; /* softmax over all, renormalised: the softmax over the chosen */
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    d.activation = DECODER_CLAMPED;
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++) {
        bool windowed = decoder_flag(&d, "attention.sliding_window_pattern", d.layer % 2 == 0);
        decoder_layer(&d, rope, windowed ? h->window : 0, "post_attention_norm", &how);
    }
    decoder_head(&d);
}
