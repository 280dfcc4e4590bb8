/* Rotary position embedding (Su et al., arXiv:2104.09864). */
#include "engine/kernels/exact/exact.h"

static void rotate_pairs(float *x, size_t n, const float *cos, const float *sin) {
    for (size_t i = 0; i < n; i++) {
        float a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = a * cos[i] - b * sin[i];
        x[2 * i + 1] = a * sin[i] + b * cos[i];
    }
}

static void rotate_halves(float *x, size_t n, const float *cos, const float *sin) {
    for (size_t i = 0; i < n; i++) {
        float a = x[i], b = x[i + n];
        x[i] = a * cos[i] - b * sin[i];
        x[i + n] = a * sin[i] + b * cos[i];
    }
}

static void rotate_row(const struct rows *rows, size_t i, const struct rope_task *t, size_t position) {
    size_t n = t->dims / 2;
    float *row = rows->at + i * rows->stride;
    for (size_t h = 0; h < rows->width; h += t->head_dim)
        (t->halves ? rotate_halves : rotate_pairs)(row + h, n, t->cos + position * n, t->sin + position * n);
}

void EXACT(rope)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rope_task *t = &task->rope;
    for (size_t i = begin; i < end; i++) {
        rotate_row(&t->q, i, t, (size_t)task->tokens->positions[i]);
        rotate_row(&t->k, i, t, (size_t)task->tokens->positions[i]);
    }
}
