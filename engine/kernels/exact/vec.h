/* vec: a vector as wide as the clone has, and the few instructions that C has no operator for.
 *
 * Owns:    nothing. Every function is inline and has a plain C form that says what it computes; the forms
 *          by instruction give the same bits.
 * Trusts:  pointers and counts. Loads and stores need no alignment.
 * Threads: any.
 *
 * A unit of work is 16 lanes in every clone: PARTS vectors of LANES each. GNU vector types (gcc, clang) give
 * + - * / & >> and comparisons; narrower clones run the same lanes in more steps. Clone c (VEC_PLAIN) takes
 * the plain forms alone, whatever the compiler could do: choose a form by VEC_AVX512, VEC_VNNI, VEC_AVX2,
 * VEC_NEON, VEC_DOTPROD, VEC_I8MM, never by the compiler's own macros.
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

#if defined(VEC_PLAIN)
#elif defined(__AVX512BW__) && defined(__AVX512DQ__)
#define VEC_AVX512 1
#if defined(__AVX512VNNI__)
#define VEC_VNNI 1
#endif
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define VEC_AVX2 1
#elif defined(__aarch64__)
#define VEC_NEON 1
#if defined(__ARM_FEATURE_DOTPROD)
#define VEC_DOTPROD 1
#endif
#if defined(__ARM_FEATURE_MATMUL_INT8)
#define VEC_I8MM 1
#endif
#endif

#if defined(VEC_AVX512)
enum { VEC_BYTES = 64 };
#elif defined(VEC_AVX2)
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

/* The four bytes at `at` in every lane. */
VEC vec_u32 vec_splat_quad(const void *at) {
    uint32_t quad;
    memcpy(&quad, at, sizeof quad);
    return quad + (vec_u32){0};
}

VEC vec_u32 vec_load_quads(const void *at) {
    vec_u32 v;
    memcpy(&v, at, sizeof v);
    return v;
}

VEC void vec_store_quads(void *at, vec_u32 v) { memcpy(at, &v, sizeof v); }

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
#if defined(VEC_AVX512)
    return (vec_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(VEC_AVX2)
    return (vec_f32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(VEC_NEON)
    return (vec_f32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    for (int i = 0; i < LANES; i++) c[i] = fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

/* The value is settled here: gcc 12 would add up long sums of products in an order of its own, keeping all of
 * the products in registers that it does not have. */
#if defined(VEC_AVX512) || defined(VEC_AVX2)
#define VEC_SETTLE(v) __asm__("" : "+v"(v))
#elif defined(VEC_NEON)
#define VEC_SETTLE(v) __asm__("" : "+w"(v))
#else
#define VEC_SETTLE(v) ((void)(v))
#endif

/* acc + a[2i] * b[2i] + a[2i + 1] * b[2i + 1] in lane i, exact while it fits */
VEC vec_i32 vec_dot2(vec_i32 acc, vec_i16 a, vec_i16 b) {
#if defined(VEC_VNNI)
    return (vec_i32)_mm512_dpwssd_epi32((__m512i)acc, (__m512i)a, (__m512i)b);
#else
#if defined(VEC_AVX512)
    acc += (vec_i32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(VEC_AVX2)
    acc += (vec_i32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(VEC_NEON)
    int32x4_t low = vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    int32x4_t high = vmull_high_s16((int16x8_t)a, (int16x8_t)b);
    acc += (vec_i32)vpaddq_s32(low, high);
#else
    vec_i32 even = ((vec_i32)a << 16 >> 16) * ((vec_i32)b << 16 >> 16);
    acc += even + ((vec_i32)a >> 16) * ((vec_i32)b >> 16);
#endif
    VEC_SETTLE(acc);
    return acc;
#endif
}

/* acc + the products of the four unsigned bytes of each lane of a with the four signed ones of b; of the
 * clones that have an instruction for it. */
#if defined(VEC_VNNI)
#define VEC_DOT4 1
VEC vec_i32 vec_dot4(vec_i32 acc, vec_u32 a, vec_u32 b) {
    return (vec_i32)_mm512_dpbusd_epi32((__m512i)acc, (__m512i)a, (__m512i)b);
}
#elif defined(VEC_I8MM)
#define VEC_DOT4 1
VEC vec_i32 vec_dot4(vec_i32 acc, vec_u32 a, vec_u32 b) {
    return (vec_i32)vusdotq_s32((int32x4_t)acc, (uint8x16_t)a, (int8x16_t)b);
}
#elif defined(VEC_DOTPROD)
#define VEC_DOT4 1
/* There is none of mixed signs: a - 128 is signed, and 128 b is 64 b twice. */
VEC vec_i32 vec_dot4(vec_i32 acc, vec_u32 a, vec_u32 b) {
    int8x16_t of = (int8x16_t)b, half = vdupq_n_s8(64);
    int32x4_t sum = vdotq_s32((int32x4_t)acc, (int8x16_t)(a ^ 0x80808080U), of);
    return (vec_i32)vdotq_s32(vdotq_s32(sum, half, of), half, of);
}
#else
#define VEC_DOT4 0
VEC vec_i32 vec_dot4(vec_i32 acc, vec_u32 a, vec_u32 b) {
    for (int j = 0; j < 4; j++) acc += (vec_i32)(a >> 8 * j & 255) * ((vec_i32)(b << (24 - 8 * j)) >> 24);
    return acc;
}
#endif

/* The other way to multiply bytes: products of neighbours are added up as words, a sum of several before a
 * word overflows, and the words' pairs in the end. A clone has it where that is faster than vec_dot2. */
#if defined(VEC_AVX2)
#define VEC_PAIRS 1
/* a[2i] * b[2i] + a[2i + 1] * b[2i + 1] in word i, of unsigned bytes a and signed ones b, while it fits */
VEC vec_i16 vec_mul_pairs(vec_u32 a, vec_u32 b) {
    return (vec_i16)_mm256_maddubs_epi16((__m256i)a, (__m256i)b);
}
VEC vec_i32 vec_add_pairs(vec_i16 words) {
    return (vec_i32)_mm256_madd_epi16((__m256i)words, _mm256_set1_epi16(1));
}
#else
#define VEC_PAIRS 0
VEC vec_i16 vec_mul_pairs(vec_u32 a, vec_u32 b) {
    vec_u16 even = (vec_u16)a & 255, odd = (vec_u16)a >> 8;
    return (vec_i16)even * ((vec_i16)b << 8 >> 8) + (vec_i16)odd * ((vec_i16)b >> 8);
}
VEC vec_i32 vec_add_pairs(vec_i16 words) { return ((vec_i32)words << 16 >> 16) + ((vec_i32)words >> 16); }
#endif

VEC vec_f32 vec_from_ints(vec_i32 v) { return __builtin_convertvector(v, vec_f32); }

/* The values of LANES halves (f16). */
VEC vec_f32 vec_load_halves(const void *at) {
#if defined(VEC_AVX512)
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

/* The largest lane; one that does not compare may be lost. */
VEC float vec_max_across(vec_f32 v) {
#if defined(VEC_AVX512)
    return _mm512_reduce_max_ps((__m512)v);
#else
    float most = v[0];
    for (int i = 1; i < LANES; i++) most = v[i] > most ? v[i] : most;
    return most;
#endif
}

/* The values of LANES bfloats: the upper halves of floats. */
VEC vec_f32 vec_load_bfloats(const void *at) {
#if defined(VEC_AVX512) /* of the plain form gcc makes two halves, widened apart */
    return (vec_f32)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(at)), 16);
#else
    typedef uint16_t vec_upper __attribute__((vector_size(VEC_BYTES / 2)));
    vec_upper upper;
    memcpy(&upper, at, sizeof upper);
    return (vec_f32)(__builtin_convertvector(upper, vec_u32) << 16);
#endif
}

/* The values of LANES bytes. */
VEC vec_f32 vec_load_bytes(const void *at) {
#if defined(VEC_AVX512)
    return (vec_f32)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(at)));
#elif defined(VEC_AVX2)
    return (vec_f32)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(at)));
#else
    uint8_t byte[LANES];
    vec_f32 v = {0};
    memcpy(byte, at, sizeof byte);
    for (int i = 0; i < LANES; i++) v[i] = byte[i];
    return v;
#endif
}

/* table[b] for every byte b below 16. */
VEC vec_u32 vec_look_up(const uint8_t table[16], vec_u32 bytes) {
#if defined(VEC_AVX512)
    __m512i all = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)table));
    return (vec_u32)_mm512_shuffle_epi8(all, (__m512i)bytes);
#elif defined(VEC_AVX2)
    __m256i both = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
    return (vec_u32)_mm256_shuffle_epi8(both, (__m256i)bytes);
#elif defined(VEC_NEON)
    return (vec_u32)vqtbl1q_u8(vld1q_u8(table), (uint8x16_t)bytes);
#else
    uint8_t each[VEC_BYTES];
    memcpy(each, &bytes, sizeof each);
    for (int i = 0; i < VEC_BYTES; i++) each[i] = table[each[i]];
    memcpy(&bytes, each, sizeof each);
    return bytes;
#endif
}

/* The largest lane, and the sum of all; integers have no order. */
VEC int32_t vec_largest(vec_i32 v) {
#if defined(VEC_AVX512)
    return _mm512_reduce_max_epi32((__m512i)v);
#else
    int32_t most = v[0];
    VEC_UNROLL for (int i = 1; i < LANES; i++) most = v[i] > most ? v[i] : most;
    return most;
#endif
}

VEC int32_t vec_total(vec_i32 v) {
#if defined(VEC_AVX512)
    return _mm512_reduce_add_epi32((__m512i)v);
#else
    int32_t sum = v[0];
    VEC_UNROLL for (int i = 1; i < LANES; i++) sum += v[i];
    return sum;
#endif
}

/* The low words, and the low bytes, of the lanes. */
VEC void vec_store_words(void *at, vec_i32 v) {
#if defined(VEC_AVX512)
    _mm256_storeu_si256(at, _mm512_cvtepi32_epi16((__m512i)v));
#else
    typedef int16_t words __attribute__((vector_size(VEC_BYTES / 2)));
    words w = __builtin_convertvector(v, words);
    memcpy(at, &w, sizeof w);
#endif
}

VEC void vec_store_bytes(void *at, vec_i32 v) {
#if defined(VEC_AVX512)
    _mm_storeu_si128(at, _mm512_cvtepi32_epi8((__m512i)v));
#else
    int8_t bytes[LANES];
    VEC_UNROLL for (int i = 0; i < LANES; i++) bytes[i] = (int8_t)v[i];
    memcpy(at, bytes, sizeof bytes);
#endif
}

/* out[i] = the largest lane of v[i], for 8 vectors. */
VEC void vec_max_across_8(float *out, const vec_f32 v[8]) {
#if defined(VEC_AVX512)
    __m512 a[4], b[2];
    for (int i = 0; i < 4; i++) { /* v[i] and v[i + 4] in halves of 8 lanes */
        __m512 low = _mm512_shuffle_f32x4((__m512)v[i], (__m512)v[i + 4], 0x44);
        a[i] = _mm512_max_ps(low, _mm512_shuffle_f32x4((__m512)v[i], (__m512)v[i + 4], 0xEE));
    }
    for (int i = 0; i < 2; i++) { /* four of them, in quarters of 4 */
        __m512 low = _mm512_shuffle_f32x4(a[i], a[i + 2], 0x88);
        b[i] = _mm512_max_ps(low, _mm512_shuffle_f32x4(a[i], a[i + 2], 0xDD));
    }
    __m512 c = _mm512_max_ps(_mm512_unpacklo_ps(b[0], b[1]), _mm512_unpackhi_ps(b[0], b[1]));
    c = _mm512_max_ps(c, _mm512_permute_ps(c, 0x4E)); /* 0 1 . . 4 5 . . 2 3 . . 6 7 . . */
    c = _mm512_permutexvar_ps(_mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 13, 12, 5, 4, 9, 8, 1, 0), c);
    _mm256_storeu_ps(out, _mm512_castps512_ps256(c));
#else
    for (int i = 0; i < 8; i++) out[i] = vec_max_across(v[i]);
#endif
}

/* The f32 whose bits are the largest lane: of numbers without a sign the largest, a NaN where there is one.
 */
VEC float vec_max_across_bits(vec_i32 v) {
    int32_t most = vec_largest(v);
    float x;
    memcpy(&x, &most, sizeof x);
    return x;
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
