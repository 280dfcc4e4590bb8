/* exact: the contract of the lane whose results are the same bits everywhere, and how a kernel is named.
 *
 * Owns:    nothing.
 * Trusts:  the compiler for IEEE arithmetic: -ffp-contract=off, no fast-math, round to nearest even.
 * Threads: as kernel.h.
 *
 * What a result is made of, in this order and no other. "fma" rounds once; all else is one operation, one
 * rounding. Where a clone has no fused instruction, fmaf of the C library gives the same bits.
 *
 * Activations against quantised weights (quantize.c), for each 32 values x of a row:
 *     amax  = largest |x|
 *     scale = amax / 32767, 0 when that would be subnormal, NaN when amax is infinite or any x is NaN
 *     q     = x * (32767 / amax) rounded to nearest even, |q| <= 32767; all 0 when scale is 0 or NaN
 *     scaled_sum = scale * (float)(sum of q)          the sum is an exact integer below 2^20
 * Product with quantised weights (linear_q*.c), for each row and token, acc = 0, blocks ascending:
 *     i   = sum of w * q, exact: at most 32 * 128 * 32767 < 2^27
 *     Q8_0:  acc = fma(d, scale * (float)i, acc)            w is the signed byte
 *     Q4_0:  acc = fma(d, scale * (float)i, acc)            w is the nibble - 8
 *     Q4_1:  acc = fma(m, scaled_sum, acc), then fma(d, scale * (float)i, acc)      w is the nibble
 *     Q4_K, Q5_K: as Q4_1 for each sub-block, d * its scale for d, -(dmin * its minimum) for m
 *     Q6_K:  acc = fma(d * scale of 16, scale * (float)i, acc), i over the first 16 columns, then over the
 *            second; w is the quant - 32
 *     Products of d and dmin with a sub-block's integers are exact: 11 bits times 8.
 * Product with F32 and F16 weights: 16 lanes; lane l takes columns l, l + 16, ... ascending, acc = fma(w, x,
 *     acc) from 0; columns past the end count as 0 * 0. The lanes are summed by lanes_sum (vec.h).
 * rms_norm: the sum of squares is a product of the row with itself, as above; inverse = 1 / sqrt(sum / width
 *     + eps); out = (x * inverse) * w.
 * rope: out = x * cos - y * sin and x * sin + y * cos, three roundings each.
 * exp: exp.h. swiglu: gate / (1 + exp(-gate)) * up, left to right.
 * attention: attention.c says it beside the code.
 */
#ifndef ENGINE_KERNELS_EXACT_EXACT_H
#define ENGINE_KERNELS_EXACT_EXACT_H

#include "engine/kernels/kernel.h"

/* The Makefile builds each file of this folder once for each clone, with -DCLONE=v4 and its -march. */
#ifndef CLONE
#define CLONE base
#endif
#define EXACT_JOIN_(op, clone) op##_exact_##clone
#define EXACT_JOIN(op, clone) EXACT_JOIN_(op, clone)
#define EXACT(op) EXACT_JOIN(op, CLONE)

#endif
