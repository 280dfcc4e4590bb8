/* tanh: one form for every clone; within 2 ulp of the exact value (tests/unit/test_exp.c).
 *
 * Of |x|, then the sign of x. Below 0.625: x + x z (t0 + ... + t4 z^4) with z = x^2, minimax with f32
 * coefficients, relative error 5e-9. From there on 1 - 2 / (e^2|x| + 1), which loses nothing any more; it is
 * 1 from 9.02 on; NaN stays NaN.
 */
#ifndef ENGINE_KERNELS_EXACT_TANH_H
#define ENGINE_KERNELS_EXACT_TANH_H

#include "engine/kernels/exact/exp.h"

VEC vec_f32 vec_tanh(vec_f32 x) {
    vec_i32 sign = (vec_i32)x & (vec_i32)vec_splat(-0.0F);
    vec_f32 size = (vec_f32)((vec_i32)x ^ sign), z = x * x;
    vec_f32 p = vec_fma(vec_splat(-0x1.750ce4p-8F), z, vec_splat(0x1.51f8cep-6F));
    p = vec_fma(p, z, vec_splat(-0x1.b835a4p-5F));
    p = vec_fma(p, z, vec_splat(0x1.1106f6p-3F));
    p = vec_fma(p, z, vec_splat(-0x1.555532p-2F));
    vec_f32 small = vec_fma(p * z, size, size);
    vec_f32 large = 1 - 2 / (vec_exp(size + size) + 1);
    return (vec_f32)((vec_i32)vec_pick(size < 0.625F, small, large) | sign);
}

#endif
