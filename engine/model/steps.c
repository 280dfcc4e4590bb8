#include "engine/model/steps.h"

/* One input, one output. */
static struct step *simple(struct builder *b, enum op_code op, int in, int out) {
    struct step *s = builder_step(b, op);
    s->in[0] = in;
    s->out[0] = out;
    return s;
}

void steps_embed(struct builder *b, int table, float scale, int out) {
    struct step *s = simple(b, OP_embed, PROGRAM_NONE, out);
    s->weight[0] = table;
    s->scale = scale;
}

void steps_rms_norm(struct builder *b, int in, size_t heads, int weight, float eps, int out) {
    struct step *s = simple(b, OP_rms_norm, in, out);
    s->heads[0] = heads;
    s->weight[0] = weight;
    s->eps = eps;
}

void steps_layer_norm(struct builder *b, int in, int weight, int bias, float eps, int out) {
    struct step *s = simple(b, OP_layer_norm, in, out);
    s->weight[0] = weight;
    s->weight[1] = bias;
    s->eps = eps;
}

void steps_linear(struct builder *b, int in, int n, const int *weights, const int *outs) {
    struct step *s = simple(b, OP_linear, in, PROGRAM_NONE);
    s->n = n;
    for (int i = 0; i < n && i < PROGRAM_MAX_OPERANDS; i++) {
        s->weight[i] = weights[i];
        s->out[i] = outs[i];
    }
}

void steps_head_linear(struct builder *b, int in, size_t heads, int weight, int out) {
    struct step *s = simple(b, OP_head_linear, in, out);
    s->heads[0] = heads;
    s->weight[0] = weight;
}

void steps_bias(struct builder *b, int n, const int *biases, const int *outs) {
    struct step *s = NULL;
    for (int i = 0; i < n; i++) {
        if (biases[i] == PROGRAM_NONE) continue;
        if (!s) s = builder_step(b, OP_bias);
        s->weight[s->n] = biases[i];
        s->out[s->n++] = outs[i];
    }
}

struct step *steps_rope(struct builder *b, int rope, enum rope_pairs pairs, int in, size_t heads, int out) {
    struct step *s = simple(b, OP_rope, in, out);
    s->n = 1;
    s->rope = rope;
    s->heads[0] = heads;
    s->pairs = pairs;
    return s;
}

void steps_kv_store(struct builder *b, int cache, int k, int v) {
    struct step *s = simple(b, OP_kv_store, k, PROGRAM_NONE);
    s->in[1] = v;
    s->cache = cache;
}

struct step *steps_attention(struct builder *b, int cache, int q, size_t heads, float scale, int out) {
    struct step *s = simple(b, OP_attention, q, out);
    s->cache = cache;
    s->heads[0] = heads;
    s->scale = scale;
    return s;
}

void steps_dsa_select(struct builder *b, int cache, int q, int weights, size_t heads, float scale, int out) {
    struct step *s = simple(b, OP_dsa_select, q, out);
    s->in[1] = weights;
    s->cache = cache;
    s->heads[0] = heads;
    s->scale = scale;
}

void steps_dsa_attention(struct builder *b, int cache, int q, size_t heads, float scale, int chosen,
                         int out) {
    struct step *s = steps_attention(b, cache, q, heads, scale, out);
    s->op = OP_dsa_attention;
    s->in[1] = chosen;
}

static struct step *gated(struct builder *b, enum op_code op, int gate, int up, int out) {
    struct step *s = simple(b, op, gate, out);
    s->in[1] = up;
    return s;
}

void steps_swiglu(struct builder *b, int gate, int up, int out) { gated(b, OP_swiglu, gate, up, out); }
void steps_geglu(struct builder *b, int gate, int up, int out) { gated(b, OP_geglu, gate, up, out); }

void steps_swiglu_clamped(struct builder *b, int gate, int up, float alpha, float limit, int out) {
    struct step *s = gated(b, OP_swiglu_clamped, gate, up, out);
    s->alpha = alpha;
    s->limit = limit;
}

void steps_add(struct builder *b, int y, int x) { simple(b, OP_add, y, x); }

void steps_sigmoid_gate(struct builder *b, int gate, size_t heads, size_t at, int x) {
    struct step *s = simple(b, OP_sigmoid_gate, gate, x);
    s->heads[0] = heads;
    s->in_at[0] = at;
}

void steps_softcap(struct builder *b, int x, float cap) { simple(b, OP_softcap, PROGRAM_NONE, x)->cap = cap; }

void steps_select(struct builder *b, int in, int out) { simple(b, OP_select, in, out); }

void steps_route(struct builder *b, int logits, int bias, const struct routing *how, int ids, int weights) {
    struct step *s = simple(b, OP_route, logits, ids);
    s->out[1] = weights;
    s->weight[0] = bias;
    s->routing = *how;
}

void steps_experts(struct builder *b, int in, int ids, int n, const int *weights, const int *biases,
                   const int *outs) {
    struct step *s = simple(b, OP_experts, in, PROGRAM_NONE);
    s->in[1] = ids;
    s->n = n;
    for (int i = 0; i < n && 2 * i < PROGRAM_MAX_OPERANDS; i++) {
        s->weight[i] = weights[i];
        s->weight[n + i] = biases ? biases[i] : PROGRAM_NONE;
        s->out[i] = outs[i];
    }
}

void steps_mix(struct builder *b, int in, int weights, int out) {
    simple(b, OP_mix, in, out)->in[1] = weights;
}

void steps_short_conv(struct builder *b, int in, int weight, int state, int out) {
    struct step *s = simple(b, OP_short_conv, in, out);
    s->weight[0] = weight;
    s->state = state;
}
