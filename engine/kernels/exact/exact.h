/* exact: the contract of the lane whose results are the same bits everywhere, and how a kernel is named.
 *
 * Owns:    nothing.
 * Trusts:  the compiler for IEEE arithmetic: -ffp-contract=off, no fast-math, round to nearest even.
 * Threads: as kernel.h.
 *
 * What a result is made of, in this order and no other. "fma" rounds once; all else is one operation, one
 * rounding. Where a clone has no fused instruction, fmaf of the C library gives the same bits.
 *
 * Activations against quantised weights (quantize.c), for each 32 values x of a row, in 16 bits:
 *     amax  = largest |x|
 *     scale = amax / 32767, 0 when that would be subnormal, NaN when amax is infinite or any x is NaN
 *     q     = x * (32767 / amax) rounded to nearest even, |q| <= 32767; all 0 when scale is 0 or NaN
 *     scaled_sum = scale * (float)(sum of q)          the sum is an exact integer below 2^20
 *     In 8 bits the same with 127 for 32767, NaN for every amax from 2^104 on, and the scale rounded up to 22
 *     significant bits (before it is looked at): then 1.5 * 2^23 * scale is exact and finite, and
 *     fma(1.5 * 2^23 + i, scale, -(1.5 * 2^23 * scale)) is scale * (float)i. A clone may compute either.
 *
 * Product with quantised weights (linear_q*.c ...), for each row and token, acc = 0, blocks ascending:
 *     i   = sum of w * q, exact: at most 32 * 255 * 32767 < 2^28, in 8 bits 32 * 255 * 127 < 2^20
 *     acc = fma(m, scaled_sum, acc) where there is a minimum m; then
 *     acc = fma(d, scale * (float)i, acc)
 *     Q8_0, Q4_0, Q5_0: w is the code less 128, 8, 16; IQ4_NL, MXFP4: its level, E2M1's doubled
 *     Q4_1, Q5_1: w is the code, m the minimum
 *     Q4_K, Q5_K: as Q4_1 for each sub-block, d * its scale for d, -dmin * its minimum for m
 *     IQ4_XS: as IQ4_NL, d * the block's scale for d
 *     Q6_K, Q3_K: i and d * scale are of 16 columns, the first, then the second; w is the code less 32, 4
 *     Q2_K: the same with minima, m = -dmin * minimum, times scale * (float)(sum of q of the 16 columns)
 *     codes of GPTQ, AWQ, EXL2, compressed-tensors: w is the code, m = -(d * zero); columns in the order of
 *     lpanel.h, by groups
 *     Products of d and dmin with a sub-block's integers are exact: 11 bits times 8.
 * experts, head_linear: as linear for the row alone; then a bias is added.
 *
 * Product with F32, F16 and BF16 weights, for each row and token: columns in blocks of FLOAT_COLUMNS; in a
 *     block acc = fma(w, x, acc), columns ascending, from 0; the blocks' sums are added in ascending order.
 * Sums over a row (dot.h): 16 lanes; lane l takes columns l, l + 16, ... ascending, acc = fma(a, b, acc)
 *     from 0; columns past the end count as 0 * 0. The lanes are summed by lanes_sum (vec.h).
 * rms_norm: the sum of squares is such a sum; inverse = 1 / sqrt(sum / width + eps); out = (x * inverse) * w.
 * rope: out = x * cos - y * sin and x * sin + y * cos, three roundings each.
 * exp: exp.h. swiglu: gate / (1 + exp(-gate)) * up, left to right.
 * attention: attention.c says it beside the code.
 */
#ifndef ENGINE_KERNELS_EXACT_EXACT_H
#define ENGINE_KERNELS_EXACT_EXACT_H

#include "engine/kernels/kernel.h"

enum { FLOAT_COLUMNS = 256 };

/* The Makefile builds each file of this folder once for each clone, with -DCLONE=avx2 and its -march. */
#ifndef CLONE
#define CLONE c
#endif
#define EXACT_JOIN_(op, clone) op##_exact_##clone
#define EXACT_JOIN(op, clone) EXACT_JOIN_(op, clone)
#define EXACT(op) EXACT_JOIN(op, CLONE)

#endif
