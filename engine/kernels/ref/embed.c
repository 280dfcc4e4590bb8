/* The values of table rows, exactly (dtype_decode). */
#include "engine/kernels/kernel.h"

void embed_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct embed_task *t = &task->embed;
    size_t row_bytes = dtype_row_bytes(t->type, t->out.width);
    for (size_t i = begin; i < end; i++) {
        const char *row = (const char *)t->table + (size_t)task->tokens->ids[i] * row_bytes;
        dtype_decode(t->out.at + i * t->out.stride, t->type, row, t->out.width);
    }
}
