/* The tiles of tile.h, one function for each kind and number of tokens. */
#include "engine/kernels/exact/tile.h"

/* Where the sums of integers of part `part` begin for token c. */
VEC vec_i32 tile_start(const struct slab_feed *feed, bool quads, int parts, size_t part, int c) {
    if (!quads) return (vec_i32){0};
    size_t at = part / (size_t)parts + part % (size_t)parts * SLAB_BLOCKS;
    return (vec_i32)vec_splat_quad(&feed->start[(size_t)c * SLAB_PARTS * SLAB_BLOCKS + at]);
}

/* What step `step` of a part multiplies: a vector of rows each. */
VEC void tile_codes(vec_u32 w[SLAB_VECTORS], const char *codes, size_t step) {
    VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++) w[r] =
        vec_load_quads(codes + (step * SLAB_VECTORS + (size_t)r) * VEC_BYTES);
}

/* sums += the products of part `part` of the slab with every token. */
VEC void tile_products(vec_i32 *sums, const char *codes, const char *const *x, size_t part, bool quads,
                       int parts, int n_tokens) {
    const size_t steps =
        (quads ? QUANT_BLOCK / 4 : QUANT_BLOCK / 2) / (size_t)parts; /* four bytes of x each */
    codes += part * steps * SLAB_VECTORS * VEC_BYTES;
    VEC_UNROLL for (size_t s = 0; s < steps; s++) {
        vec_u32 w[SLAB_VECTORS];
        tile_codes(w, codes, s);
        VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
            vec_u32 in = vec_splat_quad(x[c] + (part * steps + s) * 4);
            VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++) {
                vec_i32 *sum = &sums[c * SLAB_VECTORS + r];
                *sum = quads ? vec_dot4(*sum, w[r], in) : vec_dot2(*sum, (vec_i16)w[r], (vec_i16)in);
            }
        }
    }
}

/* The same of quads by pairs: the products of `together` steps are summed as words. */
VEC void tile_pairs(vec_i32 *sums, const char *codes, const char *const *x, size_t part, size_t together,
                    int parts, int n_tokens) {
    const size_t steps = QUANT_BLOCK / 4 / (size_t)parts;
    codes += part * steps * SLAB_VECTORS * VEC_BYTES;
    VEC_UNROLL for (size_t from = 0; from < steps; from += together) {
        vec_i16 words[TILE_TOKENS * SLAB_VECTORS];
        VEC_UNROLL for (int i = 0; i < n_tokens * SLAB_VECTORS; i++) words[i] = (vec_i16){0};
        VEC_UNROLL for (size_t s = from; s < from + together; s++) {
            vec_u32 w[SLAB_VECTORS];
            tile_codes(w, codes, s);
            VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
                vec_u32 in = vec_splat_quad(x[c] + (part * steps + s) * 4);
                VEC_UNROLL for (int r = 0; r < SLAB_VECTORS; r++) {
                    words[c * SLAB_VECTORS + r] += vec_mul_pairs(w[r], in);
                    VEC_SETTLE(words[c * SLAB_VECTORS + r]);
                }
            }
        }
        VEC_UNROLL for (int i = 0; i < n_tokens * SLAB_VECTORS; i++) sums[i] += vec_add_pairs(words[i]);
    }
}

VEC void tile_run(const struct tile *t, int together, bool minimum, int parts, int n_tokens) {
    const struct slab *slab = t->slab;
    const bool quads = together > 0;
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
        if (together > 1) tile_pairs(sums, codes, x, part, (size_t)together, parts, n_tokens);
        else tile_products(sums, codes, x, part, quads, parts, n_tokens);
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

#define TILE_(name, together, minimum, parts, n)                                                             \
    __attribute__((noinline)) static void tile_##name##_##n(const struct tile *t) {                          \
        tile_run(t, together, minimum, parts, n);                                                            \
    }
#if defined(VEC_AVX512)
#define TILE(name, together, minimum, parts)                                                                 \
    TILE_(name, together, minimum, parts, 4)                                                                 \
    TILE_(name, together, minimum, parts, 5)                                                                 \
    TILE_(name, together, minimum, parts, 6)                                                                 \
    TILE_(name, together, minimum, parts, 7)                                                                 \
    static void (*const tile_##name[])(const struct tile *) = {tile_##name##_4, tile_##name##_5,             \
                                                               tile_##name##_6, tile_##name##_7};
enum { TILE_LEAST = 4 };
#else
#define TILE(name, together, minimum, parts)                                                                 \
    TILE_(name, together, minimum, parts, 2)                                                                 \
    TILE_(name, together, minimum, parts, 3)                                                                 \
    TILE_(name, together, minimum, parts, 4)                                                                 \
    static void (*const tile_##name[])(const struct tile *) = {tile_##name##_2, tile_##name##_3,             \
                                                               tile_##name##_4};
enum { TILE_LEAST = 2 };
#endif

TILE(words, 0, false, 1)
TILE(words_min, 0, true, 1)
TILE(words_halves, 0, false, 2)
TILE(words_halves_min, 0, true, 2)
#if VEC_DOT4
TILE(quads, 1, false, 1)
TILE(quads_min, 1, true, 1)
TILE(quads_halves, 1, false, 2)
TILE(quads_halves_min, 1, true, 2)
#elif VEC_PAIRS
TILE(eight, 8, false, 1)
TILE(eight_min, 8, true, 1)
TILE(four, 4, false, 1)
TILE(four_min, 4, true, 1)
TILE(four_halves, 4, false, 2)
TILE(four_halves_min, 4, true, 2)
TILE(two_min, 2, true, 1)
TILE(two_halves, 2, false, 2)
#endif

/* Those that a form has: [parts - 1][has a minimum]. */
typedef void (*const *const tile_kinds[2][2])(const struct tile *);

void EXACT(tile)(const struct tile *t, struct tile_kind kind) {
    static const tile_kinds of_words = {{tile_words, tile_words_min},
                                        {tile_words_halves, tile_words_halves_min}};
#if VEC_DOT4
    static const tile_kinds of_quads = {{tile_quads, tile_quads_min},
                                        {tile_quads_halves, tile_quads_halves_min}};
    const tile_kinds *of = kind.together ? &of_quads : &of_words;
#elif VEC_PAIRS
    static const tile_kinds by_eight = {{tile_eight, tile_eight_min}, {NULL, NULL}},
                            by_four = {{tile_four, tile_four_min}, {tile_four_halves, tile_four_halves_min}},
                            by_two = {{NULL, tile_two_min}, {tile_two_halves, NULL}};
    const tile_kinds *of = kind.together == 8   ? &by_eight
                           : kind.together == 4 ? &by_four
                           : kind.together == 2 ? &by_two
                                                : &of_words;
#else
    const tile_kinds *of = &of_words;
#endif
    (*of)[kind.parts - 1][kind.minimum][t->n_tokens - TILE_LEAST](t);
}
