/* gemma2: norms on both sides of each branch, caps on scores and logits, a window on every other layer, an
 * embedding times the root of its width (Gemma 2, arXiv:2408.00118; transformers
 * models/gemma2/modeling_gemma2.py). Files hold norms as 1 + w. */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

#include <math.h>

/* A GGUF loses query_pre_attn_scalar: the head size but for the 27B model, which has 46 layers (llama.cpp
 * src/models/gemma2.cpp). */
static float score_scale(const struct hparams *h) {
    if (h->scale > 0) return (float)h->scale;
    return (float)(1 / sqrt((double)(h->n_layers == 46 ? h->d / h->n_heads : h->head_dim)));
}

void gemma2_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, ROPE_HALVES, (float)sqrt((double)h->d));
    d.activation = DECODER_GEGLU;
    d.scale = score_scale(h);
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++) {
        bool windowed = decoder_flag(&d, "attention.sliding_window_pattern", d.layer % 2 == 0);
        decoder_norm(&d, "attn_norm");
        decoder_attention(&d, d.norm, rope, windowed ? h->window : 0);
        decoder_add(&d, "post_attention_norm");
        decoder_norm(&d, "ffn_norm");
        decoder_mlp(&d, d.norm);
        decoder_add(&d, "post_ffw_norm");
    }
    decoder_head(&d);
}
