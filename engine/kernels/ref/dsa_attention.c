/* Attention over the positions that dsa_select chose (DeepSeek-V3.2, arXiv:2512.02556). In ascending order,
 * so that all of them chosen give the bits of dense attention. */
#include "engine/kernels/ref/attend.h"

static size_t count(const float *chosen, size_t n) {
    size_t i = 0;
    while (i < n && chosen[i] >= 0) i++;
    return i;
}

void dsa_attention_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct attention_task *t = &task->attention;
    size_t group = t->n_heads / t->kv.n_kv_heads;
    for (size_t i = begin; i < end; i++) {
        struct attention_unit unit = attention_unit(task->n, t->rows_per_unit, i);
        for (size_t row = unit.begin; row < unit.end; row++) {
            const float *chosen = t->chosen.at + row * t->chosen.stride;
            size_t n = count(chosen, t->chosen.width);
            for (size_t head = unit.kv_head * group; head < (unit.kv_head + 1) * group; head++)
                attend_run(&(struct attend){t, task->tokens, row, head, chosen, 0, n}, scratch);
        }
    }
}
