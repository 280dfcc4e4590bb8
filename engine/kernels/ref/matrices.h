/* matrices: rows of matrices and products with them, for lane ref. Owns nothing, trusts the task, any thread.
 */
#ifndef ENGINE_KERNELS_REF_MATRICES_H
#define ENGINE_KERNELS_REF_MATRICES_H

#include "engine/kernels/kernel.h"

/* out[n_cols] = row `row` of matrix e, exactly. */
static inline void matrices_row(float *out, const struct matrices *m, size_t e, size_t row) {
    if (m->layout) {
        layout_decode(out, &m->layout[e], row);
        return;
    }
    size_t row_bytes = dtype_row_bytes(m->type, m->n_cols);
    const char *at = m->slices ? m->slices[e] : (const char *)m->data + e * m->n_rows * row_bytes;
    dtype_decode(out, m->type, at + row * row_bytes, m->n_cols);
}

static inline double matrices_dot(const float *a, const float *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

#endif
