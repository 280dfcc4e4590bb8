/* out = in * weights', for every weight type that dtype decodes and every layout. */
#include "engine/kernels/kernel.h"

static double dot(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

void linear_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct linear_task *t = &task->linear;
    size_t row_bytes = t->layout ? 0 : dtype_row_bytes(t->type, t->n_cols);
    float *weights = scratch;
    for (size_t row = begin * LINEAR_ROWS; row < end * LINEAR_ROWS && row < t->n_rows; row++) {
        if (t->layout) layout_decode(weights, t->layout, row);
        else dtype_decode(weights, t->type, (const char *)t->weights + row * row_bytes, t->n_cols);
        for (size_t i = 0; i < task->n; i++)
            t->out.at[i * t->out.stride + row] = (float)dot(t->in.at + i * t->in.stride, weights, t->n_cols);
    }
}
