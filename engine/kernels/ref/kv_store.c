/* Keys and values of the batch into the pages of their sequences (kv.h has the layout). */
#include "engine/kernels/kernel.h"

#include <string.h>

static void store(const struct kv *kv, size_t page, size_t slot, const float *k, const float *v) {
    size_t dim = kv->head_dim;
    for (size_t head = 0; head < kv->n_kv_heads; head++, k += dim, v += dim) {
        float *keys = kv_keys(kv, page, head);
        for (size_t d = 0; d < dim; d++) keys[d * KV_PAGE + slot] = k[d];
        memcpy(kv_values(kv, page, head) + slot * dim, v, dim * sizeof *v);
    }
}

void kv_store_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct kv_store_task *t = &task->kv_store;
    const struct tokens *tokens = task->tokens;
    for (size_t i = begin; i < end; i++) {
        size_t position = (size_t)tokens->positions[i];
        int32_t page = tokens_page(tokens, i, position);
        store(&t->kv, (size_t)page, position % KV_PAGE, t->k.at + i * t->k.stride, t->v.at + i * t->v.stride);
    }
}
