/* Rotary position embedding (Su et al., arXiv:2104.09864): each pair turns by position * frequency. */
#include "engine/kernels/kernel.h"

static void rotate_head(float *x, const struct rope_task *t, const float *cos, const float *sin) {
    for (size_t i = 0; i < t->dims / 2; i++) {
        float *a = x + (t->halves ? i : 2 * i);
        float *b = x + (t->halves ? i + t->dims / 2 : 2 * i + 1);
        double c = (double)cos[i], s = (double)sin[i], a0 = (double)*a, b0 = (double)*b;
        *a = (float)(a0 * c - b0 * s);
        *b = (float)(a0 * s + b0 * c);
    }
}

void rope_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rope_task *t = &task->rope;
    for (size_t i = begin; i < end; i++) {
        size_t at = (size_t)task->tokens->positions[i] * (t->dims / 2);
        float *q = t->q.at + i * t->q.stride, *k = t->k.at + i * t->k.stride;
        for (size_t h = 0; h < t->q.width; h += t->head_dim) rotate_head(q + h, t, t->cos + at, t->sin + at);
        for (size_t h = 0; h < t->k.width; h += t->head_dim) rotate_head(k + h, t, t->cos + at, t->sin + at);
    }
}
