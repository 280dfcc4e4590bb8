/* sigmoid: x sigmoid(y) = x / (1 + e^-y), and softplus, one form for every clone. Owns nothing; any thread.
 *
 * softplus(x) = log(1 + e^x) = max(x, 0) + log1p(e^-|x|), and log1p(t) = 2 artanh(s) with s = t / (2 + t),
 * which loses nothing for small t: 2 s + s z (c0 + ... + c4 z^4) with z = s^2 <= 1/9, interpolated at
 * Chebyshev's points, relative error 1e-9. Both within 3 ulp (tests/unit/test_exp.c). NaN stays NaN.
 */
#ifndef ENGINE_KERNELS_EXACT_SIGMOID_H
#define ENGINE_KERNELS_EXACT_SIGMOID_H

#include "engine/kernels/exact/exp.h"

/* x * sigmoid(y), given -y */
VEC vec_f32 vec_gated(vec_f32 x, vec_f32 minus_y) { return x / (vec_exp(minus_y) + 1); }

/* log(1 + t), 0 <= t <= 1 */
VEC vec_f32 vec_log1p(vec_f32 t) {
    vec_f32 s = t / (t + 2), z = s * s;
    vec_f32 p = vec_fma(vec_splat(0x1.dba26p-3F), z, vec_splat(0x1.bc8cf8p-3F));
    p = vec_fma(p, z, vec_splat(0x1.24c926p-2F));
    p = vec_fma(p, z, vec_splat(0x1.9998d4p-2F));
    p = vec_fma(p, z, vec_splat(0x1.555556p-1F));
    return vec_fma(p * z, s, s + s);
}

VEC vec_f32 vec_softplus(vec_f32 x) {
    vec_f32 size = (vec_f32)((vec_i32)x & 0x7FFFFFFF);
    return vec_max(vec_splat(0), x) + vec_log1p(vec_exp(-size));
}

#endif
