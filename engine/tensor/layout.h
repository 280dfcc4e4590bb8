/* layout: weights that are not rows of blocks, one behind the other, of one tensor: what other formats than
 * GGUF hold, read where it lies.
 *
 * Owns:    nothing. A layout points into the mapped file and into the arena of the checkpoint.
 * Trusts:  who made it (engine/file): every range was checked against the file, every index against its
 * table. Threads: constant; any number of readers.
 *
 * A matrix [n_rows][n_cols] is described by a struct layout; layout_decode gives a row of it as exact f32.
 * Nothing is expanded in memory. Where a weight has a layout, its `type` names the family and `data` is not
 * to be used: kernels that know only rows of blocks must leave it to `ref`.
 */
#ifndef ENGINE_TENSOR_LAYOUT_H
#define ENGINE_TENSOR_LAYOUT_H

#include "engine/tensor/dtype.h"

enum layout_kind {
    LAYOUT_PLAIN, /* numbers, one by one: a part of a fused matrix, a transposed one, scaled FP8, unaligned */
};

/* One factor for each tile of n_rows by n_cols elements: FP8 with a scale for a tensor, a channel or a block.
 */
struct layout_tiles {
    const void *scales; /* [tiles of rows][per_row], NULL: none */
    enum dtype type;    /* F32, F16, BF16, E8M0 */
    size_t n_rows, n_cols, per_row;
};

struct layout {
    enum layout_kind kind;
    const void *data;
    size_t n_cols;
    /* Row r of the matrix is row first + r * step of what is stored, or rows[r] where there is a table. */
    size_t first, step;
    const uint32_t *rows;
    union {
        struct {
            enum dtype type;         /* one element a block */
            size_t stride;           /* elements from a stored row to the next */
            bool transposed;         /* the stored matrix is [columns][rows]: x * W instead of W * x */
            size_t column;           /* where column 0 is, in the stored matrix */
            const uint32_t *columns; /* which stored column is column c; NULL: column + c */
            struct layout_tiles tiles;
        } plain;
    };
};

/* out[n_cols] = the exact values of row `row`. */
void layout_decode(float *out, const struct layout *layout, size_t row);

#endif
