/* panel: quantised weights re-laid so that 16 rows fill the lanes of a vector.
 *
 * Owns:    nothing; the caller allocates panel_bytes, aligned to 64.
 * Trusts:  the caller for lengths. Rows past the last are packed as zeros.
 * Threads: any number at once, on different panels.
 *
 * A panel is LINEAR_ROWS rows of a weight. It is a run of blocks of 32 columns, each: the 16 scales d (f16),
 * for Q4_1 then the 16 minima m (f16), then lines of 64 bytes. A line is 32 little-endian 16-bit words; words
 * 2r and 2r + 1 belong to row r. Shifts and masks of whole words give pairs of neighbouring columns, which
 * is what a 16-bit multiply-and-add-pairs instruction takes, and a pair is never split between lanes:
 *   Q4_0, Q4_1   4 lines of 8 columns: nibble j of word 2r + p is column 8 line + 2 j + p; for Q4_0 as
 *                a signed number, its value less 8
 *   Q8_0         8 lines of 4 columns: byte j of word 2r + p is column 4 line + 2 j + p
 *   K-quants     super-blocks of 256 columns: kpanel.h
 * The idea of interleaving rows is llama.cpp's (ggml-cpu/repack.cpp) and ik_llama.cpp's (_R4, _R8, _R16).
 */
#ifndef ENGINE_KERNELS_PANEL_H
#define ENGINE_KERNELS_PANEL_H

#include "engine/kernels/kpanel.h"
#include "engine/tensor/dtype.h"

#include <stddef.h>

enum { PANEL_LINE = 64 };

/* Bytes of 32 columns of 16 rows, 0 for a type that has no panels. */
static inline size_t panel_block_bytes(enum dtype type) {
    size_t lines = kpanel_lines(type);
    if (lines) return lines * PANEL_LINE + KPANEL_QUANTS / KPANEL_SUBS;
    return type == DTYPE_Q4_0 ? 32 + 256 : type == DTYPE_Q4_1 ? 64 + 256 : type == DTYPE_Q8_0 ? 32 + 512 : 0;
}

/* Panel number `panel` of rows [n_rows][n_cols] as in the file. */
void panel_pack(void *out, enum dtype type, const void *rows, size_t n_rows, size_t n_cols, size_t panel);

#endif
