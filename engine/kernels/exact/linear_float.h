/* linear_float: weights in F32 or F16, as they lie in the file, times f32 activations (exact.h has the
 * order). Columns are lanes, so a row needs no re-laying, and one sum across lanes at its end. Owns nothing;
 * any thread.
 *
 * One micro-kernel: 4 rows times C tokens, because one chain of additions would wait on its own latency.
 */
#ifndef ENGINE_KERNELS_EXACT_LINEAR_FLOAT_H
#define ENGINE_KERNELS_EXACT_LINEAR_FLOAT_H

#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/vec.h"

enum { FLOAT_ROWS = 4, FLOAT_TOKENS = 2 };

/* `n` columns of a row from `column` on, as lanes; the rest 0. */
VEC vec_f32 float_weights(const char *row, enum dtype type, size_t column, size_t n) {
    if (type == DTYPE_F32) {
        const float *at = (const float *)(const void *)row + column;
        return vec_load_some(at, n);
    }
    uint16_t halves[LANES] = {0};
    if (n >= LANES) return vec_load_halves(row + column * sizeof *halves);
    memcpy(halves, row + column * sizeof *halves, n * sizeof *halves);
    return vec_load_halves(halves);
}

VEC void float_columns(vec_f32 *acc, const struct linear_task *t, const char *weights, size_t row_bytes,
                       const float *x, size_t column, size_t n, size_t part, int n_rows, int n_tokens) {
    vec_f32 w[FLOAT_ROWS];
    VEC_UNROLL for (int r = 0; r < n_rows; r++) w[r] =
        float_weights(weights + (size_t)r * row_bytes, t->type, column, n);
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
        const float *at = x + (size_t)c * t->in.stride + column;
        vec_f32 in = vec_load_some(at, n);
        VEC_UNROLL for (int r = 0; r < n_rows; r++) {
            vec_f32 *sum = &acc[((size_t)(c * n_rows + r)) * PARTS + part];
            *sum = vec_fma(w[r], in, *sum);
        }
    }
}

VEC void float_tile(const struct linear_task *t, size_t row, size_t token, int n_rows, int n_tokens) {
    size_t row_bytes = t->n_cols * (t->type == DTYPE_F32 ? 4 : 2), whole = t->n_cols - t->n_cols % 16;
    const char *weights = (const char *)t->weights + row * row_bytes;
    const float *x = t->in.at + token * t->in.stride;
    vec_f32 acc[FLOAT_ROWS * FLOAT_TOKENS * PARTS];
    VEC_UNROLL for (int i = 0; i < n_rows * n_tokens * PARTS; i++) acc[i] = (vec_f32){0};
    for (size_t column = 0; column < whole; column += 16)
        VEC_UNROLL for (size_t part = 0; part < PARTS; part++) float_columns(
            acc, t, weights, row_bytes, x, column + part * LANES, LANES, part, n_rows, n_tokens);
    VEC_UNROLL for (size_t part = 0; part < PARTS; part++) {
        size_t column = whole + part * LANES, left = column < t->n_cols ? t->n_cols - column : 0;
        float_columns(acc, t, weights, row_bytes, x, left ? column : 0, left < LANES ? left : LANES, part,
                      n_rows, n_tokens);
    }
    for (int c = 0; c < n_tokens; c++)
        for (int r = 0; r < n_rows; r++) {
            float lanes[16];
            memcpy(lanes, acc + (c * n_rows + r) * PARTS, sizeof lanes);
            t->out.at[(token + (size_t)c) * t->out.stride + row + (size_t)r] = lanes_sum(lanes);
        }
}

VEC void float_rows(const struct linear_task *t, size_t n, size_t row, int n_rows) {
    size_t i = 0;
    for (; i + FLOAT_TOKENS <= n; i += FLOAT_TOKENS) float_tile(t, row, i, n_rows, FLOAT_TOKENS);
    for (; i < n; i++) float_tile(t, row, i, n_rows, 1);
}

/* The whole kernel, for one constant type. */
VEC void linear_float(const struct task *task, size_t begin, size_t end, enum dtype type) {
    struct linear_task t = task->linear;
    t.type = type;
    size_t row = begin * LINEAR_ROWS, last = end * LINEAR_ROWS < t.n_rows ? end * LINEAR_ROWS : t.n_rows;
    for (; row + FLOAT_ROWS <= last; row += FLOAT_ROWS) float_rows(&t, task->n, row, FLOAT_ROWS);
    for (; row < last; row++) float_rows(&t, task->n, row, 1);
}

#endif
