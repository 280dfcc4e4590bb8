/* Products of the chosen experts, grouped by expert: each matrix row is decoded once, for all tokens of the
 * batch that chose its expert. */
#include "engine/kernels/ref/matrices.h"

static bool is_chosen(const struct experts_task *t, size_t n, float expert) {
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < t->ids.width; s++)
            if (t->ids.at[i * t->ids.stride + s] == expert) return true;
    return false;
}

/* One row of one expert, for every token and slot that chose it. */
static void run_row(const struct experts_task *t, size_t n, size_t expert, size_t row, const float *weights) {
    size_t n_rows = t->weights.n_rows, n_cols = t->weights.n_cols;
    size_t step = t->in.width == n_cols ? 0 : n_cols; /* one input for all slots, or one for each */
    double bias = t->bias ? (double)t->bias[expert * n_rows + row] : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < t->ids.width; s++) {
            if (t->ids.at[i * t->ids.stride + s] != (float)expert) continue;
            const float *in = t->in.at + i * t->in.stride + s * step;
            t->out.at[i * t->out.stride + s * n_rows + row] =
                (float)(matrices_dot(in, weights, n_cols) + bias);
        }
}

void experts_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct experts_task *t = &task->experts;
    size_t panels = (t->weights.n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    for (size_t unit = begin; unit < end; unit++) {
        size_t expert = unit / panels, first = unit % panels * LINEAR_ROWS;
        if (!is_chosen(t, task->n, (float)expert)) continue;
        for (size_t row = first; row < first + LINEAR_ROWS && row < t->weights.n_rows; row++) {
            matrices_row(scratch, &t->weights, expert, row);
            run_row(t, task->n, expert, row, scratch);
        }
    }
}
