/* Each head's part of a row times that head's matrix: what takes MLA's queries into the latent space and its
 * results out of it (DeepSeek-V2, arXiv:2405.04434, section 2.1.2: the absorbed form). */
#include "engine/kernels/ref/matrices.h"

void head_linear_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct head_linear_task *t = &task->head_linear;
    size_t n_rows = t->weights.n_rows, n_cols = t->weights.n_cols;
    size_t panels = (n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    size_t in = t->in.width / t->n_heads, out = t->out.width / t->n_heads;
    float *weights = scratch;
    for (size_t unit = begin; unit < end; unit++) {
        size_t head = unit / panels, first = unit % panels * LINEAR_ROWS;
        for (size_t row = first; row < first + LINEAR_ROWS && row < n_rows; row++) {
            matrices_row(weights, &t->weights, head, row);
            for (size_t i = 0; i < task->n; i++)
                t->out.at[i * t->out.stride + head * out + row] =
                    (float)matrices_dot(t->in.at + i * t->in.stride + head * in, weights, n_cols);
        }
    }
}
