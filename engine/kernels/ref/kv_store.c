/* Keys and values of the batch into the pages of their sequences (kv.h has the layout and the rounding). */
#include "engine/kernels/kernel.h"

static void store(const struct kv_store_task *t, size_t page, size_t slot, const float *k, const float *v) {
    const struct kv *kv = &t->kv;
    for (size_t head = 0; head < kv->n_kv_heads; head++) {
        kv_put_key(kv->type, kv_keys(kv, page, head), slot, k, kv->key_dim);
        if (kv->value_dim) kv_put_value(kv->type, kv_values(kv, page, head), slot, v, kv->value_dim);
        k += t->k.width / kv->n_kv_heads;
        v += t->v.width / kv->n_kv_heads;
    }
}

void kv_store_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct kv_store_task *t = &task->kv_store;
    const struct tokens *tokens = task->tokens;
    for (size_t i = begin; i < end; i++) {
        size_t position = (size_t)tokens->positions[i];
        int32_t page = tokens_page(tokens, i, position);
        store(t, (size_t)page, position % KV_PAGE, t->k.at + i * t->k.stride, t->v.at + i * t->v.stride);
    }
}
