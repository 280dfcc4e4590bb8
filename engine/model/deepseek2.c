/* deepseek2: DeepSeek V2 and V3: latent attention; a few dense layers, then experts by groups, and shared
 * ones (arXiv:2405.04434, arXiv:2412.19437; transformers models/deepseek_v2, deepseek_v3). V2 scores by
 * softmax and a group by its best expert, V3 by sigmoids with a correction and a group by its two best. */
#include "engine/model/mla.h"
#include "engine/model/model.h"

static void layer(struct mla *m, struct decoder *d, int rope, const struct routing *how, bool has_indexer) {
    decoder_norm(d, "attn_norm");
    mla_attention(m, d, rope, has_indexer);
    decoder_add(d, NULL);
    decoder_norm(d, "ffn_norm");
    if (d->layer < d->h->experts.n_dense || !d->h->experts.n) decoder_mlp(d, d->norm);
    else decoder_experts(d, how);
    decoder_add(d, NULL);
}

static void build(struct builder *b, const struct hparams *h, enum rope_pairs index_pairs) {
    struct decoder d;
    struct mla m;
    struct routing how = h->experts.how;
    how.group_top = how.sigmoid ? 2 : 1;
    if (!(h->has & HPARAMS_LATENT)) {
        builder_fail(b, STATUS_UNSUPPORTED, "'%s.attention.kv_lora_rank' is missing: heads without a latent",
                     b->arch);
        return;
    }
    decoder_begin(&d, b, h, ROPE_INTERLEAVED, 1);
    mla_begin(&m, &d, index_pairs);
    int rope = decoder_rope(&d);
    for (d.layer = 0; d.layer < h->n_layers && !b->failed; d.layer++)
        layer(&m, &d, rope, &how, decoder_flag(&d, "attention.indexer.types", true));
    decoder_head(&d);
}

void deepseek2_build(struct builder *b, const struct hparams *h) { build(b, h, ROPE_HALVES); }

/* With sparse attention, where the indexer rotates halves (DeepSeek-V3.2, arXiv:2512.02556). */
void deepseek32_build(struct builder *b, const struct hparams *h) { build(b, h, ROPE_HALVES); }

/* GLM-5: neighbours; some layers share the choice of the one before (transformers models/glm_moe_dsa). */
void glm_dsa_build(struct builder *b, const struct hparams *h) { build(b, h, ROPE_INTERLEAVED); }
