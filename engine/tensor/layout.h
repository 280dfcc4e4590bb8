/* layout: weights that are not rows of blocks, one behind the other, of one tensor: what other formats than
 * GGUF hold, read where it lies.
 *
 * Owns:    nothing. A layout points into the mapped file and into the arena of the checkpoint.
 * Trusts:  who made it (engine/file): every range was checked against the file, every index against its
 *          table. Nothing is aligned.
 * Threads: constant; any number of readers.
 *
 * A matrix [n_rows][n_cols] is described by a struct layout; layout_decode gives a row of it as exact f32.
 * Nothing is expanded in memory. Where a weight has a layout, its `type` names the family and `data` is not
 * to be used: kernels that know only rows of blocks must leave it to `ref`. The byte rules are those of the
 * projects that write the formats, and their own decoders' values are the tests (tests/golden/quant).
 */
#ifndef ENGINE_TENSOR_LAYOUT_H
#define ENGINE_TENSOR_LAYOUT_H

#include "engine/tensor/dtype.h"

enum layout_kind {
#define LAYOUT(kind, decoder) LAYOUT_##kind,
#include "engine/tensor/layouts.inc"
#undef LAYOUT
};

/* One factor for each tile of n_rows by n_cols elements: FP8 with a scale for a tensor, a channel or a block.
 */
struct layout_tiles {
    const void *scales; /* [tiles of rows][per_row], NULL: none */
    enum dtype type;    /* F32, F16, BF16, F8_E8M0 */
    size_t n_rows, n_cols, per_row;
};

/* Numbers, one by one: a part of a fused matrix, a transposed one, scaled FP8, unaligned ones. */
struct layout_plain {
    enum dtype type;         /* one element a block */
    size_t stride;           /* elements from a stored row to the next */
    bool transposed;         /* the stored matrix is [columns][rows]: x * W instead of W * x */
    size_t column;           /* where column 0 is, in the stored matrix */
    const uint32_t *columns; /* which stored column is column c; NULL: column + c */
    struct layout_tiles tiles;
};

/* scale * (code - zero point), both of a group of columns. */
struct layout_groups {
    unsigned bits;
    size_t width;      /* outputs as stored: rows of the matrix, what scales are wide */
    size_t group;      /* columns of a group, the last may be shorter */
    const void *map;   /* int32 [n_cols] which group column c is of; NULL: c / group */
    const void *zeros; /* NULL: 2^(bits - 1) */
    const void *scales;
    enum dtype scale_type; /* F16, BF16, F32 */
};

/* GPTQ: int32 [ceil(n_cols * bits / 32)][width], codes from the lowest bit on down each column; zeros
 * [groups][ceil(width * bits / 32)], codes along each row; scales [groups][width]. */
struct layout_gptq {
    struct layout_groups groups;
    bool zeros_minus_one; /* version 1 stores z - 1 */
};

/* EXL2: runs of stored rows of one width of code and one group of scales. */
struct layout_exl2_run {
    uint32_t bits, first_word; /* row of q_weight */
    uint32_t n;                /* stored rows */
};
struct layout_exl2 {
    size_t width;          /* outputs, padded to 32 */
    const void *scales;    /* int32 [groups][width / 8], a nibble less one */
    const void *scale_max; /* f16 [groups] */
    const struct layout_exl2_run *runs;
    size_t n_runs;
    const uint32_t *columns; /* [n_cols] which column stored row k is */
};

/* gpt-oss: scales uint8 [rows][n_cols / 32]; codes uint8 [rows][n_cols / 2], the low nibble first. */
struct layout_mxfp4 {
    const uint8_t *scales;
};

struct layout {
    enum layout_kind kind;
    const void *data; /* numbers or codes */
    size_t n_cols;
    /* Row r of the matrix is row first + r * step of what is stored, or rows[r] where there is a table. */
    size_t first, step;
    const uint32_t *rows;
    union {
        struct layout_plain plain;
        struct layout_gptq gptq;
        struct layout_groups awq; /* int32 [n_cols][width / 8], zeros [groups][width / 8], in AWQ's order */
        struct layout_groups packed; /* int32 [width][ceil(n_cols * bits / 32)], scales [width][groups],
                                        zeros [ceil(width * bits / 32)][groups]: compressed-tensors */
        struct layout_exl2 exl2;
        struct layout_mxfp4 mxfp4;
    };
};

/* out[n_cols] = the exact values of row `row`. */
void layout_decode(float *out, const struct layout *layout, size_t row);

/* True where rows of the layout are rows of a type, but for their place: numbers without scales, MXFP4. Then
 * layout_copy writes row `row` as dtype_decode would read it. */
bool layout_is_rows(const struct layout *layout, enum dtype *type);
void layout_copy(void *out, const struct layout *layout, size_t row);

/* Bytes from `data` on that a matrix is in, and perhaps others too. */
size_t layout_bytes(const struct layout *layout, size_t n_rows);

/* --- a matrix of codes taken apart, for those who lay it out anew: GPTQ, AWQ, PACKED, EXL2 ----------------
 */

/* What a group of columns has in one row: scale * (code - zero). */
struct layout_factor {
    float scale;
    int zero;
};

/* The row of what is stored that row `row` is. */
static inline size_t layout_stored(const struct layout *layout, size_t row) {
    return layout->rows ? layout->rows[row] : layout->first + row * layout->step;
}

/* Where a code stands: a column and its group; for EXL2 a run, and the column as stored within it. */
struct layout_place {
    size_t group, column;
};

/* codes[i] = the code at `place` in stored row stored[i]. */
void layout_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                  struct layout_place place);
struct layout_factor layout_factor_of(const struct layout *layout, size_t stored, size_t group);

/* The same of a stored row, one for each kind. */
#define LAYOUT(kind, decoder) void layout_##decoder(float *out, const struct layout *layout, size_t stored);
#include "engine/tensor/layouts.inc"
#undef LAYOUT

/* --- for the decoders ---------------------------------------------------------------------------------- */

uint32_t layout_word(const void *words, size_t i);                   /* uint32 number i, unaligned */
float layout_number(const void *numbers, enum dtype type, size_t i); /* number i, as f32 */

/* The code of `bits` bits at place i of a stream that goes on every `stride` words. */
uint32_t layout_code(const void *words, size_t stride, size_t i, unsigned bits);

void layout_gptq_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                       struct layout_place place);
void layout_awq_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                      struct layout_place place);
void layout_packed_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                         struct layout_place place);
void layout_exl2_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                       struct layout_place place);
struct layout_factor layout_gptq_factor(const struct layout *layout, size_t stored, size_t group);
struct layout_factor layout_awq_factor(const struct layout *layout, size_t stored, size_t group);
struct layout_factor layout_packed_factor(const struct layout *layout, size_t stored, size_t group);
struct layout_factor layout_exl2_factor(const struct layout *layout, size_t stored, size_t group);

void layout_plain_copy(void *out, const struct layout *layout, size_t stored);
void layout_mxfp4_copy(void *out, const struct layout *layout, size_t stored);

/* A row of equal codes in groups of columns, by the two functions of its kind. */
void layout_grouped(float *out, const struct layout *layout, const struct layout_groups *groups,
                    size_t stored);

static inline size_t layout_group(const struct layout_groups *g, size_t column) {
    return g->map ? layout_word(g->map, column) : column / g->group;
}

#endif
