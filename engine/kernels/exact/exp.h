/* exp: e^x, one polynomial for every clone; within 0.99 ulp of the exact value (tests/unit/test_exp.c).
 *
 * x = n ln 2 + r with |r| <= ln 2 / 2, ln 2 in two pieces (Cody and Waite, 1980) so that r loses nothing;
 * e^r = 1 + r + r^2 (c0 + ... + c5 r^5), minimax with f32 coefficients, relative error 1e-10; times
 * 2^n in two exact steps, so that results below 2^-126 are subnormal and not lost. Above 88.72 it is
 * infinity, below -103.97 zero; NaN stays NaN.
 */
#ifndef ENGINE_KERNELS_EXACT_EXP_H
#define ENGINE_KERNELS_EXACT_EXP_H

#include "engine/kernels/exact/vec.h"

VEC vec_f32 vec_exp(vec_f32 x) {
    x = vec_pick(x > 89, vec_splat(89), vec_pick(x < -104, vec_splat(-104), x));
    vec_f32 shifter = vec_splat(0x1.8p23F); /* adding it rounds to a whole number, kept in the low bits */
    vec_f32 shifted = vec_fma(x, vec_splat(0x1.715476p0F), shifter), n = shifted - shifter;
    vec_f32 r = vec_fma(n, vec_splat(-0x1.62e4p-1F), x);
    r = vec_fma(n, vec_splat(-0x1.7f7d1cp-20F), r);
    vec_f32 p = vec_fma(vec_splat(0x1.9df792p-13F), r, vec_splat(0x1.6d4ccap-10F));
    p = vec_fma(p, r, vec_splat(0x1.11131p-7F));
    p = vec_fma(p, r, vec_splat(0x1.5554e8p-5F));
    p = vec_fma(p, r, vec_splat(0x1.555554p-3F));
    p = vec_fma(p, r, vec_splat(0.5F));
    p = vec_fma(p * r, r, r) + 1;
    vec_i32 power = (vec_i32)shifted - (vec_i32)shifter, low = power >> 1, high = power - low;
    return p * (vec_f32)((low + 127) << 23) * (vec_f32)((high + 127) << 23);
}

#endif
