/* The values of table rows, exactly, times a constant. */
#include "engine/kernels/kernel.h"

void embed_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct embed_task *t = &task->embed;
    size_t row_bytes = t->layout ? 0 : dtype_row_bytes(t->type, t->out.width);
    for (size_t i = begin; i < end; i++) {
        size_t row = (size_t)task->tokens->ids[i];
        float *out = t->out.at + i * t->out.stride;
        if (t->layout) layout_decode(out, t->layout, row);
        else dtype_decode(out, t->type, (const char *)t->table + row * row_bytes, t->out.width);
        for (size_t j = 0; t->scale != 1 && j < t->out.width; j++) out[j] *= t->scale;
    }
}
