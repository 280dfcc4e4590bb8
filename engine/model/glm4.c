/* glm4: neighbours rotate, in the first part of each head; gate and up are one tensor; both branches end in a
 * norm of their own (GLM-4, arXiv:2406.12793; transformers models/glm4/modeling_glm4.py). */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void glm4_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, ROPE_INTERLEAVED, 1);
    d.fused_mlp = true;
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++) {
        decoder_norm(&d, "attn_norm");
        decoder_attention(&d, d.norm, rope, 0);
        decoder_add(&d, "post_attention_norm");
        decoder_norm(&d, "ffn_norm");
        decoder_mlp(&d, d.norm);
        decoder_add(&d, "post_ffw_norm");
    }
    decoder_head(&d);
}
