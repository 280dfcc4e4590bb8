#include "engine/model/hybrid.h"

static size_t channels(const struct hparams *h) {
    return 2 * h->recurrent.n_key_heads * h->recurrent.key_dim +
           h->recurrent.n_heads * h->recurrent.value_dim;
}

void hybrid_begin(struct hybrid *y, struct decoder *d, bool tiled) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t values = h->recurrent.n_heads * h->recurrent.value_dim;
    d->norms = DECODER_HEAD_NORMS;
    *y = (struct hybrid){.tiled = tiled};
    y->q_gate = builder_buffer(b, 2 * h->n_heads * h->head_dim);
    y->qkv = builder_buffer(b, channels(h));
    y->z = builder_buffer(b, values);
    y->values = builder_buffer(b, values);
    y->a = builder_buffer(b, h->recurrent.n_heads);
    y->b = builder_buffer(b, h->recurrent.n_heads);
    y->ba = builder_buffer(b, 2 * h->recurrent.n_heads);
}

/* --- attention ---------------------------------------------------------------------------------------- */

static void norm_heads(struct decoder *d, int in, const char *name, size_t heads, int out) {
    int weight = builder_vector(d->b, d->h->head_dim, "blk.%zu.%s.weight", d->layer, name);
    steps_rms_norm(d->b, in, heads, weight, d->h->eps, out);
}

static void attention(struct hybrid *y, struct decoder *d, int rope) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t i = d->layer, heads = h->n_heads, q = heads * h->head_dim, kv = h->n_kv_heads * h->head_dim;
    int cache = builder_cache(b, h->n_kv_heads, h->head_dim, h->head_dim);
    int weights[] = {builder_matrix(b, 2 * q, h->d, "blk.%zu.attn_q.weight", i),
                     builder_matrix(b, kv, h->d, "blk.%zu.attn_k.weight", i),
                     builder_matrix(b, kv, h->d, "blk.%zu.attn_v.weight", i)};
    int output = builder_matrix(b, h->d, q, "blk.%zu.attn_output.weight", i);
    steps_linear(b, d->norm, 3, weights, (int[]){y->q_gate, d->k, d->v});
    norm_heads(d, y->q_gate, "attn_q_norm", heads, d->q);
    norm_heads(d, d->k, "attn_k_norm", h->n_kv_heads, d->k);
    struct step *s = steps_rope(b, rope, d->pairs, d->q, heads, d->q);
    s->n = 2;
    s->in[1] = s->out[1] = d->k;
    s->heads[1] = h->n_kv_heads;
    steps_kv_store(b, cache, d->k, d->v);
    steps_attention(b, cache, d->q, heads, d->scale, d->mixed);
    steps_sigmoid_gate(b, y->q_gate, heads, h->head_dim, d->mixed);
    steps_linear(b, d->mixed, 1, &output, &d->branch);
}

/* --- delta net ---------------------------------------------------------------------------------------- */

/* q, k and v, the output's gate z, and what opens and forgets, a and b. */
static void project(struct hybrid *y, struct decoder *d) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t i = d->layer, heads = h->recurrent.n_heads;
    bool together = builder_has(b, "blk.%zu.ssm_ba.weight", i);
    int weights[4] = {builder_matrix(b, channels(h), h->d, "blk.%zu.attn_qkv.weight", i),
                      builder_matrix(b, heads * h->recurrent.value_dim, h->d, "blk.%zu.attn_gate.weight", i)};
    if (together) {
        weights[2] = builder_matrix(b, 2 * heads, h->d, "blk.%zu.ssm_ba.weight", i);
    } else {
        weights[2] = builder_matrix(b, heads, h->d, "blk.%zu.ssm_alpha.weight", i);
        weights[3] = builder_matrix(b, heads, h->d, "blk.%zu.ssm_beta.weight", i);
    }
    steps_linear(b, d->norm, together ? 3 : 4, weights, (int[]){y->qkv, y->z, together ? y->ba : y->a, y->b});
}

static void run(struct hybrid *y, struct decoder *d) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t i = d->layer, heads = h->recurrent.n_heads, keys = h->recurrent.n_key_heads;
    bool together = builder_has(b, "blk.%zu.ssm_ba.weight", i);
    struct step *s = builder_step(b, OP_delta_net);
    s->in[0] = y->qkv;
    s->in[1] = together ? y->ba : y->a;
    s->in[2] = together ? y->ba : y->b;
    s->out[0] = y->values;
    s->weight[0] = builder_vector(b, heads, "blk.%zu.ssm_a", i);
    s->weight[1] = builder_vector(b, heads, "blk.%zu.ssm_dt.bias", i);
    s->heads[0] = keys;
    s->heads[1] = heads;
    s->group = together ? heads / keys : 0;
    s->tiled = y->tiled;
    s->state = builder_state(b, heads * h->recurrent.key_dim * h->recurrent.value_dim);
}

static void delta_net(struct hybrid *y, struct decoder *d) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t i = d->layer, taps = h->recurrent.taps, values = h->recurrent.n_heads * h->recurrent.value_dim;
    int conv = builder_matrix(b, channels(h), taps, "blk.%zu.ssm_conv1d.weight", i);
    int norm = builder_vector(b, h->recurrent.value_dim, "blk.%zu.ssm_norm.weight", i);
    int output = builder_matrix(b, h->d, values, "blk.%zu.ssm_out.weight", i);
    project(y, d);
    steps_short_conv(b, y->qkv, conv, builder_state(b, channels(h) * (taps - 1)), y->qkv);
    run(y, d);
    steps_rms_norm(b, y->values, h->recurrent.n_heads, norm, h->eps, y->values);
    steps_swiglu(b, y->z, y->values, y->values);
    steps_linear(b, y->values, 1, &output, &d->branch);
}

void hybrid_layers(struct hybrid *y, struct decoder *d, const struct routing *how) {
    int rope = decoder_rope(d);
    for (d->layer = 0; d->layer < d->h->n_layers && !d->b->failed; d->layer++) {
        bool recurs = (d->layer + 1) % d->h->recurrent.every != 0;
        decoder_norm(d, "attn_norm");
        if (decoder_flag(d, "attention.recurrent_layers", recurs)) delta_net(y, d);
        else attention(y, d, rope);
        decoder_add(d, NULL);
        decoder_norm(d, "post_attention_norm");
        if (how) decoder_experts(d, how);
        else decoder_mlp(d, d->norm);
        decoder_add(d, NULL);
    }
    decoder_head(d);
}
