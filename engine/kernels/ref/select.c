/* The rows whose logits are asked for, moved together. */
#include "engine/kernels/kernel.h"

#include <string.h>

void select_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct select_task *t = &task->select;
    for (size_t i = begin; i < end; i++)
        memcpy(t->out.at + i * t->out.stride, t->in.at + task->tokens->wanted[i] * t->in.stride,
               t->out.width * sizeof *t->out.at);
}
