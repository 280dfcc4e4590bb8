/* The tiles of tile.h, one function for each kind and number of tokens. */
#include "engine/kernels/exact/tile.h"

/* Where the sums of integers of part `part` begin for token c. */
VEC vec_i32 tile_start(const struct slab_feed *feed, bool quads, int parts, size_t part, int c) {
    if (!quads) return (vec_i32){0};
    size_t at = part / (size_t)parts + part % (size_t)parts * SLAB_BLOCKS;
    return (vec_i32)vec_splat_quad(&feed->start[(size_t)c * SLAB_PARTS * SLAB_BLOCKS + at]);
}

/* sums += the products of part `part` of the slab with every token. */
VEC void tile_products(vec_i32 *sums, const char *codes, const char *const *x, size_t part, bool quads,
                       int parts, int n_tokens) {
    const size_t steps =
        (quads ? QUANT_BLOCK / 4 : QUANT_BLOCK / 2) / (size_t)parts; /* four bytes of x each */
    codes += part * steps * SLAB_VECTORS * VEC_BYTES;
    VEC_UNROLL for (size_t s = 0; s < steps; s++) {
        vec_u32 w[SLAB_VECTORS];
        VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++) w[r] =
            vec_load_quads(codes + (s * SLAB_VECTORS + (size_t)r) * VEC_BYTES);
        VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
            vec_u32 in = vec_splat_quad(x[c] + (part * steps + s) * 4);
            VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++) {
                vec_i32 *sum = &sums[c * SLAB_VECTORS + r];
                *sum = quads ? vec_dot4(*sum, w[r], in) : vec_dot2(*sum, (vec_i16)w[r], (vec_i16)in);
            }
        }
    }
}

VEC void tile_run(const struct tile *t, bool quads, bool minimum, int parts, int n_tokens) {
    const struct slab *slab = t->slab;
    const char *codes = (const char *)slab->codes, *x[TILE_TOKENS];
    const float *scale[TILE_TOKENS], *scaled_sum[TILE_TOKENS];
    vec_f32 acc[TILE_TOKENS * SLAB_VECTORS];
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
        x[c] = t->x[c], scale[c] = t->scale[c], scaled_sum[c] = t->scaled_sum[c];
        VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++) acc[c * SLAB_VECTORS + r] =
            t->first ? (vec_f32){0} : vec_load(t->out[c] + r * LANES);
    }
    for (size_t part = 0; part < t->n_blocks * (size_t)parts; part++) { /* a block, or a half */
        const float *d = slab->d + part * SLAB_VECTORS * LANES, *m = slab->m + part * SLAB_VECTORS * LANES;
        const size_t b = part / (size_t)parts;
        vec_i32 sums[TILE_TOKENS * SLAB_VECTORS];
        VEC_UNROLL for (int i = 0; i < n_tokens * SLAB_VECTORS; i++) sums[i] =
            tile_start(t->feed, quads, parts, part, i / SLAB_VECTORS);
        tile_products(sums, codes, x, part, quads, parts, n_tokens);
        VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
            vec_f32 by = vec_splat(scale[c][b]);
            VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++) {
                vec_f32 *a = &acc[c * SLAB_VECTORS + r], in;
                vec_i32 i = sums[c * SLAB_VECTORS + r];
                if (quads)
                    in = vec_fma((vec_f32)i, by, vec_splat(t->feed->shift[(size_t)c * SLAB_BLOCKS + b]));
                else in = by * vec_from_ints(i);
                if (minimum) *a = vec_fma(vec_load(m + r * LANES), vec_splat(scaled_sum[c][part]), *a);
                *a = vec_fma(vec_load(d + r * LANES), in, *a);
            }
        }
    }
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++)
        vec_store(t->out[c] + r * LANES, acc[c * SLAB_VECTORS + r]);
}

#define TILE_(name, quads, minimum, parts, n)                                                                \
    __attribute__((noinline)) static void tile_##name##_##n(const struct tile *t) {                          \
        tile_run(t, quads, minimum, parts, n);                                                               \
    }
#if defined(VEC_AVX512)
#define TILE(name, quads, minimum, parts)                                                                    \
    TILE_(name, quads, minimum, parts, 4)                                                                    \
    TILE_(name, quads, minimum, parts, 5)                                                                    \
    TILE_(name, quads, minimum, parts, 6)                                                                    \
    TILE_(name, quads, minimum, parts, 7)                                                                    \
    static void (*const tile_##name[])(const struct tile *) = {tile_##name##_4, tile_##name##_5,             \
                                                               tile_##name##_6, tile_##name##_7};
enum { TILE_LEAST = 4 };
#else
#define TILE(name, quads, minimum, parts)                                                                    \
    TILE_(name, quads, minimum, parts, 2)                                                                    \
    TILE_(name, quads, minimum, parts, 3)                                                                    \
    TILE_(name, quads, minimum, parts, 4)                                                                    \
    static void (*const tile_##name[])(const struct tile *) = {tile_##name##_2, tile_##name##_3,             \
                                                               tile_##name##_4};
enum { TILE_LEAST = 2 };
#endif

TILE(words, false, false, 1)
TILE(words_min, false, true, 1)
TILE(words_halves, false, false, 2)
TILE(words_halves_min, false, true, 2)
#if VEC_DOT4
TILE(quads, true, false, 1)
TILE(quads_min, true, true, 1)
TILE(quads_halves, true, false, 2)
TILE(quads_halves_min, true, true, 2)
#endif

void EXACT(tile)(const struct tile *t, struct tile_kind kind) {
    int i = t->n_tokens - TILE_LEAST;
#if VEC_DOT4
    static void (*const *const of_quads[2][2])(const struct tile *) = {
        {tile_quads, tile_quads_min}, {tile_quads_halves, tile_quads_halves_min}};
    if (kind.quads) {
        of_quads[kind.parts - 1][kind.minimum][i](t);
        return;
    }
#endif
    static void (*const *const of_words[2][2])(const struct tile *) = {
        {tile_words, tile_words_min}, {tile_words_halves, tile_words_halves_min}};
    of_words[kind.parts - 1][kind.minimum][i](t);
}
