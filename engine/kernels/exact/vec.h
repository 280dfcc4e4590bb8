/* vec: a vector as wide as the clone has, and the few instructions that C has no operator for.
 *
 * Owns:    nothing. Every function is inline and has a plain C form that says what it computes; the forms
 *          by instruction give the same bits.
 * Trusts:  pointers and counts. Loads and stores need no alignment.
 * Threads: any.
 *
 * A unit of work is 16 lanes in every clone: PARTS vectors of LANES each. GNU vector types (gcc, clang) give
 * + - * / & >> and comparisons; narrower clones run the same lanes in more steps.
 */
#ifndef ENGINE_KERNELS_EXACT_VEC_H
#define ENGINE_KERNELS_EXACT_VEC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
enum { VEC_BYTES = 64 };
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define VEC_AVX2 1
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif
enum { LANES = VEC_BYTES / 4, PARTS = 16 / LANES };

typedef float vec_f32 __attribute__((vector_size(VEC_BYTES)));
typedef int32_t vec_i32 __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t vec_u32 __attribute__((vector_size(VEC_BYTES)));
typedef int16_t vec_i16 __attribute__((vector_size(VEC_BYTES)));
typedef uint16_t vec_u16 __attribute__((vector_size(VEC_BYTES)));

#define VEC static inline __attribute__((always_inline))
#if defined(__clang__)
#define VEC_UNROLL _Pragma("unroll")
#else
#define VEC_UNROLL _Pragma("GCC unroll 32")
#endif

VEC vec_f32 vec_load(const float *at) {
    vec_f32 v;
    memcpy(&v, at, sizeof v);
    return v;
}

VEC void vec_store(float *at, vec_f32 v) { memcpy(at, &v, sizeof v); }

/* n of them, at most LANES; the rest of the lanes is 0, or stays out of memory. */
VEC vec_f32 vec_load_some(const float *at, size_t n) {
    vec_f32 v = {0};
    memcpy(&v, at, n * sizeof *at);
    return v;
}

VEC void vec_store_some(float *at, vec_f32 v, size_t n) { memcpy(at, &v, n * sizeof *at); }

VEC vec_f32 vec_splat(float x) { return x - (vec_f32){0}; /* x - 0 is x, its sign too */ }

/* Two neighbouring 16-bit values in every pair of lanes. */
VEC vec_i16 vec_splat_pair(const int16_t *at) {
    int32_t pair;
    memcpy(&pair, at, sizeof pair);
    return (vec_i16)(pair + (vec_i32){0});
}

VEC vec_u16 vec_load_words(const void *at) {
    vec_u16 v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* The larger of each lane; b where they do not compare. */
VEC vec_f32 vec_max(vec_f32 a, vec_f32 b) {
    vec_i32 larger = a > b;
    return (vec_f32)((larger & (vec_i32)a) | (~larger & (vec_i32)b));
}

/* Where mask is all ones a, where it is 0 b. */
VEC vec_f32 vec_pick(vec_i32 mask, vec_f32 a, vec_f32 b) {
    return (vec_f32)((mask & (vec_i32)a) | (~mask & (vec_i32)b));
}

/* a * b + c, rounded once */
VEC vec_f32 vec_fma(vec_f32 a, vec_f32 b, vec_f32 c) {
#if defined(__AVX512F__)
    return (vec_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(VEC_AVX2)
    return (vec_f32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (vec_f32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    for (int i = 0; i < LANES; i++) c[i] = fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

/* acc + a[2i] * b[2i] + a[2i + 1] * b[2i + 1] in lane i, exact while it fits */
VEC vec_i32 vec_dot2(vec_i32 acc, vec_i16 a, vec_i16 b) {
#if defined(__AVX512VNNI__)
    return (vec_i32)_mm512_dpwssd_epi32((__m512i)acc, (__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return acc + (vec_i32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(VEC_AVX2)
    return acc + (vec_i32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return acc + (vec_i32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    for (int i = 0; i < LANES; i++) acc[i] += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    return acc;
#endif
}

VEC vec_f32 vec_from_ints(vec_i32 v) { return __builtin_convertvector(v, vec_f32); }

/* The values of LANES halves (f16). */
VEC vec_f32 vec_load_halves(const void *at) {
#if defined(__AVX512F__)
    return (vec_f32)_mm512_cvtph_ps(_mm256_loadu_si256(at));
#elif defined(VEC_AVX2)
    return (vec_f32)_mm256_cvtph_ps(_mm_loadu_si128(at));
#else
    uint16_t half[LANES];
    memcpy(half, at, sizeof half);
    vec_u32 h = {0};
    for (int i = 0; i < LANES; i++) h[i] = half[i];
    /* As an f32 with the half's exponent field the value is 2^112 too small, subnormals included. */
    vec_u32 magnitude = (h & 0x7FFF) << 13, sign = (h & 0x8000) << 16;
    vec_u32 scaled = (vec_u32)((vec_f32)magnitude * 0x1p112F);
    vec_u32 special = (vec_u32)((h & 0x7C00) == 0x7C00);
    return (vec_f32)(sign | (special & (magnitude | 0x7F800000)) | (~special & scaled));
#endif
}

/* The one order in which 16 lanes are summed: lane l with l + 8, then + 4, + 2, + 1. */
VEC float lanes_sum(const float lanes[16]) {
    float t[8];
    for (int i = 0; i < 8; i++) t[i] = lanes[i] + lanes[i + 8];
    for (int i = 0; i < 4; i++) t[i] += t[i + 4];
    return (t[0] + t[2]) + (t[1] + t[3]);
}

/* The largest of 16 lanes; one that does not compare may be lost. */
VEC float lanes_max(const float lanes[16]) {
    float t[8];
    for (int i = 0; i < 8; i++) t[i] = lanes[i] > lanes[i + 8] ? lanes[i] : lanes[i + 8];
    for (int i = 0; i < 4; i++) t[i] = t[i] > t[i + 4] ? t[i] : t[i + 4];
    for (int i = 0; i < 2; i++) t[i] = t[i] > t[i + 2] ? t[i] : t[i + 2];
    return t[0] > t[1] ? t[0] : t[1];
}

#endif
