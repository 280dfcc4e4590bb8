/* softmax(q k' scale) v over the positions up to the token's own, or the last `window` of them. */
#include "engine/kernels/ref/attend.h"

void attention_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct attention_task *t = &task->attention;
    size_t group = t->n_heads / t->kv.n_kv_heads;
    for (size_t i = begin; i < end; i++) {
        struct attention_unit unit = attention_unit(task->n, t->rows_per_unit, i);
        for (size_t row = unit.begin; row < unit.end; row++) {
            size_t n = (size_t)task->tokens->positions[row] + 1;
            size_t first = t->window && n > t->window ? n - t->window : 0;
            for (size_t head = unit.kv_head * group; head < (unit.kv_head + 1) * group; head++)
                attend_run(&(struct attend){t, task->tokens, row, head, NULL, first, n - first}, scratch);
        }
    }
}
