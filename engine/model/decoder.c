#include "engine/model/decoder.h"

#include "engine/file/checkpoint.h"

#include <math.h>

static void add_expert_buffers(struct decoder *d) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    size_t n = h->experts.n, used = h->experts.n_used, width = h->experts.d, shared = h->experts.d_shared;
    if (n == 0) return;
    d->experts.logits = builder_buffer(b, n);
    d->experts.ids = builder_buffer(b, used);
    d->experts.weights = builder_buffer(b, used);
    d->experts.gate = builder_buffer(b, used * width);
    d->experts.up = builder_buffer(b, used * width);
    d->experts.hidden = d->experts.gate; /* activated in place */
    d->experts.out = builder_buffer(b, used * h->d);
    if (shared == 0) return;
    d->experts.shared_gate = builder_buffer(b, shared);
    d->experts.shared_up = builder_buffer(b, shared);
    d->experts.shared_hidden = d->experts.shared_gate;
    d->experts.shared = builder_buffer(b, h->d);
    d->experts.open = builder_buffer(b, 1);
}

/* Latent attention has heads, and a key, of its own. */
static void add_buffers(struct decoder *d) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    bool latent = h->has & HPARAMS_LATENT;
    size_t kv = h->n_kv_heads * h->head_dim;
    d->x = builder_buffer(b, h->d);
    d->norm = builder_buffer(b, h->d);
    d->branch = builder_buffer(b, h->d);
    d->q = builder_buffer(b, h->n_heads * (latent ? h->latent.key : h->head_dim));
    d->mixed = builder_buffer(b, h->n_heads * (latent ? h->latent.value : h->head_dim));
    d->k = builder_buffer(b, kv);
    d->v = latent ? PROGRAM_NONE : builder_buffer(b, kv);
    if (h->d_ff) {
        d->gate = builder_buffer(b, h->d_ff);
        d->up = builder_buffer(b, h->d_ff);
        d->hidden = d->gate; /* activated in place */
    }
    add_expert_buffers(d);
}

void decoder_begin(struct decoder *d, struct builder *b, const struct hparams *h, enum rope_pairs pairs,
                   float scale) {
    *d = (struct decoder){.b = b, .h = h, .pairs = pairs, .rope = PROGRAM_NONE};
    d->scale = (float)(h->scale > 0 ? h->scale : 1.0 / sqrt((double)h->head_dim));
    b->program.context = h->context;
    b->program.n_vocab = builder_n_vocab(b);
    d->table = builder_matrix(b, b->program.n_vocab, h->d, "token_embd.weight");
    add_buffers(d);
    steps_embed(b, d->table, scale, d->x);
    for (size_t i = 0; i < h->n_extra_layers; i++) builder_skip_layer(b, h->n_layers + i);
}

struct rotary decoder_rotary(const struct decoder *d) {
    struct rotary rotary = d->h->rope;
    rotary.divisors = builder_values(d->b, rotary.dims / 2, "rope_freqs.weight");
    return rotary;
}

int decoder_rope(struct decoder *d) {
    struct rotary rotary = decoder_rotary(d);
    return builder_rope_table(d->b, d->h->context, &rotary, NULL);
}

bool decoder_flag(struct decoder *d, const char *key, bool otherwise) {
    bool flag = otherwise;
    if (!d->b->failed && !hparams_layer(&flag, d->b->file, d->h, key, d->layer, otherwise, d->b->st))
        d->b->failed = true;
    return flag;
}

void decoder_norm(struct decoder *d, const char *name) {
    int weight = builder_vector(d->b, d->h->d, "blk.%zu.%s.weight", d->layer, name);
    steps_rms_norm(d->b, d->x, 1, weight, d->h->eps, d->norm);
}

void decoder_add(struct decoder *d, const char *name) {
    if (name) {
        int weight = builder_vector(d->b, d->h->d, "blk.%zu.%s.weight", d->layer, name);
        steps_rms_norm(d->b, d->branch, 1, weight, d->h->eps, d->branch);
    }
    steps_add(d->b, d->branch, d->x);
}

/* --- attention ---------------------------------------------------------------------------------------- */

static void project(struct decoder *d, int in) {
    struct builder *b = d->b;
    const struct hparams *h = d->h;
    static const char *const names[] = {"attn_q", "attn_k", "attn_v"};
    size_t q = h->n_heads * h->head_dim, kv = h->n_kv_heads * h->head_dim, all = q + 2 * kv;
    size_t widths[] = {q, kv, kv}, first = 0;
    int weights[3], biases[3], outs[] = {d->q, d->k, d->v};
    for (int i = 0; i < 3; first += widths[i++]) {
        weights[i] = d->fused_qkv
                         ? builder_part(b, first, widths[i], all, h->d, "blk.%zu.attn_qkv.weight", d->layer)
                         : builder_matrix(b, widths[i], h->d, "blk.%zu.%s.weight", d->layer, names[i]);
        biases[i] = builder_optional(b, widths[i], "blk.%zu.%s.bias", d->layer, names[i]);
    }
    steps_linear(b, in, 3, weights, outs);
    steps_bias(b, 3, biases, outs);
}

static void norm_heads(struct decoder *d, int at, const char *name, size_t heads) {
    bool rows = d->norms == DECODER_ROW_NORMS;
    size_t width = rows ? heads * d->h->head_dim : d->h->head_dim;
    if (d->norms == DECODER_NO_NORMS || !builder_has(d->b, "blk.%zu.%s.weight", d->layer, name)) return;
    int weight = builder_vector(d->b, width, "blk.%zu.%s.weight", d->layer, name);
    steps_rms_norm(d->b, at, rows ? 1 : heads, weight, d->h->eps, at);
}

static void rotate(struct decoder *d, int rope) {
    struct step *s = steps_rope(d->b, rope, d->pairs, d->q, d->h->n_heads, d->q);
    s->n = 2;
    s->in[1] = s->out[1] = d->k;
    s->heads[1] = d->h->n_kv_heads;
}

static void project_output(struct decoder *d) {
    size_t q = d->h->n_heads * d->h->head_dim;
    int output = builder_matrix(d->b, d->h->d, q, "blk.%zu.attn_output.weight", d->layer);
    int bias = builder_optional(d->b, d->h->d, "blk.%zu.attn_output.bias", d->layer);
    steps_linear(d->b, d->mixed, 1, &output, &d->branch);
    steps_bias(d->b, 1, &bias, &d->branch);
}

struct step *decoder_attention(struct decoder *d, int in, int rope, size_t window) {
    const struct hparams *h = d->h;
    int cache = builder_cache(d->b, h->n_kv_heads, h->head_dim, h->head_dim);
    project(d, in);
    norm_heads(d, d->q, "attn_q_norm", h->n_heads);
    norm_heads(d, d->k, "attn_k_norm", h->n_kv_heads);
    if (rope != PROGRAM_NONE) rotate(d, rope);
    steps_kv_store(d->b, cache, d->k, d->v);
    struct step *s = steps_attention(d->b, cache, d->q, h->n_heads, d->scale, d->mixed);
    s->window = window;
    s->cap = (float)h->score_cap;
    s->weight[0] = builder_optional(d->b, h->n_heads, "blk.%zu.attn_sinks.weight", d->layer);
    project_output(d);
    return s;
}

/* --- feed-forward --------------------------------------------------------------------------------------- */

static void activate(struct decoder *d, int gate, int up, int out) {
    switch (d->activation) {
    case DECODER_SWIGLU: steps_swiglu(d->b, gate, up, out); break;
    case DECODER_GEGLU: steps_geglu(d->b, gate, up, out); break;
    case DECODER_CLAMPED: steps_swiglu_clamped(d->b, gate, up, 1.702F, 7.0F, out); break;
    }
}

void decoder_mlp(struct decoder *d, int in) {
    struct builder *b = d->b;
    size_t i = d->layer, n = d->h->d, width = d->h->d_ff;
    int weights[2], biases[2], outs[] = {d->gate, d->up};
    if (width == 0) {
        builder_fail(b, STATUS_BAD_INPUT, "layer %zu is dense, but '%s.feed_forward_length' is missing", i,
                     b->arch);
        return;
    }
    for (size_t j = 0; j < 2; j++) {
        const char *name = j ? "ffn_up" : "ffn_gate";
        weights[j] = d->fused_mlp
                         ? builder_part(b, j * width, width, 2 * width, n, "blk.%zu.ffn_up.weight", i)
                         : builder_matrix(b, width, n, "blk.%zu.%s.weight", i, name);
        biases[j] = builder_optional(b, width, "blk.%zu.%s.bias", i, name);
    }
    int down = builder_matrix(b, n, width, "blk.%zu.ffn_down.weight", i);
    int down_bias = builder_optional(b, n, "blk.%zu.ffn_down.bias", i);
    steps_linear(b, in, 2, weights, outs);
    steps_bias(b, 2, biases, outs);
    activate(d, d->gate, d->up, d->hidden);
    steps_linear(b, d->hidden, 1, &down, &d->branch);
    steps_bias(b, 1, &down_bias, &d->branch);
}

/* --- experts ------------------------------------------------------------------------------------------ */

static void route(struct decoder *d, const struct routing *how) {
    struct builder *b = d->b;
    size_t i = d->layer, n = d->h->experts.n;
    int router = builder_matrix(b, n, d->h->d, "blk.%zu.ffn_gate_inp.weight", i);
    int bias = builder_optional(b, n, "blk.%zu.ffn_gate_inp.bias", i);
    int correction = builder_optional(b, n, "blk.%zu.exp_probs_b.bias", i);
    steps_linear(b, d->norm, 1, &router, &d->experts.logits);
    steps_bias(b, 1, &bias, &d->experts.logits);
    steps_route(b, d->experts.logits, correction, how, d->experts.ids, d->experts.weights);
}

/* Biases of all experts are a matrix of F32. */
static int expert_bias(struct decoder *d, size_t width, const char *name) {
    if (!builder_has(d->b, "blk.%zu.%s.bias", d->layer, name)) return PROGRAM_NONE;
    return builder_matrix(d->b, d->h->experts.n, width, "blk.%zu.%s.bias", d->layer, name);
}

static void run_experts(struct decoder *d) {
    struct builder *b = d->b;
    size_t i = d->layer, n = d->h->experts.n, width = d->h->experts.d;
    int gate_up[] = {builder_matrices(b, n, width, d->h->d, "blk.%zu.ffn_gate_exps.weight", i),
                     builder_matrices(b, n, width, d->h->d, "blk.%zu.ffn_up_exps.weight", i)};
    int down = builder_matrices(b, n, d->h->d, width, "blk.%zu.ffn_down_exps.weight", i);
    int biases[] = {expert_bias(d, width, "ffn_gate_exps"), expert_bias(d, width, "ffn_up_exps")};
    int down_bias = expert_bias(d, d->h->d, "ffn_down_exps");
    steps_experts(b, d->norm, d->experts.ids, 2, gate_up, biases, (int[]){d->experts.gate, d->experts.up});
    activate(d, d->experts.gate, d->experts.up, d->experts.hidden);
    steps_experts(b, d->experts.hidden, d->experts.ids, 1, &down, &down_bias, &d->experts.out);
    steps_mix(b, d->experts.out, d->experts.weights, d->branch);
}

/* The expert of every token, gated where the file has a gate for it. */
static void run_shared(struct decoder *d) {
    struct builder *b = d->b;
    size_t i = d->layer, width = d->h->experts.d_shared;
    int weights[] = {builder_matrix(b, width, d->h->d, "blk.%zu.ffn_gate_shexp.weight", i),
                     builder_matrix(b, width, d->h->d, "blk.%zu.ffn_up_shexp.weight", i), PROGRAM_NONE};
    int down = builder_matrix(b, d->h->d, width, "blk.%zu.ffn_down_shexp.weight", i);
    bool gated = builder_has(b, "blk.%zu.ffn_gate_inp_shexp.weight", i);
    if (gated) weights[2] = builder_matrix(b, 1, d->h->d, "blk.%zu.ffn_gate_inp_shexp.weight", i);
    steps_linear(b, d->norm, gated ? 3 : 2, weights,
                 (int[]){d->experts.shared_gate, d->experts.shared_up, d->experts.open});
    activate(d, d->experts.shared_gate, d->experts.shared_up, d->experts.shared_hidden);
    steps_linear(b, d->experts.shared_hidden, 1, &down, &d->experts.shared);
    if (gated) steps_sigmoid_gate(b, d->experts.open, 1, 0, d->experts.shared);
    steps_add(b, d->experts.shared, d->branch);
}

void decoder_experts(struct decoder *d, const struct routing *how) {
    route(d, how);
    run_experts(d);
    if (d->h->experts.d_shared) run_shared(d);
}

void decoder_layer(struct decoder *d, int rope, size_t window, const char *ffn_norm,
                   const struct routing *how) {
    decoder_norm(d, "attn_norm");
    decoder_attention(d, d->norm, rope, window);
    decoder_add(d, NULL);
    decoder_norm(d, ffn_norm);
    if (how && d->layer >= d->h->experts.n_dense) decoder_experts(d, how);
    else decoder_mlp(d, d->norm);
    decoder_add(d, NULL);
}

/* --- the end -------------------------------------------------------------------------------------------- */

void decoder_head(struct decoder *d) {
    struct builder *b = d->b;
    size_t n = d->h->d, n_vocab = b->program.n_vocab;
    int last = builder_buffer(b, n), norm = builder_buffer(b, n), logits = builder_buffer(b, n_vocab);
    int weight = builder_vector(b, n, "output_norm.weight"), output = d->table;
    if (builder_has(b, "output.weight")) output = builder_matrix(b, n_vocab, n, "output.weight");
    steps_select(b, d->x, last);
    steps_rms_norm(b, last, 1, weight, d->h->eps, norm);
    steps_linear(b, norm, 1, &output, &logits);
    if (d->h->logit_cap > 0) steps_softcap(b, logits, (float)d->h->logit_cap);
    b->program.logits = logits;
}
