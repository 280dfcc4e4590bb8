#include "engine/model/program.h"

#include "base/checked.h"

#include <stdarg.h>
#include <stdio.h>

const char *program_op_name(enum op_code op) {
    static const char *const names[] = {
#define OP(name, text) #name,
#include "engine/kernels/ops.inc"
#undef OP
    };
    return (unsigned)op < OP_COUNT ? names[op] : "unknown";
}

uint64_t program_buffers(const int operands[PROGRAM_MAX_OPERANDS]) {
    uint64_t set = 0;
    for (int i = 0; i < PROGRAM_MAX_OPERANDS; i++)
        if (operands[i] >= 0) set |= UINT64_C(1) << operands[i];
    return set;
}

bool program_fills(const struct program *p, const struct step *s) {
    switch (s->op) {
    case OP_bias:
    case OP_rope:
    case OP_kv_store:
    case OP_add:
    case OP_sigmoid_gate:
    case OP_softcap:
    case OP_head_linear: return false;
    case OP_rms_norm: return p->weights[s->weight[0]].n_cols * s->heads[0] == p->widths[s->out[0]];
    default: return true;
    }
}

/* What is in a buffer when a step starts. */
enum rows { ROWS_UNWRITTEN, ROWS_BATCH, ROWS_SELECTED };

struct checker {
    const struct program *program;
    const struct step *step;
    enum rows rows[PROGRAM_MAX_BUFFERS];
    struct status *st;
};

static bool wrong(const struct checker *c, const char *format, ...) STATUS_PRINTF(2, 3);
static bool wrong(const struct checker *c, const char *format, ...) {
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return status_fail(c->st, STATUS_BAD_INPUT,
                       "step %td (%s) of the program is wrong: %s; this is a bug in its model file",
                       c->step - c->program->steps, program_op_name(c->step->op), what);
}

/* --- operands ----------------------------------------------------------------------------------------- */

static bool is_buffer(const struct checker *c, int buffer, size_t width) {
    const struct program *p = c->program;
    if (buffer < 0 || buffer >= p->n_buffers) return wrong(c, "buffer %d of %d", buffer, p->n_buffers);
    if (p->widths[buffer] != width)
        return wrong(c, "buffer %d is %zu wide, not %zu", buffer, p->widths[buffer], width);
    return true;
}

static bool reads(const struct checker *c, int buffer, size_t width) {
    if (!is_buffer(c, buffer, width)) return false;
    return c->rows[buffer] != ROWS_UNWRITTEN || wrong(c, "buffer %d is read before it is written", buffer);
}

static bool reads_batch(const struct checker *c, int buffer, size_t width) {
    if (!reads(c, buffer, width)) return false;
    return c->rows[buffer] == ROWS_BATCH || wrong(c, "buffer %d holds selected rows only", buffer);
}

static bool same_rows(const struct checker *c, int a, int b) {
    return c->rows[a] == c->rows[b] || wrong(c, "buffers %d and %d have different rows", a, b);
}

static bool writes(struct checker *c, int buffer, size_t width, enum rows rows) {
    if (!is_buffer(c, buffer, width)) return false;
    c->rows[buffer] = rows;
    return true;
}

static bool is_weight(const struct checker *c, int weight, size_t n_rows, size_t n_cols) {
    const struct program *p = c->program;
    if (weight < 0 || weight >= p->n_weights) return wrong(c, "weight %d of %d", weight, p->n_weights);
    const struct weight *w = &p->weights[weight];
    if ((!w->data && !w->layout) || !dtype_info(w->type))
        return wrong(c, "weight %s has no data or type", w->name);
    if (w->n_rows != n_rows || w->n_cols != n_cols)
        return wrong(c, "weight %s is %zu x %zu, not %zu x %zu", w->name, w->n_rows, w->n_cols, n_rows,
                     n_cols);
    return true;
}

static size_t width_of(const struct checker *c, int buffer) {
    return buffer >= 0 && buffer < c->program->n_buffers ? c->program->widths[buffer] : 0;
}

static bool is_vector(const struct checker *c, int weight, size_t n) {
    if (!is_weight(c, weight, 1, n)) return false;
    return c->program->weights[weight].type == DTYPE_F32 || wrong(c, "its weight is not F32");
}

/* The width of each of n equal parts of a buffer; 0 and a refusal where there are no such parts. */
static size_t part_of(const struct checker *c, int buffer, size_t n) {
    size_t width = width_of(c, buffer);
    if (n && width && width % n == 0) return width / n;
    wrong(c, "buffer %d is %zu wide, no %zu equal parts", buffer, width, n);
    return 0;
}

static const struct program_cache *cache_of(const struct checker *c) {
    const struct program *p = c->program;
    if (c->step->cache >= 0 && c->step->cache < p->n_caches) return &p->caches[c->step->cache];
    wrong(c, "cache %d of %d", c->step->cache, p->n_caches);
    return NULL;
}

static bool is_state(const struct checker *c, size_t n) {
    const struct program *p = c->program;
    if (c->step->state < 0 || c->step->state >= p->n_states)
        return wrong(c, "state %d of %d", c->step->state, p->n_states);
    return p->states[c->step->state] == n ||
           wrong(c, "state %d is %zu, not %zu", c->step->state, p->states[c->step->state], n);
}

/* --- one function an operation ------------------------------------------------------------------------- */

static bool check_embed(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->out[0]);
    return is_weight(c, s->weight[0], c->program->n_vocab, width) && writes(c, s->out[0], width, ROWS_BATCH);
}

static bool check_rms_norm(struct checker *c) {
    const struct step *s = c->step;
    size_t in = part_of(c, s->in[0], s->heads[0]), out = in ? part_of(c, s->out[0], s->heads[0]) : 0;
    if (!out) return false;
    if (s->weight[0] < 0 || s->weight[0] >= c->program->n_weights) return wrong(c, "it has no weight");
    size_t dim = c->program->weights[s->weight[0]].n_cols;
    if (!is_vector(c, s->weight[0], dim)) return false;
    if (dim > in || dim > out) return wrong(c, "norms of %zu in parts of %zu and %zu", dim, in, out);
    return reads(c, s->in[0], width_of(c, s->in[0])) &&
           writes(c, s->out[0], width_of(c, s->out[0]), c->rows[s->in[0]]);
}

static bool check_layer_norm(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->in[0]);
    return reads(c, s->in[0], width) && is_vector(c, s->weight[0], width) &&
           is_vector(c, s->weight[1], width) && writes(c, s->out[0], width, c->rows[s->in[0]]);
}

static bool check_linear(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->in[0]);
    if (s->n < 1 || s->n > PROGRAM_MAX_OPERANDS) return wrong(c, "%d projections", s->n);
    if (!reads(c, s->in[0], width)) return false;
    for (int i = 0; i < s->n; i++) {
        if (!is_weight(c, s->weight[i], width_of(c, s->out[i]), width)) return false;
        for (int j = 0; j < i; j++)
            if (s->out[j] == s->out[i]) return wrong(c, "two projections into buffer %d", s->out[i]);
        if (s->out[i] == s->in[0]) return wrong(c, "buffer %d is its input and its output", s->in[0]);
        if (!writes(c, s->out[i], width_of(c, s->out[i]), c->rows[s->in[0]])) return false;
    }
    return true;
}

static bool is_matrices(const struct checker *c, int weight, size_t n) {
    const struct program *p = c->program;
    if (weight < 0 || weight >= p->n_weights) return wrong(c, "weight %d of %d", weight, p->n_weights);
    const struct weight *w = &p->weights[weight];
    if ((!w->data && !w->slices && !w->layout) || !dtype_info(w->type))
        return wrong(c, "weight %s has no data or type", w->name);
    return w->n_experts == n || wrong(c, "weight %s is %zu matrices, not %zu", w->name, w->n_experts, n);
}

static bool check_head_linear(struct checker *c) {
    const struct step *s = c->step;
    size_t in = part_of(c, s->in[0], s->heads[0]), out = in ? part_of(c, s->out[0], s->heads[0]) : 0;
    if (!out || !is_matrices(c, s->weight[0], s->heads[0])) return false;
    const struct weight *w = &c->program->weights[s->weight[0]];
    if (w->n_cols > in || w->n_rows > out || w->slices)
        return wrong(c, "weight %s is %zu x %zu for parts of %zu and %zu", w->name, w->n_rows, w->n_cols, out,
                     in);
    if (s->in[0] == s->out[0]) return wrong(c, "buffer %d is its input and its output", s->in[0]);
    return reads(c, s->in[0], width_of(c, s->in[0])) &&
           writes(c, s->out[0], width_of(c, s->out[0]), c->rows[s->in[0]]);
}

static bool check_bias(struct checker *c) {
    const struct step *s = c->step;
    if (s->n < 1 || s->n > PROGRAM_MAX_OPERANDS) return wrong(c, "%d rows", s->n);
    for (int i = 0; i < s->n; i++)
        if (!reads(c, s->out[i], width_of(c, s->out[i])) ||
            !is_vector(c, s->weight[i], width_of(c, s->out[i])))
            return false;
    return true;
}

static bool check_rope_operand(struct checker *c, const struct program_rope *rope, int i) {
    const struct step *s = c->step;
    size_t in = part_of(c, s->in[i], s->heads[i]), out = in ? part_of(c, s->out[i], s->heads[i]) : 0;
    if (!out) return false;
    if (s->in_at[i] > in || rope->dims > in - s->in_at[i] || s->out_at[i] > out ||
        rope->dims > out - s->out_at[i])
        return wrong(c, "%zu dimensions from %zu and %zu on do not fit heads of %zu and %zu", rope->dims,
                     s->in_at[i], s->out_at[i], in, out);
    if (!reads_batch(c, s->in[i], width_of(c, s->in[i]))) return false;
    if (s->in[i] == s->out[i] && s->in_at[i] != s->out_at[i]) return wrong(c, "it overwrites what it reads");
    return writes(c, s->out[i], width_of(c, s->out[i]), ROWS_BATCH);
}

static bool check_rope(struct checker *c) {
    const struct step *s = c->step;
    if (s->rope < 0 || s->rope >= c->program->n_ropes)
        return wrong(c, "rope %d of %d", s->rope, c->program->n_ropes);
    const struct program_rope *rope = &c->program->ropes[s->rope];
    if (rope->dims % 2 || !rope->cos[0] || !rope->sin[0] || !rope->cos[1] || !rope->sin[1])
        return wrong(c, "%zu dimensions rotate, or its tables are missing", rope->dims);
    if (s->n < 1 || s->n > PROGRAM_MAX_OPERANDS) return wrong(c, "%d rows", s->n);
    for (int i = 0; i < s->n; i++)
        if (!check_rope_operand(c, rope, i)) return false;
    return true;
}

static bool check_kv_store(struct checker *c) {
    const int *in = c->step->in;
    const struct program_cache *cache = cache_of(c);
    size_t k = cache ? part_of(c, in[0], cache->n_heads) : 0, v = k ? part_of(c, in[1], cache->n_heads) : 0;
    if (!v) return false;
    if (k < cache->key_dim || v < cache->value_dim)
        return wrong(c, "heads of %zu and %zu for a cache of %zu and %zu", k, v, cache->key_dim,
                     cache->value_dim);
    return reads_batch(c, in[0], width_of(c, in[0])) && reads_batch(c, in[1], width_of(c, in[1]));
}

static bool attends(struct checker *c) {
    const struct step *s = c->step;
    const struct program_cache *cache = cache_of(c);
    size_t heads = s->heads[0];
    if (!cache) return false;
    if (!heads || heads % cache->n_heads || !cache->value_dim)
        return wrong(c, "%zu heads over %zu with values of %zu", heads, cache->n_heads, cache->value_dim);
    if (s->in[0] == s->out[0]) return wrong(c, "it would overwrite its queries");
    return reads_batch(c, s->in[0], heads * cache->key_dim) &&
           writes(c, s->out[0], heads * cache->value_dim, ROWS_BATCH);
}

static bool check_attention(struct checker *c) {
    return (c->step->weight[0] < 0 || is_vector(c, c->step->weight[0], c->step->heads[0])) && attends(c);
}

static bool check_dsa_select(struct checker *c) {
    const struct step *s = c->step;
    const struct program_cache *cache = cache_of(c);
    if (!cache) return false;
    if (cache->n_heads != 1) return wrong(c, "an indexer has one key head, not %zu", cache->n_heads);
    return reads_batch(c, s->in[0], s->heads[0] * cache->key_dim) && reads_batch(c, s->in[1], s->heads[0]) &&
           writes(c, s->out[0], width_of(c, s->out[0]), ROWS_BATCH);
}

static bool check_dsa_attention(struct checker *c) {
    return reads_batch(c, c->step->in[1], width_of(c, c->step->in[1])) && attends(c);
}

static bool check_swiglu(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->in[0]);
    return reads(c, s->in[0], width) && reads(c, s->in[1], width) && same_rows(c, s->in[0], s->in[1]) &&
           writes(c, s->out[0], width, c->rows[s->in[0]]);
}

static bool check_add(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->out[0]);
    return reads(c, s->in[0], width) && reads(c, s->out[0], width) && same_rows(c, s->in[0], s->out[0]);
}

static bool check_select(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->in[0]);
    return reads_batch(c, s->in[0], width) && writes(c, s->out[0], width, ROWS_SELECTED);
}

static bool check_geglu(struct checker *c) { return check_swiglu(c); }
static bool check_swiglu_clamped(struct checker *c) { return check_swiglu(c); }

static bool check_sigmoid_gate(struct checker *c) {
    const struct step *s = c->step;
    size_t out = part_of(c, s->out[0], s->heads[0]), gate = out ? part_of(c, s->in[0], s->heads[0]) : 0;
    if (!gate) return false;
    if (gate != 1 && (s->in_at[0] > gate || out > gate - s->in_at[0]))
        return wrong(c, "%zu gates for %zu values", gate, out);
    return reads(c, s->in[0], width_of(c, s->in[0])) && reads(c, s->out[0], width_of(c, s->out[0])) &&
           same_rows(c, s->in[0], s->out[0]);
}

static bool check_softcap(struct checker *c) {
    return reads(c, c->step->out[0], width_of(c, c->step->out[0]));
}

static bool check_route(struct checker *c) {
    const struct step *s = c->step;
    const struct routing *how = &s->routing;
    size_t n = width_of(c, s->in[0]), used = width_of(c, s->out[0]);
    if (!how->n_groups || how->n_groups > ROUTE_MAX_GROUPS || n % how->n_groups || !how->n_groups_used ||
        how->n_groups_used > how->n_groups || how->group_top < 1 || how->group_top > 2)
        return wrong(c, "%zu experts in %zu groups, %zu of them used", n, how->n_groups, how->n_groups_used);
    if (used > n / how->n_groups * how->n_groups_used) return wrong(c, "%zu of %zu experts", used, n);
    return reads(c, s->in[0], n) && (s->weight[0] < 0 || is_vector(c, s->weight[0], n)) &&
           writes(c, s->out[0], used, c->rows[s->in[0]]) && writes(c, s->out[1], used, c->rows[s->in[0]]);
}

static bool check_experts(struct checker *c) {
    const struct step *s = c->step;
    size_t used = width_of(c, s->in[1]), in = width_of(c, s->in[0]);
    if (s->n < 1 || s->n > 2) return wrong(c, "%d projections", s->n);
    if (!reads(c, s->in[0], in) || !reads(c, s->in[1], used) || !same_rows(c, s->in[0], s->in[1]))
        return false;
    for (int i = 0; i < s->n; i++) {
        int bias = s->weight[s->n + i];
        if (s->weight[i] < 0 || s->weight[i] >= c->program->n_weights) return wrong(c, "a weight is missing");
        const struct weight *w = &c->program->weights[s->weight[i]];
        if (!w->n_experts || !is_matrices(c, s->weight[i], w->n_experts)) return false;
        if (in != w->n_cols && in != used * w->n_cols)
            return wrong(c, "weight %s has %zu columns for inputs of %zu", w->name, w->n_cols, in);
        if (bias >= 0 && !is_weight(c, bias, w->n_experts, w->n_rows)) return false;
        if (bias >= 0 && c->program->weights[bias].type != DTYPE_F32) return wrong(c, "its bias is not F32");
        if (s->out[i] == s->in[0]) return wrong(c, "buffer %d is its input and its output", s->in[0]);
        if (!writes(c, s->out[i], used * w->n_rows, c->rows[s->in[0]])) return false;
    }
    return true;
}

static bool check_mix(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->out[0]), used = width_of(c, s->in[1]);
    return reads(c, s->in[0], used * width) && reads(c, s->in[1], used) && same_rows(c, s->in[0], s->in[1]) &&
           writes(c, s->out[0], width, c->rows[s->in[0]]);
}

static bool check_short_conv(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->in[0]);
    if (!reads_batch(c, s->in[0], width)) return false;
    if (s->weight[0] < 0 || s->weight[0] >= c->program->n_weights) return wrong(c, "it has no weight");
    const struct weight *w = &c->program->weights[s->weight[0]];
    if (w->type != DTYPE_F32 || !w->n_cols || !is_weight(c, s->weight[0], width, w->n_cols))
        return wrong(c, "weight %s is not %zu rows of F32 taps", w->name, width);
    return is_state(c, width * (w->n_cols - 1)) && writes(c, s->out[0], width, ROWS_BATCH);
}

static bool check_delta_net(struct checker *c) {
    const struct step *s = c->step;
    size_t keys = s->heads[0], heads = s->heads[1], out = part_of(c, s->out[0], heads);
    if (!out || !keys || heads % keys || (s->group && heads % s->group))
        return out && wrong(c, "%zu value heads over %zu key heads", heads, keys);
    size_t in = width_of(c, s->in[0]), values = heads * out,
           key = in > values ? (in - values) / (2 * keys) : 0;
    if (!key || values + 2 * keys * key != in) return wrong(c, "rows of %zu are no q, k and v", in);
    size_t gates = s->in[1] == s->in[2] ? 2 * heads : heads;
    return reads_batch(c, s->in[0], in) && reads_batch(c, s->in[1], gates) &&
           reads_batch(c, s->in[2], gates) && is_vector(c, s->weight[0], heads) &&
           is_vector(c, s->weight[1], heads) && is_state(c, heads * key * out) &&
           writes(c, s->out[0], values, ROWS_BATCH);
}

/* --- the program ---------------------------------------------------------------------------------------- */

static bool check_step(struct checker *c) {
    static bool (*const check[OP_COUNT])(struct checker *) = {
#define OP(name, text) [OP_##name] = check_##name,
#include "engine/kernels/ops.inc"
#undef OP
    };
    if ((unsigned)c->step->op >= OP_COUNT) return wrong(c, "operation %d", (int)c->step->op);
    return check[c->step->op](c);
}

static bool check_counts(const struct program *p, struct status *st) {
    if (p->n_buffers < 1 || p->n_buffers > PROGRAM_MAX_BUFFERS)
        return status_fail(st, STATUS_BAD_INPUT, "a program has 1 to %d buffers, not %d", PROGRAM_MAX_BUFFERS,
                           p->n_buffers);
    if (!p->context || !p->n_vocab)
        return status_fail(st, STATUS_BAD_INPUT, "a program cannot have a context of %zu and %zu token ids",
                           p->context, p->n_vocab);
    for (int i = 0; i < p->n_caches; i++) {
        const struct program_cache *cache = &p->caches[i];
        size_t unused;
        if (!cache->n_heads || !cache->key_dim || !checked_mul(&unused, cache->n_heads, cache->key_dim) ||
            !checked_mul(&unused, cache->n_heads, cache->value_dim))
            return status_fail(st, STATUS_BAD_INPUT, "a program cannot keep %zu heads of %zu and %zu",
                               cache->n_heads, cache->key_dim, cache->value_dim);
    }
    return true;
}

bool program_check(const struct program *program, struct status *st) {
    if (!check_counts(program, st)) return false;
    struct checker c = {.program = program, .st = st};
    for (int i = 0; i < program->n_steps; i++) {
        c.step = &program->steps[i];
        if (!check_step(&c)) return false;
    }
    int logits = program->logits;
    if (logits < 0 || logits >= program->n_buffers || program->widths[logits] != program->n_vocab ||
        c.rows[logits] != ROWS_SELECTED)
        return status_fail(st, STATUS_BAD_INPUT, "the program leaves no logits in buffer %d", logits);
    return true;
}
