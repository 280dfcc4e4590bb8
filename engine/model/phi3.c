/* phi3: fused projections, a part of each head rotates, and longrope: two sets of divisors, one for sequences
 * within the context of the first training, one for those beyond (Phi-3, arXiv:2404.14219; LongRoPE,
 * arXiv:2402.13753; transformers models/phi3/modeling_phi3.py). */
#include "engine/model/decoder.h"
#include "engine/model/model.h"

static int rope_tables(struct decoder *d) {
    struct rotary within = decoder_rotary(d), beyond = within;
    within.divisors = builder_values(d->b, within.dims / 2, "rope_factors_short.weight");
    beyond.divisors = builder_values(d->b, within.dims / 2, "rope_factors_long.weight");
    if (!within.divisors != !beyond.divisors)
        builder_fail(d->b, STATUS_BAD_INPUT,
                     "there are rope_factors for short or for long texts, but not both");
    if (beyond.divisors) d->b->program.extended_from = (size_t)within.original;
    return builder_rope_table(d->b, d->h->context, &within, &beyond);
}

void phi3_build(struct builder *b, const struct hparams *h) {
    struct decoder d;
    decoder_begin(&d, b, h, ROPE_HALVES, 1);
    d.fused_qkv = d.fused_mlp = true;
    int rope = rope_tables(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        decoder_layer(&d, rope, h->window, "ffn_norm", NULL);
    decoder_head(&d);
}
