/* olmo2: norms behind the branches instead of before them, and of q and k over their whole width (OLMo 2,
 * arXiv:2501.00656; transformers models/olmo2/modeling_olmo2.py). */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

void olmo2_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    d.norms = DECODER_ROW_NORMS;
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++) {
        decoder_attention(&d, d.x, rope, 0);
        decoder_add(&d, "post_attention_norm");
        decoder_mlp(&d, d.x);
        decoder_add(&d, "post_ffw_norm");
    }
    decoder_head(&d);
}
