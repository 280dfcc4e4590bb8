/* attend: one query head over some positions in double, for the two attention kernels of lane ref.
 *
 * Owns nothing; `sums` is the caller's, value_dim of them and room for one key or value. Trusts the task. Any
 * thread.
 *
 * Two passes, the textbook's: the largest score, then weights and sum. A position without a page is masked;
 * where all are, the result is 0.
 */
#ifndef ENGINE_KERNELS_REF_ATTEND_H
#define ENGINE_KERNELS_REF_ATTEND_H

#include "engine/kernels/kernel.h"

#include <math.h>

/* Query head `head` of row `row`, and the positions it looks at: those of `chosen`, or [first, end). */
struct attend {
    const struct attention_task *task;
    const struct tokens *tokens;
    size_t row, head;
    const float *chosen; /* ascending, n of them; NULL: none but first and n count */
    size_t first, n;
};

static inline size_t attend_position(const struct attend *a, size_t i) {
    return a->chosen ? (size_t)a->chosen[i] : a->first + i;
}

/* The score of one position, -infinity where it has no page. */
static inline double attend_score(const struct attend *a, size_t position, double *key) {
    const struct attention_task *t = a->task;
    int32_t page = tokens_page(a->tokens, a->row, position);
    if (page < 0) return -(double)INFINITY;
    const float *q = t->q.at + a->row * t->q.stride + a->head * t->kv.key_dim;
    const void *keys = kv_keys(&t->kv, (size_t)page, a->head / (t->n_heads / t->kv.n_kv_heads));
    double sum = 0, cap = (double)t->cap;
    kv_get_key(key, t->kv.type, keys, position % KV_PAGE, t->kv.key_dim);
    for (size_t d = 0; d < t->kv.key_dim; d++) sum += (double)q[d] * key[d];
    sum *= (double)t->scale;
    return cap > 0 ? cap * tanh(sum / cap) : sum;
}

static inline void attend_run(const struct attend *a, double *sums) {
    const struct attention_task *t = a->task;
    size_t dim = t->kv.value_dim, kv_head = a->head / (t->n_heads / t->kv.n_kv_heads);
    double *one = sums + dim; /* a key or a value */
    double sink = t->sinks ? (double)t->sinks[a->head] : -(double)INFINITY, largest = sink;
    for (size_t i = 0; i < a->n; i++) largest = fmax(largest, attend_score(a, attend_position(a, i), one));
    double total = t->sinks ? exp(sink - largest) : 0;
    for (size_t d = 0; d < dim; d++) sums[d] = 0;
    for (size_t i = 0; i < a->n; i++) {
        size_t position = attend_position(a, i);
        double score = attend_score(a, position, one);
        if (score == -(double)INFINITY) continue;
        double weight = exp(score - largest);
        size_t page = (size_t)tokens_page(a->tokens, a->row, position);
        kv_get_value(one, t->kv.type, kv_values(&t->kv, page, kv_head), position % KV_PAGE, dim);
        for (size_t d = 0; d < dim; d++) sums[d] += weight * one[d];
        total += weight;
    }
    float *out = t->out.at + a->row * t->out.stride + a->head * dim;
    for (size_t d = 0; d < dim; d++) out[d] = total == 0 ? 0 : (float)(sums[d] / total);
}

#endif
