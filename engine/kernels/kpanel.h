/* kpanel: panels of K-quants, whose groups are super-blocks of 256 columns (panel.h says what a quad is).
 *
 * Owns nothing. Trusts the caller for lengths. Threads: any number at once, on different panels.
 *
 * A super-block of 16 rows is lines of 64 bytes:
 *   1 line    the scales d of the rows (f16), then their dmin; Q6_K has none and leaves zeros
 *   4 lines   scales: line s / 2, byte 4 r + 2 (s % 2) is of block s of 32 columns in row r, a byte each of
 *             scale and minimum; for Q6_K the signed scales of its first and its second 16 columns
 * and then 8 times, for each block,
 *   4 lines   nibbles as Q4_0's; then
 *   Q5_K      1 line: bit q of byte 4 r + j is the fifth bit of byte j of quad q
 *   Q6_K      2 lines, of quads 0 to 3 and 4 to 7: pair of bits q % 4 of byte 4 r + j is the upper two bits
 *             of byte j of quad q; the offset is 32
 * Scales keep a byte each, where the file packs them into six bits: 4.6 bits a weight, not 4.5.
 */
#ifndef ENGINE_KERNELS_KPANEL_H
#define ENGINE_KERNELS_KPANEL_H

#include "engine/kernels/panel.h"

enum { KPANEL_SCALES = PANEL_LINE, KPANEL_NIBBLES = 4 /* lines of a block before those of the bits above */ };

/* Puts a super-block of a row, as in the file, into its places of a panel's. */
void kpanel_pack(uint8_t *to, enum panel_form form, const uint8_t *from, size_t row);

#endif
