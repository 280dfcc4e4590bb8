/* The lightning indexer (DeepSeek-V3.2, arXiv:2512.02556): a position's score is the sum over the indexer's
 * heads of weight * relu(q k); the best positions up to the token's own are kept, the lowest on ties.
 *
 * A heap finds the worst that is kept; then everything at least as good is written in ascending order. */
#include "engine/kernels/kernel.h"

#include <math.h>

struct best {
    double score;
    size_t position;
};

static double score(const struct dsa_select_task *t, const struct tokens *tokens, size_t row, size_t position,
                    double *key) {
    int32_t page = tokens_page(tokens, row, position);
    if (page < 0) return -(double)INFINITY;
    kv_get_key(key, t->kv.type, kv_keys(&t->kv, (size_t)page, 0), position % KV_PAGE, t->kv.key_dim);
    const float *q = t->q.at + row * t->q.stride, *weights = t->weights.at + row * t->weights.stride;
    double sum = 0;
    for (size_t h = 0; h < t->n_heads; h++, q += t->kv.key_dim) {
        double dot = 0;
        for (size_t d = 0; d < t->kv.key_dim; d++) dot += (double)q[d] * key[d];
        sum += (double)weights[h] * fmax(dot, 0);
    }
    return sum * (double)t->scale;
}

static bool better(struct best a, struct best b) {
    return a.score > b.score || (a.score == b.score && a.position < b.position);
}

/* heap[0] is the worst: lets it sink to where its children are no worse. */
static void sift(struct best *heap, size_t n) {
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && better(heap[child], heap[child + 1])) child++;
        if (!better(heap[at], heap[child])) return;
        struct best moved = heap[at];
        heap[at] = heap[child], heap[child] = moved;
    }
}

/* One more, from below. */
static void push(struct best *heap, size_t n, struct best one) {
    size_t at = n;
    for (; at > 0 && better(heap[(at - 1) / 2], one); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = one;
}

static void choose(const struct dsa_select_task *t, const struct tokens *tokens, size_t row,
                   struct best *heap, double *key) {
    size_t n = (size_t)tokens->positions[row] + 1, most = t->out.width, kept = 0, written = 0;
    float *out = t->out.at + row * t->out.stride;
    for (size_t j = 0; j < n; j++) {
        struct best one = {score(t, tokens, row, j, key), j};
        if (kept < most) push(heap, kept++, one);
        else if (better(one, heap[0])) heap[0] = one, sift(heap, kept);
    }
    for (size_t j = 0; j < n && written < kept; j++)
        if (!better(heap[0], (struct best){score(t, tokens, row, j, key), j})) out[written++] = (float)j;
    while (written < most) out[written++] = -1;
}

void dsa_select_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct dsa_select_task *t = &task->dsa_select;
    double *key = (double *)scratch;
    struct best *heap = (struct best *)(void *)(key + t->kv.key_dim);
    for (size_t i = begin; i < end; i++) choose(t, task->tokens, i, heap, key);
}
