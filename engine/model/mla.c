#include "engine/model/mla.h"

#include <math.h>

/* Of the two latent norms and the indexer's: transformers has it whatever rms_norm_eps says, and so have
 * DeepSeek's own models. */
static const float latent_eps = 1e-6F;

/* YaRN makes scores sharper by the square of mscale (transformers modeling_deepseek_v3.py). */
static float score_scale(const struct hparams *h) {
    double mscale = h->rope.rule == ROTARY_YARN ? 1 + h->yarn_log * log(h->rope.factor) : 1;
    double scale = h->scale > 0 ? h->scale : 1 / sqrt((double)h->latent.key);
    return (float)(scale * mscale * mscale);
}

void mla_begin(struct mla *m, struct decoder *d, enum rope_pairs index_pairs) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    *m = (struct mla){.q_latent = PROGRAM_NONE, .index_pairs = index_pairs};
    d->scale = score_scale(h);
    if (h->latent.q) m->q_latent = builder_buffer(b, h->latent.q);
    m->absorbed = builder_buffer(b, h->n_heads * h->head_dim);
    m->attended = builder_buffer(b, h->n_heads * h->latent.kv);
    if (!(h->has & HPARAMS_INDEXER)) return;
    m->index_q = builder_buffer(b, h->indexer.n_heads * h->indexer.dim);
    m->index_k = builder_buffer(b, h->indexer.dim);
    m->index_weights = builder_buffer(b, h->indexer.n_heads);
    m->chosen = builder_buffer(b, h->indexer.n_kept < h->context ? h->indexer.n_kept : h->context);
}

/* q, before it is absorbed, and the latent with the part that rotates behind it, in k. */
static void project(struct mla *m, struct decoder *d) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t i = d->layer, q = h->n_heads * h->latent.key, rank = h->latent.q;
    int kv = builder_matrix(b, h->head_dim, h->d, "blk.%zu.attn_kv_a_mqa.weight", i);
    int kv_norm = builder_vector(b, h->latent.kv, "blk.%zu.attn_kv_a_norm.weight", i);
    if (rank == 0) {
        int weight = builder_matrix(b, q, h->d, "blk.%zu.attn_q.weight", i);
        steps_linear(b, d->norm, 2, (int[]){weight, kv}, (int[]){d->q, d->k});
    } else {
        int a = builder_matrix(b, rank, h->d, "blk.%zu.attn_q_a.weight", i);
        int norm = builder_vector(b, rank, "blk.%zu.attn_q_a_norm.weight", i);
        int up = builder_matrix(b, q, rank, "blk.%zu.attn_q_b.weight", i);
        steps_linear(b, d->norm, 2, (int[]){a, kv}, (int[]){m->q_latent, d->k});
        steps_rms_norm(b, m->q_latent, 1, norm, latent_eps, m->q_latent);
        steps_linear(b, m->q_latent, 1, &up, &d->q);
    }
    steps_rms_norm(b, d->k, 1, kv_norm, latent_eps, d->k);
}

/* Queries into the latent space, with their rotated part behind; the latent's rotates where it is. */
static void absorb(struct mla *m, struct decoder *d, int rope) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t plain = h->latent.key - h->rope.dims;
    int weight = builder_matrices(b, h->n_heads, h->latent.kv, plain, "blk.%zu.attn_k_b.weight", d->layer);
    steps_head_linear(b, d->q, h->n_heads, weight, m->absorbed);
    struct step *s = steps_rope(b, rope, d->pairs, d->q, h->n_heads, m->absorbed);
    s->in_at[0] = plain, s->out_at[0] = h->latent.kv;
    s->n = 2;
    s->in[1] = s->out[1] = d->k;
    s->in_at[1] = s->out_at[1] = h->latent.kv;
}

/* The indexer's queries come from the normed latent, its keys and weights from the stream. */
static void choose(struct mla *m, struct decoder *d, int rope) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t i = d->layer, heads = h->indexer.n_heads, dim = h->indexer.dim;
    int cache = builder_cache(b, 1, dim, 0);
    int q = builder_matrix(b, heads * dim, h->latent.q, "blk.%zu.indexer.attn_q_b.weight", i);
    int key_weights[] = {builder_matrix(b, dim, h->d, "blk.%zu.indexer.attn_k.weight", i),
                         builder_matrix(b, heads, h->d, "blk.%zu.indexer.proj.weight", i)};
    int norm = builder_vector(b, dim, "blk.%zu.indexer.k_norm.weight", i);
    int norm_bias = builder_vector(b, dim, "blk.%zu.indexer.k_norm.bias", i);
    steps_linear(b, m->q_latent, 1, &q, &m->index_q);
    steps_linear(b, d->norm, 2, key_weights, (int[]){m->index_k, m->index_weights});
    steps_layer_norm(b, m->index_k, norm, norm_bias, latent_eps, m->index_k);
    struct step *s = steps_rope(b, rope, m->index_pairs, m->index_q, heads, m->index_q);
    s->n = 2;
    s->in[1] = s->out[1] = m->index_k;
    steps_kv_store(b, cache, m->index_k, m->index_k);
    steps_dsa_select(b, cache, m->index_q, m->index_weights, heads, (float)(1 / sqrt((double)(heads * dim))),
                     m->chosen);
    m->was_chosen = true;
}

static void attend(struct mla *m, struct decoder *d, bool has_indexer, int rope) {
    const struct hparams *h = d->h;
    int cache = builder_cache(d->b, 1, h->head_dim, h->latent.kv);
    steps_kv_store(d->b, cache, d->k, d->k);
    if (!(h->has & HPARAMS_INDEXER)) {
        steps_attention(d->b, cache, m->absorbed, h->n_heads, d->scale, m->attended);
        return;
    }
    if (has_indexer) choose(m, d, rope);
    if (!m->was_chosen)
        builder_fail(d->b, STATUS_BAD_INPUT,
                     "layer %zu shares the positions of an indexer before it; there is none", d->layer);
    steps_dsa_attention(d->b, cache, m->absorbed, h->n_heads, d->scale, m->chosen, m->attended);
}

void mla_attention(struct mla *m, struct decoder *d, int rope, bool has_indexer) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    project(m, d);
    absorb(m, d, rope);
    attend(m, d, has_indexer, rope);
    int value =
        builder_matrices(b, h->n_heads, h->latent.value, h->latent.kv, "blk.%zu.attn_v_b.weight", d->layer);
    int output =
        builder_matrix(b, h->d, h->n_heads * h->latent.value, "blk.%zu.attn_output.weight", d->layer);
    steps_head_linear(b, m->attended, h->n_heads, value, d->mixed);
    steps_linear(b, d->mixed, 1, &output, &d->branch);
}
