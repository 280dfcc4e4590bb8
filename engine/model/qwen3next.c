/* qwen3next: Qwen3-Next: delta nets and gated attention, experts in every layer and a gated shared one
 * (transformers models/qwen3_next/modeling_qwen3_next.py). Norms are 1 + w in the files, neighbouring value
 * heads share a key head. */
#include "engine/model/hybrid.h"
#include "engine/model/model.h"

void qwen3next_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    struct hybrid y;
    struct routing how = h->experts.how;
    how.normalised = h->experts.says_norm ? how.normalised : true;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    hybrid_begin(&y, &d, false);
    hybrid_layers(&y, &d, h->experts.n ? &how : NULL);
}
