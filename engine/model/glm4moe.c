/* glm4moe: GLM-4.5 to 4.7: halves rotate, in the first part of each head; a few dense layers, then experts by
 * sigmoid scores with a correction for the choice, and a shared one (GLM-4.5, arXiv:2508.06471; transformers
 * models/glm4_moe/modeling_glm4_moe.py). Layers that predict further tokens are not run. */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void glm4moe_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    struct routing how = h->experts.how;
    how.sigmoid = h->experts.says_gate ? how.sigmoid : true;
    how.normalised = h->experts.says_norm ? how.normalised : true;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    d.norms = DECODER_HEAD_NORMS;
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        decoder_layer(&d, rope, 0, "post_attention_norm", &how);
    decoder_head(&d);
}
