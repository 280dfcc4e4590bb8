/* matrices: one of several matrices times some rows, by the kernel that `linear` has for its type. What
 * experts and the heads of latent attention are made of.
 *
 * Owns:    nothing; works in the thread's scratch, behind what `linear` needs of it.
 * Trusts:  the task. Threads: any.
 *
 * Rows that do not stand together are brought together first, quantised as they are. Where nobody has
 * quantised them, because a matrix has its columns in an order of its own, that is done here. A row's results
 * are those of `linear` for the row alone, whatever its neighbours.
 */
#ifndef ENGINE_KERNELS_EXACT_MATRICES_H
#define ENGINE_KERNELS_EXACT_MATRICES_H

#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/slab.h"

enum {
    MATRICES_ROWS = 128, /* at once: a matrix is unpacked anew for each so many */
    MATRICES_PANELS = 8, /* at once, so that results are still near when they are put where they belong */
};

struct matrices_rows {
    size_t n;
    const float *in[MATRICES_ROWS];
    float *out[MATRICES_ROWS];         /* n_rows results each */
    uint32_t quantized[MATRICES_ROWS]; /* which rows of the quantised input they are */
};

/* Bytes that linear's kernels need of the scratch, for rows of `width`; and those that `matrices` needs. */
static inline size_t matrices_offset(size_t width) {
    size_t direct = 16 * width + 64;
    return (direct > sizeof(struct slabs) ? direct : sizeof(struct slabs)) / 64 * 64 + 64;
}

static inline size_t matrices_scratch(size_t width) {
    size_t numbers = width + 4 * (width / QUANT_BLOCK + 1) + MATRICES_PANELS * LINEAR_ROWS;
    return matrices_offset(width) + MATRICES_ROWS * numbers * sizeof(float) + 1024;
}

/* Panels [first, end) of matrix `matrix` times the rows. `x` is the rows' input, quantised, in rows of
 * n_cols; its q is NULL when nobody has, and then bits says how. bias may be NULL. */
void EXACT(matrices)(const struct matrices *m, size_t matrix, size_t first, size_t end,
                     const struct matrices_rows *rows, const struct quantized *x, const float *bias,
                     char *scratch);

#endif
