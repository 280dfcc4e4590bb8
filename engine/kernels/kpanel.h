/* kpanel: panels of K-quants, whose blocks are super-blocks of 256 columns.
 *
 * Owns nothing. Trusts the caller for lengths. Threads: any number at once, on different panels.
 *
 * A super-block of 16 rows is lines of 64 bytes (panel.h says what a line's words are):
 *   1 line       the scales d of the rows (f16), then their dmin; Q6_K has none and leaves zeros
 *   4 lines      line s / 2, byte 4 r + 2 (s % 2): of sub-block s of 32 columns in row r, scale and minimum,
 *                a byte each; for Q6_K the signed scales of its first and its second 16 columns
 *   8 times      4 lines of nibbles as Q4_0's; then
 *       Q5_K     1 line: bit k of word 2r + p is the fifth bit of column 2 k + p
 *       Q6_K     2 lines of 16 columns: pair of bits k of word 2r + p is the upper two of column 2 k + p,
 *                of the quant less 32 as a signed number of six bits
 * Sub-block scales keep a byte each, where the file packs them into six bits: 4.6 bits a weight, not 4.5.
 */
#ifndef ENGINE_KERNELS_KPANEL_H
#define ENGINE_KERNELS_KPANEL_H

#include "engine/tensor/dtype.h"

#include <stddef.h>
#include <stdint.h>

enum { KPANEL_SCALES = 64, KPANEL_QUANTS = 64 + 4 * 64, KPANEL_SUBS = 8 };

/* Lines of quants of a sub-block, 0 for a type that is no K-quant with panels. */
static inline size_t kpanel_lines(enum dtype type) {
    return type == DTYPE_Q4_K ? 4 : type == DTYPE_Q5_K ? 5 : type == DTYPE_Q6_K ? 6 : 0;
}

/* Puts a super-block of a row, as in the file, into its places of a panel's. */
void kpanel_pack(uint8_t *to, enum dtype type, const uint8_t *from, size_t row);

#endif
