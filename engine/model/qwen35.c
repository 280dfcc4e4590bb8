/* qwen35: Qwen3.5 and 3.6, dense and with experts: as Qwen3-Next (transformers
 * models/qwen3_5/modeling_qwen3_5.py). ggml's converter reorders value heads so that they take key heads in
 * turn. Text has one position, so the three sections of its rotation are one. */
#include "engine/model/hybrid.h"
#include "engine/model/model.h"

void qwen35_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    struct hybrid y;
    struct routing how = h->experts.how;
    how.normalised = true;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    hybrid_begin(&y, &d, true);
    hybrid_layers(&y, &d, h->experts.n ? &how : NULL);
}

void qwen35moe_build(struct builder *b, const struct hparams *h) { qwen35_build(b, h); }
