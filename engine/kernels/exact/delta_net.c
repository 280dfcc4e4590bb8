/* The gated delta rule in its recurrent form (Yang, Kautz and Hatamizadeh, arXiv:2412.06464, equation 10),
 * token by token, so that the result does not depend on how a prompt is cut; each step is one rounding:
 *
 *   length  inverse(x) = 1 / sqrt(sum of squares + 1e-6), the sum as in exact.h
 *           k' = k * inverse(k), q' = q * (inverse(q) / sqrt(key_dim))
 *   gates   decay = exp(decay of the head * softplus(a + dt_bias)), beta = 1 / (1 + exp(-b))
 *   column  j of the state S, one of value_dim, each by itself:
 *           dot = fma(k'[i], S[i][j], dot), i ascending from 0
 *           delta = fma(-decay, dot, v[j]) * beta
 *           S[i][j] = fma(k'[i], delta, S[i][j] * decay)
 *           out[j] = fma(q'[i], S[i][j], out[j]), i ascending from 0
 *
 * Columns are lanes. A few of them stay in the first cache for all tokens of a sequence, and the pass that
 * writes a token's state also takes the next token's `dot` from it: one read and one write of the state a
 * token. (The chunked form, arXiv:2406.06484, does more of it as matrix products, in another order for every
 * size of chunk.) */
#include "engine/kernels/exact/dot.h"
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/sigmoid.h"

enum { DELTA_VECTORS = 4, DELTA_COLUMNS = DELTA_VECTORS * LANES, DELTA_TOKENS = 32 };

/* What a token brings to one head. */
struct delta_token {
    const float *q, *k; /* normalised */
    const float *v;
    float *out;
    float decay, beta;
};

/* Some columns of one head's state, key_dim rows of them. */
struct delta_columns {
    float *at;
    size_t stride, key_dim;
};

static float inverse_length(const float *x, size_t n) { return 1 / sqrtf(dot_f32(x, x, n) + 1e-6F); }

static void scale_row(float *out, const float *x, float scale, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = x[i] * scale;
}

/* dot[v] = k' S */
VEC void columns_dot(vec_f32 *dot, const struct delta_columns *s, const float *k, int vectors) {
    VEC_UNROLL for (int v = 0; v < vectors; v++) dot[v] = (vec_f32){0};
    for (size_t i = 0; i < s->key_dim; i++)
        VEC_UNROLL for (int v = 0; v < vectors; v++) dot[v] =
            vec_fma(vec_splat(k[i]), vec_load(s->at + i * s->stride + v * LANES), dot[v]);
}

/* One token: delta from `dot`, the state's new values, its result; then `dot` is k'' S of the next token. */
VEC void columns_step(vec_f32 *dot, const struct delta_columns *s, const struct delta_token *t,
                      const float *next_k, const float *value, float *out, int vectors) {
    vec_f32 delta[DELTA_VECTORS], sum[DELTA_VECTORS], decay = vec_splat(t->decay);
    VEC_UNROLL for (int v = 0; v < vectors; v++) {
        delta[v] = vec_fma(-decay, dot[v], vec_load(value + v * LANES)) * vec_splat(t->beta);
        sum[v] = dot[v] = (vec_f32){0};
    }
    const float *k = t->k, *q = t->q; /* what a store cannot change */
    const size_t n = s->key_dim, stride = s->stride;
    float *at = s->at;
    for (size_t i = 0; i < n; i++, at += stride) {
        vec_f32 key = vec_splat(k[i]), query = vec_splat(q[i]), next = vec_splat(next_k[i]);
        VEC_UNROLL for (int v = 0; v < vectors; v++) {
            vec_f32 state = vec_fma(key, delta[v], vec_load(at + v * LANES) * decay);
            vec_store(at + v * LANES, state);
            sum[v] = vec_fma(query, state, sum[v]);
            dot[v] = vec_fma(next, state, dot[v]);
        }
    }
    VEC_UNROLL for (int v = 0; v < vectors; v++) vec_store(out + v * LANES, sum[v]);
}

/* `columns` columns from `first` on, vectors * LANES of which are worked on, for n tokens of one sequence. */
VEC void columns_run(const struct delta_columns *s, const struct delta_token *tokens, size_t n, size_t first,
                     size_t columns, int vectors) {
    vec_f32 dot[DELTA_VECTORS];
    float value[DELTA_COLUMNS] = {0}, out[DELTA_COLUMNS];
    columns_dot(dot, s, tokens[0].k, vectors);
    for (size_t i = 0; i < n; i++) {
        memcpy(value, tokens[i].v + first, columns * sizeof *value);
        columns_step(dot, s, &tokens[i], tokens[i + 1 < n ? i + 1 : i].k, value, out, vectors);
        memcpy(tokens[i].out + first, out, columns * sizeof *out);
    }
}

static __attribute__((noinline)) void run_wide(const struct delta_columns *s,
                                               const struct delta_token *tokens, size_t n, size_t first,
                                               size_t columns) {
    columns_run(s, tokens, n, first, columns, DELTA_VECTORS);
}

static void copy_columns(float *to, size_t to_stride, const float *from, size_t from_stride, size_t rows,
                         size_t columns) {
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * to_stride, from + i * from_stride, columns * sizeof *to);
}

/* The state where it lies, for one token; for more, or few columns, in `copy`, where lines do not collide. */
static void run_columns(const struct delta_net_task *t, float *state, const struct delta_token *tokens,
                        size_t n, float *copy) {
    size_t dim = t->value_dim;
    for (size_t first = 0; first < dim; first += DELTA_COLUMNS) {
        size_t columns = dim - first < DELTA_COLUMNS ? dim - first : DELTA_COLUMNS;
        struct delta_columns s = {state + first, dim, t->key_dim};
        bool moved = n > 1 || columns < DELTA_COLUMNS;
        if (moved) {
            copy_columns(copy, DELTA_COLUMNS, state + first, dim, t->key_dim, columns);
            s.at = copy, s.stride = DELTA_COLUMNS;
        }
        run_wide(&s, tokens, n, first, columns);
        if (moved) copy_columns(state + first, dim, copy, DELTA_COLUMNS, t->key_dim, columns);
    }
}

static float first_of(vec_f32 v) { return v[0]; }

/* Token i of the batch as head `head` sees it; q and k of it go to `room`, 2 key_dim floats. */
static struct delta_token see_token(const struct delta_net_task *t, size_t i, size_t head, float *room) {
    size_t n = t->key_dim, at = head / t->run * t->step + head % t->run;
    size_t key = (t->tiled ? head % t->n_key_heads : head / (t->n_heads / t->n_key_heads)) * n;
    const float *q = t->q.at + i * t->q.stride + key, *k = t->k.at + i * t->k.stride + key;
    float a = t->a.at[i * t->a.stride + at], b = t->b.at[i * t->b.stride + at];
    scale_row(room, q, inverse_length(q, n) / sqrtf((float)n), n);
    scale_row(room + n, k, inverse_length(k, n), n);
    vec_f32 rate = vec_softplus(vec_splat(a + t->dt_bias[head]));
    return (struct delta_token){.q = room,
                                .k = room + n,
                                .v = t->v.at + i * t->v.stride + head * t->value_dim,
                                .out = t->out.at + i * t->out.stride + head * t->value_dim,
                                .decay = first_of(vec_exp(vec_splat(t->decay[head]) * rate)),
                                .beta = first_of(vec_gated(vec_splat(1), vec_splat(-b)))};
}

/* Tokens from i on that go on with the sequence of i, at most DELTA_TOKENS. */
static size_t run_of(const struct tokens *tokens, size_t i, size_t n) {
    size_t end = i + 1;
    while (end < n && end - i < DELTA_TOKENS && tokens->sequences[end] == tokens->sequences[i] &&
           tokens->positions[end] != 0)
        end++;
    return end - i;
}

void EXACT(delta_net)(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct delta_net_task *t = &task->delta_net;
    size_t size = t->key_dim * t->value_dim;
    float *copy = scratch, *room = copy + DELTA_COLUMNS * t->key_dim;
    for (size_t head = begin; head < end; head++)
        for (size_t i = 0, n; i < task->n; i += n) {
            struct delta_token tokens[DELTA_TOKENS];
            float *state = state_of(&t->state, task->tokens, i) + head * size;
            n = run_of(task->tokens, i, task->n);
            if (task->tokens->positions[i] == 0) memset(state, 0, size * sizeof *state);
            for (size_t j = 0; j < n; j++) tokens[j] = see_token(t, i + j, head, room + j * 2 * t->key_dim);
            run_columns(t, state, tokens, n, copy);
        }
}
