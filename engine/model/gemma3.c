/* gemma3: Gemma 2 with norms of q and k instead of caps, five windowed layers to a full one, and a rotation
 * of their own for the windowed ones, which does not scale (Gemma 3, arXiv:2503.19786; transformers
 * models/gemma3/modeling_gemma3.py). Files hold norms as 1 + w. */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

#include <math.h>

/* A GGUF loses query_pre_attn_scalar: the head size but for the 27B model, which has 62 layers (llama.cpp
 * src/models/gemma3.cpp). */
static float score_scale(const struct hparams *h) {
    if (h->scale > 0) return (float)h->scale;
    return (float)(1 / sqrt((double)(h->n_layers == 62 ? h->d / h->n_heads : h->head_dim)));
}

void gemma3_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, ROPE_HALVES, (float)sqrt((double)h->d));
    d.activation = DECODER_GEGLU;
    d.norms = DECODER_HEAD_NORMS;
    d.scale = score_scale(h);
    struct rotary rotary = decoder_rotary(&d);
    struct rotary local = {.dims = rotary.dims, .base = h->local_base, .factor = 1, .magnitude = 1};
    int full = builder_rope_table(b, h->context, &rotary, NULL);
    int near = builder_rope_table(b, h->context, &local, NULL);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++) {
        bool windowed = decoder_flag(&d, "attention.sliding_window_pattern", d.layer % 6 != 5);
        decoder_norm(&d, "attn_norm");
        decoder_attention(&d, d.norm, windowed ? near : full, windowed ? h->window : 0);
        decoder_add(&d, "post_attention_norm");
        decoder_norm(&d, "ffn_norm");
        decoder_mlp(&d, d.norm);
        decoder_add(&d, "post_ffw_norm");
    }
    decoder_head(&d);
}
