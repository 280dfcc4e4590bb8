/* exp2: 2^x for x <= 0, the weights of a softmax: what exp costs less its ends; within 1 ulp of the exact
 * value (tests/unit/test_exp.c).
 *
 * x = n + r with |r| <= 1/2, both exact; 2^r = 1 + r (c0 + ... + c5 r^5), minimax with f32 coefficients,
 * relative error 3e-9; times 2^n. Below -126 it is 0, -infinity too; NaN stays NaN. x up to 127.4 is right
 * as well, and there is no need for it.
 */
#ifndef ENGINE_KERNELS_EXACT_EXP2_H
#define ENGINE_KERNELS_EXACT_EXP2_H

#include "engine/kernels/exact/vec.h"

VEC vec_f32 vec_exp2(vec_f32 x) {
    /* Adding it rounds to a whole number; what is then in the low bits is n + 127, the exponent of 2^n. */
    vec_f32 shifter = vec_splat(0x1.8p23F + 127);
    vec_f32 shifted = x + shifter, r = x - (shifted - shifter);
    vec_f32 p = vec_fma(vec_splat(0x1.416b54p-13F), r, vec_splat(0x1.5f082ep-10F));
    p = vec_fma(p, r, vec_splat(0x1.3b2de0p-7F));
    p = vec_fma(p, r, vec_splat(0x1.c6af7cp-5F));
    p = vec_fma(p, r, vec_splat(0x1.ebfbdcp-3F));
    p = vec_fma(p, r, vec_splat(0x1.62e430p-1F));
    p = vec_fma(p, r, vec_splat(1));
    return (vec_f32)((vec_i32)(p * (vec_f32)((vec_i32)shifted << 23)) & ~(x < -126));
}

#endif
