/* dot: the f32 product of two rows in 16 lanes (exact.h has the order). Owns nothing; any thread. */
#ifndef ENGINE_KERNELS_EXACT_DOT_H
#define ENGINE_KERNELS_EXACT_DOT_H

#include "engine/kernels/exact/vec.h"

/* Columns past the end are 0 in both, so that they add +0 in every clone. */
VEC vec_f32 dot_part(const float *a, size_t n, size_t from) {
    if (from >= n) return (vec_f32){0};
    return n - from < LANES ? vec_load_some(a + from, n - from) : vec_load(a + from);
}

VEC float dot_f32(const float *a, const float *b, size_t n) {
    vec_f32 acc[PARTS] = {{0}};
    size_t whole = n - n % 16;
    for (size_t i = 0; i < whole; i += 16)
        for (size_t part = 0; part < PARTS; part++) {
            size_t at = i + part * LANES;
            acc[part] = vec_fma(vec_load(a + at), vec_load(b + at), acc[part]);
        }
    for (size_t part = 0; part < PARTS && whole < n; part++) {
        size_t at = whole + part * LANES;
        acc[part] = vec_fma(dot_part(a, n, at), dot_part(b, n, at), acc[part]);
    }
    float lanes[16];
    memcpy(lanes, acc, sizeof lanes);
    return lanes_sum(lanes);
}

#endif
