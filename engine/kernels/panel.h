/* panel: quantised weights re-laid so that 16 rows fill the lanes of a vector.
 *
 * Owns:    nothing; the caller allocates panel_bytes, aligned to 64.
 * Trusts:  the caller for lengths. Rows past the last are packed as zeros.
 * Threads: any number at once, on different panels.
 *
 * A panel is LINEAR_ROWS rows of a weight, read from its first byte to its last: groups of `subs` blocks of
 * 32 columns, each group a header and then `lines` lines of 64 bytes for each block; the last group may be
 * short. Bytes 4r to 4r + 3 of a line belong to row r. They hold a quad, four neighbouring columns as
 * unsigned codes in the order 0, 2, 1, 3: so vpdpbusd takes a whole quad, and the low and the high bytes of
 * its two words are the pairs (0, 1) and (2, 3) that pmaddwd and vpdpwssd take. A weight is
 * d * (code - offset) plus a minimum (m, which is negative or none).
 *
 *   Q8_0         8 lines, line l has quad l; offset 128. Header: the d (f16) of 16 rows of the first block,
 *                then of the second
 *   Q4_0, Q4_1   4 lines, line l has quad 2l in its low nibbles and 2l + 1 in its high; offset 8 and 0.
 *                Headers: as Q8_0; the d, then the m of the one block
 *   K-quants     super-blocks of 256 columns: kpanel.h
 *   F32, F16, BF16   fpanel.h
 *   the others   cpanel.h
 *
 * The idea of interleaving rows is llama.cpp's (ggml-cpu/repack.cpp) and ik_llama.cpp's (_R4, _R8, _R16),
 * that of quads for vpdpbusd oneDNN's and XNNPACK's (packed "c4" weights).
 */
#ifndef ENGINE_KERNELS_PANEL_H
#define ENGINE_KERNELS_PANEL_H

#include "engine/tensor/dtype.h"

#include <stddef.h>
#include <stdint.h>

enum { PANEL_LINE = 64 };

/* How a panel's bytes are to be read. */
enum panel_form {
    PANEL_NONE,
    PANEL_Q8_0,
    PANEL_Q4_0,
    PANEL_Q4_1,
    PANEL_Q4_K,
    PANEL_Q5_K,
    PANEL_Q6_K,
    /* cpanel.h */
    PANEL_Q5_0,
    PANEL_Q5_1,
    PANEL_IQ4_NL,
    PANEL_MXFP4,
    PANEL_IQ4_XS,
    PANEL_Q3_K,
    PANEL_Q2_K,
    PANEL_CODES2, /* with a scale for any number of blocks: struct cpanel says the rest */
    PANEL_CODES3,
    PANEL_CODES4,
    PANEL_CODES5,
    PANEL_CODES6,
    PANEL_CODES8,
};

struct panel_shape {
    size_t subs;                /* blocks of a group */
    size_t header_bytes;        /* of a group */
    size_t lines;               /* of a block */
    const struct cpanel *codes; /* of codes with scales of their own: what their header is like */
};

static inline struct panel_shape panel_shape(enum panel_form form) {
    switch (form) {
    case PANEL_Q8_0: return (struct panel_shape){2, 64, 8, NULL};
    case PANEL_Q4_0: return (struct panel_shape){2, 64, 4, NULL};
    case PANEL_Q4_1: return (struct panel_shape){1, 64, 4, NULL};
    case PANEL_Q4_K: return (struct panel_shape){8, 5 * 64, 4, NULL};
    case PANEL_Q5_K: return (struct panel_shape){8, 5 * 64, 5, NULL};
    case PANEL_Q6_K: return (struct panel_shape){8, 5 * 64, 6, NULL};
    case PANEL_Q5_0: return (struct panel_shape){2, 64, 5, NULL};
    case PANEL_Q5_1: return (struct panel_shape){1, 64, 5, NULL};
    case PANEL_IQ4_NL:
    case PANEL_MXFP4: return (struct panel_shape){2, 64, 4, NULL};
    case PANEL_IQ4_XS: return (struct panel_shape){8, 3 * 64, 4, NULL};
    case PANEL_Q3_K: return (struct panel_shape){8, 5 * 64, 3, NULL};
    case PANEL_CODES2: return (struct panel_shape){4, 0, 2, NULL};
    case PANEL_CODES3: return (struct panel_shape){4, 0, 3, NULL};
    case PANEL_CODES4: return (struct panel_shape){4, 0, 4, NULL};
    case PANEL_CODES5: return (struct panel_shape){4, 0, 5, NULL};
    case PANEL_CODES6: return (struct panel_shape){4, 0, 6, NULL};
    case PANEL_CODES8: return (struct panel_shape){4, 0, 8, NULL};
    case PANEL_Q2_K: return (struct panel_shape){8, 5 * 64, 2, NULL};
    default: break;
    }
    return (struct panel_shape){0, 0, 0, NULL};
}

/* PANEL_NONE for a type that has no panels of codes. */
enum panel_form panel_form_of(enum dtype type);

/* Bytes of a panel of rows of n_cols columns, whole blocks; 0 for a type that has no panels. */
size_t panel_bytes(enum dtype type, size_t n_cols);

/* Panel number `panel` of rows [n_rows][n_cols] as in the file. */
void panel_pack(void *out, enum dtype type, const void *rows, size_t n_rows, size_t n_cols, size_t panel);

/* Two quads of codes in order, as a panel wants them; and both in one: the low nibbles of the first, then of
 * the second. */
static inline uint64_t panel_quads(uint64_t codes) {
    return (codes & UINT64_C(0xFF0000FFFF0000FF)) | (codes & UINT64_C(0x0000FF000000FF00)) << 8 |
           (codes >> 8 & UINT64_C(0x0000FF000000FF00));
}

static inline uint32_t panel_fold(uint64_t quads) {
    quads &= UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(quads | quads >> 28);
}

#endif
