/* attention_float: scores and weighted sums over a page of floats, for a tile of query heads.
 *
 * Owns:    nothing.
 * Trusts:  shapes; memory as kv.h lays it out.
 * Threads: any.
 *
 * A tile of up to TILE query heads has its queries side by side, [dim][n], so that one pointer walks through
 * them. The tiles are made so that their sums stay in registers (16 vectors of them where there are 32
 * registers, 8 where there are 16): every sum is one chain of fused multiply-adds, so how many run side by
 * side changes no bit.
 */
#ifndef ENGINE_KERNELS_EXACT_ATTENTION_FLOAT_H
#define ENGINE_KERNELS_EXACT_ATTENTION_FLOAT_H

#include "engine/kernels/exact/vec.h"
#include "engine/kernels/kernel.h"

enum {
    TILE = 16, /* query heads: as many as the widest vector has lanes */
#if defined(VEC_AVX512)
    SCORE_QUERIES = 8, /* side by side, times so many vectors of positions */
    SCORE_VECTORS = 2,
    VALUE_VECTORS = 4, /* of dims, for half a tile */
#elif defined(VEC_NEON)
    SCORE_QUERIES = 4,
    SCORE_VECTORS = 4,
    VALUE_VECTORS = 4,
#else
    SCORE_QUERIES = 4,
    SCORE_VECTORS = 2,
    VALUE_VECTORS = 2,
#endif
    VALUE_QUERIES = 4,
};

/* Positions [from, end) of a page. */
struct span_of_page {
    size_t from, end;
};

/* A tile and the page it is at. */
struct tile {
    size_t n;
    bool sees_all;                  /* each query head all positions of the page; else: */
    struct span_of_page seen[TILE]; /* which each sees */
    float scores[TILE * KV_PAGE];   /* weights later */
    float rescale[TILE];            /* what the sums so far count from now on */
    float peak[TILE];               /* the weight of the largest score */
};

/* LANES values of a page of this type, from `index` on. */
VEC vec_f32 kv_load(enum kv_type type, const void *at, size_t index) {
    if (type == KV_F32) return vec_load((const float *)at + index);
    const uint16_t *halves = (const uint16_t *)at + index;
    return type == KV_F16 ? vec_load_halves(halves) : vec_load_bfloats(halves);
}

/* --- scores ---------------------------------------------------------------------------------------------
 */

/* scores[q * KV_PAGE + position] = q k, for `vectors` vectors of positions and n queries of a tile of
 * `stride`. */
VEC void score_part(float *scores, enum kv_type type, const void *keys, const float *queries, size_t stride,
                    size_t dim, size_t n, size_t vectors) {
    vec_f32 acc[SCORE_QUERIES][SCORE_VECTORS];
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < vectors; v++) acc[q][v] =
        (vec_f32){0};
    for (size_t d = 0; d < dim; d++) {
        vec_f32 key[SCORE_VECTORS];
        VEC_UNROLL for (size_t v = 0; v < vectors; v++) key[v] = kv_load(type, keys, d * KV_PAGE + v * LANES);
        VEC_UNROLL for (size_t q = 0; q < n; q++) {
            vec_f32 x = vec_splat(queries[d * stride + q]);
            VEC_UNROLL for (size_t v = 0; v < vectors; v++) acc[q][v] = vec_fma(x, key[v], acc[q][v]);
        }
    }
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < vectors; v++)
        vec_store(scores + q * KV_PAGE + v * LANES, acc[q][v]);
}

VEC void score_queries(float *scores, enum kv_type type, const void *keys, const float *queries,
                       size_t stride, size_t dim, size_t n) {
    size_t bytes = type == KV_F32 ? sizeof(float) : sizeof(uint16_t);
    for (size_t at = 0; at < KV_PAGE; at += SCORE_VECTORS * LANES)
        score_part(scores + at, type, (const char *)keys + at * bytes, queries, stride, dim, n,
                   SCORE_VECTORS);
}

/* n queries, at most SCORE_QUERIES. */
VEC void score_some(float *scores, enum kv_type type, const void *keys, const float *queries, size_t stride,
                    size_t dim, size_t n) {
    switch (n) {
#define CASE(n)                                                                                              \
    case n:                                                                                                  \
        score_queries(scores, type, keys, queries, stride, dim, n < SCORE_QUERIES ? n : SCORE_QUERIES);      \
        break
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
#undef CASE
    }
}

/* --- values ---------------------------------------------------------------------------------------------
 */

/* out[q] = out[q] * rescale[q], then fma(weight, value, out[q]) by ascending position, for `vectors` vectors
 * of dims and n queries whose rows of out lie `row` floats apart. */
VEC void value_part(float *out, size_t row, enum kv_type type, const void *values, const float *weights,
                    const float *rescale, struct span_of_page span, size_t n, size_t vectors) {
    vec_f32 acc[TILE][VALUE_VECTORS];
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < vectors; v++) acc[q][v] =
        vec_load(out + q * row + v * LANES) * vec_splat(rescale[q]);
    for (size_t j = span.from; j < span.end; j++) {
        vec_f32 value[VALUE_VECTORS];
        VEC_UNROLL for (size_t v = 0; v < vectors; v++) value[v] = kv_load(type, values, j * row + v * LANES);
        VEC_UNROLL for (size_t q = 0; q < n; q++) {
            vec_f32 p = vec_splat(weights[q * KV_PAGE + j]);
            VEC_UNROLL for (size_t v = 0; v < vectors; v++) acc[q][v] = vec_fma(p, value[v], acc[q][v]);
        }
    }
    VEC_UNROLL for (size_t q = 0; q < n; q++) VEC_UNROLL for (size_t v = 0; v < vectors; v++)
        vec_store(out + q * row + v * LANES, acc[q][v]);
}

/* n queries, at most VALUE_QUERIES; `row` is a multiple of 16. */
VEC void value_queries(float *out, size_t row, enum kv_type type, const void *values, const float *weights,
                       const float *rescale, struct span_of_page span, size_t n) {
    size_t d = 0, bytes = type == KV_F32 ? sizeof(float) : sizeof(uint16_t);
    const char *at = values;
    for (; d + VALUE_VECTORS * LANES <= row; d += VALUE_VECTORS * LANES)
        value_part(out + d, row, type, at + d * bytes, weights, rescale, span, n, VALUE_VECTORS);
    for (; d < row; d += LANES) value_part(out + d, row, type, at + d * bytes, weights, rescale, span, n, 1);
}

VEC void value_some(float *out, size_t row, enum kv_type type, const void *values, const float *weights,
                    const float *rescale, struct span_of_page span, size_t n) {
    switch (n) {
    case 1: value_queries(out, row, type, values, weights, rescale, span, 1); break;
    case 2: value_queries(out, row, type, values, weights, rescale, span, 2); break;
    case 3: value_queries(out, row, type, values, weights, rescale, span, 3); break;
    case 4: value_queries(out, row, type, values, weights, rescale, span, 4); break;
    }
}

/* --- one type ---------------------------------------------------------------------------------------------
 */

#define ATTENTION_FLOAT(name, type)                                                                          \
    static __attribute__((noinline)) void scores_##name(float *scores, const void *keys,                     \
                                                        const float *queries, size_t dim, size_t n) {        \
        for (size_t q = 0; q < n; q += SCORE_QUERIES)                                                        \
            score_some(scores + q * KV_PAGE, type, keys, queries + q, n, dim,                                \
                       n - q < SCORE_QUERIES ? n - q : SCORE_QUERIES);                                       \
    }                                                                                                        \
    static __attribute__((noinline)) void values_##name(float *out, size_t row, const void *values,          \
                                                        const float *weights, const float *rescale,          \
                                                        struct span_of_page span, size_t n) {                \
        for (size_t q = 0; q < n; q += VALUE_QUERIES)                                                        \
            value_some(out + q * row, row, type, values, weights + q * KV_PAGE, rescale + q, span,           \
                       n - q < VALUE_QUERIES ? n - q : VALUE_QUERIES);                                       \
    }
ATTENTION_FLOAT(f32, KV_F32)
ATTENTION_FLOAT(f16, KV_F16)
ATTENTION_FLOAT(bf16, KV_BF16)

/* The scores of n query heads of a tile with a page: scores[q * KV_PAGE + position]. */
static inline void attention_float_scores(float *scores, enum kv_type type, const void *keys,
                                          const float *queries, size_t dim, size_t n) {
    if (type == KV_F32) scores_f32(scores, keys, queries, dim, n);
    else if (type == KV_F16) scores_f16(scores, keys, queries, dim, n);
    else scores_bf16(scores, keys, queries, dim, n);
}

/* out[q * row ...] = out * rescale[q], then fma(weight, value, out) by ascending position of the span. */
static inline void attention_float_values(float *out, size_t row, enum kv_type type, const void *values,
                                          const float *weights, const float *rescale,
                                          struct span_of_page span, size_t n) {
    if (type == KV_F32) values_f32(out, row, values, weights, rescale, span, n);
    else if (type == KV_F16) values_f16(out, row, values, weights, rescale, span, n);
    else values_bf16(out, row, values, weights, rescale, span, n);
}

/* n values of a page as f32; n is a multiple of 16. */
static inline void attention_float_expand(float *out, enum kv_type type, const void *page, size_t n) {
    if (type == KV_F16)
        for (size_t i = 0; i < n; i += LANES) vec_store(out + i, kv_load(KV_F16, page, i));
    else
        for (size_t i = 0; i < n; i += LANES) vec_store(out + i, kv_load(KV_BF16, page, i));
}

#endif
