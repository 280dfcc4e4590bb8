/* attention_q8: scores and weighted sums over a page of Q8_0, by integer dot products.
 *
 * Owns:    nothing.
 * Trusts:  shapes; memory as kv.h lays it out.
 * Threads: any.
 *
 * What is what, of one query head, the same in every clone:
 *
 *   query   scale = largest |x| / 32639; q = x * (32639 / largest |x|) to nearest even. All q are 0 where the
 *           scale would be subnormal, and it is 1 then, and where an x is no finite number, and it is NaN
 *           then. 32639 is 127 * 256 + 127: q is 256 times a signed byte plus a signed byte
 *   score   for each block of KV_BLOCK dims i = sum of code * q, exact: at most 32 * 127 * 32639 < 2^27;
 *           score = fma(scale of the key's block, (float)i, score) by ascending block from 0. The query's
 *           scale is a part of the factor (attention.c): factor * scale, and (scale / cap) * scale of a cap
 *   weights peak = exp2(largest score * factor - m'); for each block of KV_BLOCK dims and each page largest =
 *           peak * the largest scale of the positions that it sees; step = largest * (1 / 255), 0 where that
 *           would be subnormal; byte = p * scale of the value's block * (255 / largest), the last product to
 *           nearest even at once, 0 where the step is
 *   value   i = sum of byte * code, exact: at most 32 * 255 * 127 < 2^20;
 *           o = fma(step, (float)i, o * rescale)
 *
 * vpdpbusd multiplies unsigned bytes with signed ones, four at a time: codes of keys are stored + 128 and the
 * query's two bytes go one by one; weights are unsigned as they are. Where there is no such instruction bytes
 * are taken for 16-bit numbers, the even ones and the odd ones.
 */
#ifndef ENGINE_KERNELS_EXACT_ATTENTION_Q8_H
#define ENGINE_KERNELS_EXACT_ATTENTION_Q8_H

#include "engine/kernels/exact/attention_float.h"

enum {
#if defined(VEC_AVX512)
    Q8_SCORE_QUERIES = 4,
    Q8_VALUE_QUERIES = 8,
#elif defined(VEC_NEON)
    Q8_SCORE_QUERIES = 4,
    Q8_VALUE_QUERIES = 4,
#else
    Q8_SCORE_QUERIES = 2,
    Q8_VALUE_QUERIES = 4,
#endif
    Q8_VECTORS = 2,
    QUAD = 4,
    BLOCK_QUADS = KV_BLOCK / QUAD,
    PAGE_QUADS = KV_PAGE / QUAD,
};

/* The queries of a tile: two words a quad side by side, for each quad and query, and 128 times the sum of
 * each block's q with the sign turned, for each block and query. */
struct q8_queries {
    uint32_t *words;
    int32_t *offsets;
};

static inline size_t q8_quads(size_t dim) { return (dim + QUAD - 1) / QUAD; }

/* Where the queries of a tile lie in the memory of a block's, `row` floats for each query. */
static inline struct q8_queries q8_queries_at(float *memory, size_t dim, size_t n) {
    uint32_t *words = (uint32_t *)(void *)memory;
    return (struct q8_queries){words, (int32_t *)(void *)(words + q8_quads(dim) * n * 2)};
}

/* --- queries --------------------------------------------------------------------------------------------
 */

/* The largest |x|, NaN where one is no finite number: bits of numbers without a sign are in their order. */
static inline float q8_largest(const float *x, size_t n) {
    uint32_t most = 0;
    float largest;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        bits &= 0x7FFFFFFF;
        most = bits > most ? bits : most;
    }
    memcpy(&largest, &most, sizeof largest);
    return isfinite(largest) ? largest : NAN;
}

/* q of a block. Adding 1.5 * 2^23 rounds to a whole number, to nearest even, and leaves it in the low bits.
 */
static inline void q8_round_block(int32_t q[KV_BLOCK], const float x[KV_BLOCK], float up) {
    for (size_t i = 0; i < KV_BLOCK; i++) {
        float shifted = x[i] * up + 0x1.8p23F;
        memcpy(&q[i], &shifted, sizeof shifted);
        q[i] -= 0x4B400000;
    }
}

/* The two words of each quad: bytes of the upper halves and of the lower, or even and odd q. */
static inline void q8_put_block(uint32_t *words, size_t stride, const int32_t q[KV_BLOCK], size_t quads) {
#if defined(VEC_VNNI)
    uint8_t parts[2][KV_BLOCK];
    for (size_t i = 0; i < KV_BLOCK; i++) {
        int32_t upper = (q[i] + 128) >> 8;
        parts[0][i] = (uint8_t)upper, parts[1][i] = (uint8_t)(q[i] - upper * 256);
    }
#else
    uint16_t parts[2][KV_BLOCK / 2];
    for (size_t i = 0; i < KV_BLOCK; i++) parts[i % 2][i / 2] = (uint16_t)q[i];
#endif
    for (size_t quad = 0; quad < quads; quad++)
        for (size_t part = 0; part < 2; part++)
            memcpy(words + quad * stride + part, (const char *)parts[part] + quad * QUAD, QUAD);
}

/* Query `index` of n; returns its scale. */
static inline float attention_q8_query(struct q8_queries out, size_t index, size_t n, const float *x,
                                       size_t dim) {
    float largest = q8_largest(x, dim), scale = largest / 32639, up = 32639 / largest;
    if (!(scale >= 0x1p-126F)) scale = isnan(scale) ? NAN : 1, up = 0;
    for (size_t block = 0; block < kv_blocks(dim); block++) {
        size_t from = block * KV_BLOCK, some = dim - from < KV_BLOCK ? dim - from : KV_BLOCK;
        float values[KV_BLOCK] = {0};
        int32_t q[KV_BLOCK], sum = 0;
        if (up > 0) memcpy(values, x + from, some * sizeof *x); /* else they may be anything */
        q8_round_block(q, values, up);
        for (size_t i = 0; i < KV_BLOCK; i++) sum += q[i];
        q8_put_block(out.words + (from / QUAD * n + index) * 2, 2 * n, q, q8_quads(some));
        out.offsets[block * n + index] = -128 * sum;
    }
    return scale;
}

/* --- scores ---------------------------------------------------------------------------------------------
 */

VEC vec_i32 vec_splat_word(uint32_t x) { return (vec_i32)(x + (vec_u32){0}); }

/* The dot products of up to BLOCK_QUADS quads, 16-bit queries n of `stride` and Q8_VECTORS of positions, each
 * plus what is in sums. */
VEC void q8_block(vec_i32 sums[Q8_SCORE_QUERIES][Q8_VECTORS], const uint8_t *codes, const uint32_t *words,
                  size_t stride, size_t quads, size_t n) {
#if defined(VEC_VNNI)
    vec_i32 upper[Q8_SCORE_QUERIES][Q8_VECTORS];
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++) upper[q][v] =
        (vec_i32){0};
#endif
    for (size_t quad = 0; quad < quads; quad++, codes += KV_PAGE * QUAD, words += 2 * stride) {
        vec_i32 key[Q8_VECTORS];
        VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++) key[v] =
            (vec_i32)vec_load_quads(codes + v * VEC_BYTES);
        VEC_UNROLL for (size_t q = 0; q < n; q++) {
            vec_i32 a = vec_splat_word(words[2 * q]), b = vec_splat_word(words[2 * q + 1]);
            VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++) {
#if defined(VEC_VNNI)
                upper[q][v] = (vec_i32)_mm512_dpbusd_epi32((__m512i)upper[q][v], (__m512i)key[v], (__m512i)a);
                sums[q][v] = (vec_i32)_mm512_dpbusd_epi32((__m512i)sums[q][v], (__m512i)key[v], (__m512i)b);
#else
                vec_i16 even = (vec_i16)(key[v] & 0x00FF00FF), odd = (vec_i16)((vec_u16)key[v] >> 8);
                sums[q][v] = vec_dot2(vec_dot2(sums[q][v], even, (vec_i16)a), odd, (vec_i16)b);
#endif
            }
        }
    }
#if defined(VEC_VNNI)
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++) sums[q][v] +=
        upper[q][v] << 8;
#endif
}

VEC void q8_scores_part(float *scores, const float *scales, const uint8_t *codes, const uint32_t *words,
                        const int32_t *offsets, size_t stride, size_t dim, size_t n) {
    vec_f32 acc[Q8_SCORE_QUERIES][Q8_VECTORS];
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++) acc[q][v] =
        (vec_f32){0};
    for (size_t quad = 0, quads = q8_quads(dim); quad < quads; quad += BLOCK_QUADS) {
        vec_i32 sums[Q8_SCORE_QUERIES][Q8_VECTORS];
        size_t rest = quads - quad;
        VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++)
            sums[q][v] = vec_splat_word((uint32_t)offsets[q]);
        if (rest >= BLOCK_QUADS) q8_block(sums, codes, words, stride, BLOCK_QUADS, n);
        else q8_block(sums, codes, words, stride, rest, n);
        VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++) {
            vec_f32 scale = vec_load(scales + v * LANES);
            VEC_UNROLL for (size_t q = 0; q < n; q++) acc[q][v] =
                vec_fma(scale, vec_from_ints(sums[q][v]), acc[q][v]);
        }
        codes += BLOCK_QUADS * KV_PAGE * QUAD, words += BLOCK_QUADS * 2 * stride;
        offsets += stride, scales += KV_PAGE;
    }
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < Q8_VECTORS; v++)
        vec_store(scores + q * KV_PAGE + v * LANES, acc[q][v]);
}

VEC void q8_scores_some(float *scores, const float *scales, const uint8_t *codes, const uint32_t *words,
                        const int32_t *offsets, size_t stride, size_t dim, size_t n) {
    for (size_t at = 0; at < KV_PAGE; at += Q8_VECTORS * LANES)
        q8_scores_part(scores + at, scales + at, codes + at * QUAD, words, offsets, stride, dim, n);
}

/* scores[q * KV_PAGE + position] of the n queries of a tile, without the queries' scales. */
static __attribute__((noinline)) void attention_q8_scores(float *scores, const void *keys,
                                                          struct q8_queries queries, size_t dim, size_t n) {
    const float *scales = keys;
    const uint8_t *codes = (const uint8_t *)(scales + kv_blocks(dim) * KV_PAGE);
    size_t q = 0;
    for (; q + Q8_SCORE_QUERIES <= n; q += Q8_SCORE_QUERIES)
        q8_scores_some(scores + q * KV_PAGE, scales, codes, queries.words + 2 * q, queries.offsets + q, n,
                       dim, Q8_SCORE_QUERIES);
    for (; q < n; q++)
        q8_scores_some(scores + q * KV_PAGE, scales, codes, queries.words + 2 * q, queries.offsets + q, n,
                       dim, 1);
}

/* --- values ---------------------------------------------------------------------------------------------
 */

/* The weights of a tile's queries for one block of dims, and what a step of each is. */
struct q8_weights {
    uint8_t bytes[TILE][KV_PAGE];
    float step[TILE], up[TILE];
};

/* The largest of KV_PAGE scales, NaN where one is: as integers, of which NaN's are the largest. */
VEC float q8_largest_scale(const float *scales) {
    vec_i32 most = {0};
    VEC_UNROLL for (size_t i = 0; i < KV_PAGE; i += LANES) {
        vec_i32 bits = (vec_i32)vec_load(scales + i) & 0x7FFFFFFF, more = bits > most;
        most = (bits & more) | (most & ~more);
    }
    return vec_max_across_bits(most);
}

VEC void q8_put_bytes(uint8_t *out, vec_f32 w, vec_f32 up) {
    vec_i32 bits = (vec_i32)vec_fma(w, up, vec_splat(0x1.8p23F)); /* the whole number is in the low bits */
#if defined(VEC_AVX512)
    _mm_storeu_si128((__m128i *)(void *)out, _mm512_cvtepi32_epi8((__m512i)bits));
#else
    for (int i = 0; i < LANES; i++) out[i] = (uint8_t)bits[i];
#endif
}

VEC void q8_round_row(uint8_t *bytes, const float *weights, const float *scales, float up) {
    VEC_UNROLL for (size_t i = 0; i < KV_PAGE; i += LANES)
        q8_put_bytes(bytes + i, vec_load(weights + i) * vec_load(scales + i), vec_splat(up));
}

VEC void q8_steps(struct q8_weights *w, const float *largest) {
    for (size_t i = 0; i < TILE; i += LANES) {
        vec_f32 most = vec_load(largest + i), step = most * (1 / 255.0F);
        vec_i32 none = step < 0x1p-126F;
        vec_store(w->step + i, (vec_f32)((vec_i32)step & ~none));
        vec_store(w->up + i, (vec_f32)((vec_i32)(255 / most) & ~none));
    }
}

/* All queries see all positions. */
VEC void q8_round(struct q8_weights *w, const float *weights, const float *peak, const float *scales,
                  size_t n) {
    float largest[TILE];
    vec_f32 most = vec_splat(q8_largest_scale(scales));
    for (size_t i = 0; i < TILE; i += LANES) vec_store(largest + i, vec_load(peak + i) * most);
    q8_steps(w, largest);
    for (size_t q = 0; q < n; q++) q8_round_row(w->bytes[q], weights + q * KV_PAGE, scales, w->up[q]);
}

/* Each query sees its own: the scales of other positions, whatever they are, count as 0. */
static void q8_round_edge(struct q8_weights *w, const float *weights, const float *peak, const float *scales,
                          const struct span_of_page *seen, size_t n) {
    float own[TILE][KV_PAGE] = {{0}}, largest[TILE] = {0};
    for (size_t q = 0; q < n; q++) {
        for (size_t j = seen[q].from; j < seen[q].end; j++) own[q][j] = scales[j];
        largest[q] = peak[q] * q8_largest_scale(own[q]);
    }
    q8_steps(w, largest);
    for (size_t q = 0; q < n; q++) q8_round_row(w->bytes[q], weights + q * KV_PAGE, own[q], w->up[q]);
}

/* `vectors` vectors of dims for n queries from `first` of a tile on. */
VEC void q8_values_part(float *out, size_t row, const int8_t *codes, const struct q8_weights *w,
                        const float *rescale, size_t first, size_t n, size_t vectors) {
    vec_i32 acc[Q8_VALUE_QUERIES][Q8_VECTORS];
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < vectors; v++) acc[q][v] =
        (vec_i32){0};
    for (size_t quad = 0; quad < PAGE_QUADS; quad++, codes += row * QUAD) {
        vec_i32 value[Q8_VECTORS];
        VEC_UNROLL for (size_t v = 0; v < vectors; v++) value[v] =
            (vec_i32)vec_load_quads(codes + v * VEC_BYTES);
        VEC_UNROLL for (size_t q = 0; q < n; q++) {
            uint32_t word;
            memcpy(&word, w->bytes[first + q] + quad * QUAD, sizeof word);
#if defined(VEC_VNNI)
            vec_i32 p = vec_splat_word(word);
            VEC_UNROLL for (size_t v = 0; v < vectors; v++) acc[q][v] =
                (vec_i32)_mm512_dpbusd_epi32((__m512i)acc[q][v], (__m512i)p, (__m512i)value[v]);
#else
            vec_i16 even = (vec_i16)vec_splat_word(word & 0x00FF00FF);
            vec_i16 odd = (vec_i16)vec_splat_word(word >> 8 & 0x00FF00FF);
            VEC_UNROLL for (size_t v = 0; v < vectors; v++) {
                vec_i16 low = (vec_i16)((vec_i16)((vec_u16)value[v] << 8) >> 8),
                        high = (vec_i16)value[v] >> 8;
                acc[q][v] = vec_dot2(vec_dot2(acc[q][v], low, even), high, odd);
            }
#endif
        }
    }
    VEC_UNROLL for (size_t q = 0; q < n; q++) {
        vec_f32 step = vec_splat(w->step[first + q]), scale = vec_splat(rescale[first + q]);
        VEC_UNROLL for (size_t v = 0; v < vectors; v++) {
            float *o = out + (first + q) * row + v * LANES;
            vec_store(o, vec_fma(step, vec_from_ints(acc[q][v]), vec_load(o) * scale));
        }
    }
}

VEC void q8_values_some(float *out, size_t row, const int8_t *codes, const struct q8_weights *w,
                        const float *rescale, size_t n, size_t vectors) {
    size_t q = 0;
    for (; q + Q8_VALUE_QUERIES <= n; q += Q8_VALUE_QUERIES)
        q8_values_part(out, row, codes, w, rescale, q, Q8_VALUE_QUERIES, vectors);
    for (; Q8_VALUE_QUERIES > 4 && q + 4 <= n; q += 4)
        q8_values_part(out, row, codes, w, rescale, q, 4, vectors);
    for (; q < n; q++) q8_values_part(out, row, codes, w, rescale, q, 1, vectors);
}

/* out[q * row ...] = out * rescale[q] + the sum of weights[q * KV_PAGE + position] * value; of a masked
 * position the weight is 0. */
static __attribute__((noinline)) void attention_q8_values(float *out, size_t dim, const void *values,
                                                          const struct tile *tile) {
    size_t row = kv_value_row(dim);
    const float *scales = values;
    const int8_t *codes = (const int8_t *)(scales + kv_blocks(dim) * KV_PAGE);
    struct q8_weights w;
    for (size_t d = 0; d < row; d += Q8_VECTORS * LANES) {
        const float *scale = scales + d / KV_BLOCK * KV_PAGE;
        if (d % KV_BLOCK == 0 && tile->sees_all) q8_round(&w, tile->scores, tile->peak, scale, tile->n);
        else if (d % KV_BLOCK == 0) q8_round_edge(&w, tile->scores, tile->peak, scale, tile->seen, tile->n);
        if (d + Q8_VECTORS * LANES <= row)
            q8_values_some(out + d, row, codes + d * QUAD, &w, tile->rescale, tile->n, Q8_VECTORS);
        else
            q8_values_some(out + d, row, codes + d * QUAD, &w, tile->rescale, tile->n, 1); /* 16 of 32 dims */
    }
}

#endif
