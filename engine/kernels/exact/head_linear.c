/* Each head's part of a row times that head's matrix (matrices.h). */
#include "engine/kernels/exact/matrices.h"

static void run_head(const struct head_linear_task *t, size_t n, size_t head, size_t first, size_t end,
                     char *scratch) {
    const size_t in = t->in.width / t->n_heads, out = t->out.width / t->n_heads;
    const struct quantized none = {.bits = t->bits};
    struct matrices_rows rows;
    for (size_t i = 0; i < n; i += rows.n) {
        for (rows.n = 0; rows.n < MATRICES_ROWS && i + rows.n < n; rows.n++) {
            rows.in[rows.n] = t->in.at + (i + rows.n) * t->in.stride + head * in;
            rows.out[rows.n] = t->out.at + (i + rows.n) * t->out.stride + head * out;
        }
        EXACT(matrices)(&t->weights, head, first, end, &rows, &none, NULL, scratch);
    }
}

void EXACT(head_linear)(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct head_linear_task *t = &task->head_linear;
    const size_t panels = (t->weights.n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    for (size_t unit = begin, next; unit < end; unit = next) {
        size_t head = unit / panels, first = unit % panels;
        next = (head + 1) * panels < end ? (head + 1) * panels : end;
        run_head(t, task->n, head, first, first + (next - unit), scratch);
    }
}
