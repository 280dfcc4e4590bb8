/* softmax(q k' scale) v over the positions up to the token's own, in two passes: the largest score, then
 * weights and sum. A position without a page is masked; where all are, the result is 0. */
#include "engine/kernels/kernel.h"

#include <math.h>

/* The score of one position, -infinity where it has no page. */
static double score(const struct attention_task *t, const struct tokens *tokens, size_t row, size_t kv_head,
                    const float *q, size_t position) {
    int32_t page = tokens_page(tokens, row, position);
    if (page < 0) return -(double)INFINITY;
    const float *keys = kv_keys(&t->kv, (size_t)page, kv_head) + position % KV_PAGE;
    double sum = 0;
    for (size_t d = 0; d < t->kv.head_dim; d++) sum += (double)q[d] * (double)keys[d * KV_PAGE];
    return sum * (double)t->scale;
}

static void attend(const struct attention_task *t, const struct tokens *tokens, size_t row, size_t kv_head,
                   const float *q, float *out, double *sums) {
    size_t n = (size_t)tokens->positions[row] + 1, dim = t->kv.head_dim;
    double largest = -(double)INFINITY, total = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, score(t, tokens, row, kv_head, q, j));
    for (size_t d = 0; d < dim; d++) sums[d] = 0;
    for (size_t j = 0; j < n; j++) {
        double s = score(t, tokens, row, kv_head, q, j);
        if (s == -(double)INFINITY) continue;
        double weight = exp(s - largest);
        size_t page = (size_t)tokens_page(tokens, row, j);
        const float *v = kv_values(&t->kv, page, kv_head) + j % KV_PAGE * dim;
        for (size_t d = 0; d < dim; d++) sums[d] += weight * (double)v[d];
        total += weight;
    }
    for (size_t d = 0; d < dim; d++) out[d] = total == 0 ? 0 : (float)(sums[d] / total);
}

void attention_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct attention_task *t = &task->attention;
    size_t group = t->n_heads / t->kv.n_kv_heads;
    for (size_t unit = begin; unit < end; unit++) {
        size_t row = unit / t->kv.n_kv_heads, kv_head = unit % t->kv.n_kv_heads;
        for (size_t head = kv_head * group; head < (kv_head + 1) * group; head++) {
            size_t at = head * t->kv.head_dim;
            attend(t, task->tokens, row, kv_head, t->q.at + row * t->q.stride + at,
                   t->out.at + row * t->out.stride + at, scratch);
        }
    }
}
