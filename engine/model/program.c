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

struct weight weight_expert(const struct weight *weight, size_t e) {
    struct weight one = *weight;
    one.n_experts = 0;
    one.slices = NULL;
    if (weight->layout) one.layout = &weight->layout[e];
    else if (weight->slices) one.data = weight->slices[e];
    else
        one.data =
            (const char *)weight->data + e * weight->n_rows * dtype_row_bytes(weight->type, weight->n_cols);
    return one;
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

static size_t q_width(const struct program *p) { return p->n_heads * p->head_dim; }
static size_t kv_width(const struct program *p) { return p->n_kv_heads * p->head_dim; }

static bool is_layer(const struct checker *c) {
    return (c->step->layer >= 0 && (size_t)c->step->layer < c->program->n_layers) ||
           wrong(c, "layer %d of %zu", c->step->layer, c->program->n_layers);
}

/* --- one function an operation ------------------------------------------------------------------------- */

static bool check_embed(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->out[0]);
    return is_weight(c, s->weight[0], c->program->n_vocab, width) && writes(c, s->out[0], width, ROWS_BATCH);
}

static bool check_rms_norm(struct checker *c) {
    const struct step *s = c->step;
    size_t width = width_of(c, s->in[0]);
    if (!reads(c, s->in[0], width) || !is_weight(c, s->weight[0], 1, width)) return false;
    if (c->program->weights[s->weight[0]].type != DTYPE_F32) return wrong(c, "its weight is not F32");
    return writes(c, s->out[0], width, c->rows[s->in[0]]);
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

static bool check_rope(struct checker *c) {
    const struct program *p = c->program;
    const int *out = c->step->out;
    if (p->rope_dims % 2 || p->rope_dims > p->head_dim || !p->rope_cos || !p->rope_sin)
        return wrong(c, "%zu dimensions of %zu rotate", p->rope_dims, p->head_dim);
    return reads_batch(c, out[0], q_width(p)) && reads_batch(c, out[1], kv_width(p));
}

static bool check_kv_store(struct checker *c) {
    const int *in = c->step->in;
    size_t width = kv_width(c->program);
    return is_layer(c) && reads_batch(c, in[0], width) && reads_batch(c, in[1], width);
}

static bool check_attention(struct checker *c) {
    size_t width = q_width(c->program);
    if (c->step->in[0] == c->step->out[0]) return wrong(c, "it would overwrite its queries");
    return is_layer(c) && reads_batch(c, c->step->in[0], width) &&
           writes(c, c->step->out[0], width, ROWS_BATCH);
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
    size_t unused;
    if (p->n_buffers < 1 || p->n_buffers > PROGRAM_MAX_BUFFERS)
        return status_fail(st, STATUS_BAD_INPUT, "a program has 1 to %d buffers, not %d", PROGRAM_MAX_BUFFERS,
                           p->n_buffers);
    if (!p->n_kv_heads || p->n_heads % p->n_kv_heads || !checked_mul(&unused, p->n_heads, p->head_dim) ||
        !p->head_dim || !p->context || !p->n_vocab)
        return status_fail(st, STATUS_BAD_INPUT,
                           "a program cannot have %zu heads over %zu of size %zu, a context of %zu and %zu "
                           "token ids",
                           p->n_heads, p->n_kv_heads, p->head_dim, p->context, p->n_vocab);
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
