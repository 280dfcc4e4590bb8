/* cpanel: panels of codes of 2 to 8 bits: every quantised weight that panel.h and kpanel.h have no form for.
 *
 * Owns nothing. Trusts the caller for lengths. Threads: any number at once, on different panels.
 *
 * Groups, lines, quads and the order of a quad's bytes are those of panel.h. The codes of a block, by width:
 *   2 bits  2 lines of pairs: pair q % 4 of a byte's bits is of quad q, the first line has quads 0 to 3
 *   3 bits  as 2, then a line of bits: bit q of a byte is of quad q
 *   4 bits  4 lines of nibbles: the low ones are quad 2 l, the high ones 2 l + 1
 *   5 bits  as 4, then a line of bits
 *   6 bits  as 4, then two lines of pairs
 *   8 bits  8 lines, line l is quad l
 *
 * Types of blocks; a weight is d * (level - offset) + m:
 *   Q5_0    header: d (f16) of two blocks; 5 bits, offset 16
 *   Q5_1    header: d and m (f16) of one block; 5 bits
 *   IQ4_NL  as Q5_0, but 4 bits, level: block32_nonlinear[code]
 *   MXFP4   as Q5_0, but d in bf16, and 4 bits, level: the E2M1 number doubled
 *   IQ4_XS  super-blocks; header: a line, d (f16); two lines of signed bytes that d is multiplied by, byte
 *           4 r + s % 4 of line s / 4 for block s; levels as IQ4_NL
 *   Q3_K    super-blocks, header as Q6_K's: d, signed scales of 16 columns; 3 bits, offset 4
 *   Q2_K    super-blocks, header as Q4_K's: d and dmin; a byte for 16 columns, scale (low nibble) and minimum
 *
 * Codes of other formats (lpanel.h) have scales for one, two or four blocks, in groups of four. Header: the
 * scales [4 / blocks][16] in f16, bf16 or f32; then, unless the offset is 2^(bits - 1) for all, zero points
 * [4 / blocks][16], a byte each; filled up to a line. m is -(d * zero).
 */
#ifndef ENGINE_KERNELS_CPANEL_H
#define ENGINE_KERNELS_CPANEL_H

#include "engine/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPANEL_BLOCKS = 4, CPANEL_SHIFT = 2 /* of a group of codes with scales of their own */ };

struct cpanel {
    unsigned bits;   /* 2, 3, 4, 5, 6 or 8 */
    unsigned shift;  /* a scale is for 1 << shift blocks of 32 columns: 1, 2 or 4 */
    enum dtype type; /* of the scales: F16, BF16, F32 */
    bool has_zeros;
};

/* Where the zero points are in a header: inline, for an inner loop asks. */
static inline size_t cpanel_zeros(const struct cpanel *form) {
    return ((size_t)CPANEL_BLOCKS >> form->shift) * LINEAR_ROWS * (form->type == DTYPE_F32 ? 4 : 2);
}

/* Bytes of a header. */
size_t cpanel_header(const struct cpanel *form);

/* Bytes of a panel of n_blocks; the last group may be short. */
size_t cpanel_bytes(const struct cpanel *form, size_t n_blocks);

/* The group that block `block` is of, in a panel. */
uint8_t *cpanel_group(uint8_t *panel, const struct cpanel *form, size_t block);

/* The codes of a row's block into the lines of their width. */
void cpanel_put_codes(uint8_t *lines, unsigned bits, const uint8_t codes[32], size_t row);

/* Number d, as `type` holds it, for row `row` of the sixteen at `at`. */
void cpanel_put_scale(uint8_t *at, enum dtype type, size_t row, float d);

/* A row's block `sub` of a group (the super-block that is a group), as in the file, into its places. */
void cpanel_pack(uint8_t *group, enum dtype type, size_t sub, const uint8_t *from, size_t row);

#endif
