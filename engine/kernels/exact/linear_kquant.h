/* linear_kquant: the micro-kernel for panels of K-quants (exact.h has the order, kpanel.h the layout). Owns
 * nothing; any thread.
 *
 * As linear_quant.h, whose loops over rows and tokens it runs in, with a scale (Q6_K: two) and a minimum for
 * each block of activations. d * scale and dmin * min are exact in f32, so a sub-block is worth one block of
 * Q4_1. ggml's K-quant products add up scale * (integer sum) over 256 columns instead, because its
 * activations have one scale for as many; ours have one for 32.
 */
#ifndef ENGINE_KERNELS_EXACT_LINEAR_KQUANT_H
#define ENGINE_KERNELS_EXACT_LINEAR_KQUANT_H

#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/quant_tile.h"
#include "engine/kernels/exact/vec.h"
#include "engine/kernels/kpanel.h"
#include "engine/kernels/panel.h"

/* Columns (2 pair, 2 pair + 1) of a line; the bits above the nibbles start at bit 0 of `high`. */
VEC vec_i16 kquant_pair(vec_u16 words, vec_u16 high, enum dtype type, int pair) {
    vec_i16 low = (vec_i16)(words >> 4 * pair & 15);
    if (type == DTYPE_Q5_K) return low | (vec_i16)(high << (4 - pair) & 16);
    if (type == DTYPE_Q6_K) return low | ((vec_i16)(high << (14 - 2 * pair)) >> 10 & -16);
    return low;
}

/* sums[c] = the integer products of `n_lines` lines of nibbles with token c, in chains as in quant_block. */
VEC void kquant_lines(vec_i32 *sums, const uint8_t *lines, int n_lines, const uint8_t *high_line,
                      enum dtype type, const int16_t *q, size_t width, int n_tokens) {
    const int chains = n_tokens == 1 ? 4 : 1;
    vec_i32 chain[QUANT_TOKENS];
    vec_u16 high = {0};
    if (type != DTYPE_Q4_K) high = vec_load_words(high_line);
    VEC_UNROLL for (int c = 0; c < n_tokens * chains; c++) chain[c] = (vec_i32){0};
    for (int line = 0; line < n_lines; line++) {
        vec_u16 words = vec_load_words(lines + line * PANEL_LINE);
        VEC_UNROLL for (int pair = 0; pair < 4; pair++) {
            vec_i16 w = kquant_pair(words, high, type, pair);
            const int16_t *at = q + 2 * (line * 4 + pair);
            VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
                const int to = c * chains + pair % chains;
                chain[to] = vec_dot2(chain[to], w, vec_splat_pair(at + (size_t)c * width));
            }
        }
        high >>= type == DTYPE_Q6_K ? 8 : 4;
    }
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) sums[c] = chain[c * chains];
    VEC_UNROLL for (int c = 1; c < chains; c++) sums[0] += chain[c];
}

/* Byte `which` of every row's four. */
VEC vec_f32 kquant_scale(const uint8_t *at, enum dtype type, int which) {
    vec_u32 words;
    memcpy(&words, at, sizeof words);
    if (type == DTYPE_Q6_K) return vec_from_ints((vec_i32)(words << (24 - 8 * which)) >> 24);
    return vec_from_ints((vec_i32)(words >> 8 * which & 255));
}

/* acc += one sub-block of 32 columns, number `block` of the row; its scales are bytes `which`, `which` + 1.
 */
VEC void kquant_sub(vec_f32 *acc, const uint8_t *lines, enum dtype type, vec_f32 d, vec_f32 minus_dmin,
                    const uint8_t *scales, int which, const struct quantized *x, size_t token, size_t block,
                    int n_tokens) {
    const int parts = type == DTYPE_Q6_K ? 2 : 1, n_lines = 4 / parts;
    size_t apart = x->width / QUANT_BLOCK, at = token * apart + block;
    const int16_t *q = x->q + token * x->width + block * QUANT_BLOCK;
    if (type != DTYPE_Q6_K) {
        vec_f32 m = minus_dmin * kquant_scale(scales, type, which + 1);
        VEC_UNROLL for (int c = 0; c < n_tokens; c++) acc[c] =
            vec_fma(m, vec_splat(x->scaled_sum[at + (size_t)c * apart]), acc[c]);
    }
    VEC_UNROLL for (int part = 0; part < parts; part++) {
        vec_i32 sums[QUANT_TOKENS];
        kquant_lines(sums, lines + part * n_lines * PANEL_LINE, n_lines, lines + (4 + part) * PANEL_LINE,
                     type, q + part * n_lines * 8, x->width, n_tokens);
        vec_f32 scale = d * kquant_scale(scales, type, which + part);
        VEC_UNROLL for (int c = 0; c < n_tokens; c++) acc[c] =
            vec_fma(scale, vec_splat(x->scale[at + (size_t)c * apart]) * vec_from_ints(sums[c]), acc[c]);
    }
}

/* LANES rows of a panel from `first_row` on, times n_tokens tokens from `token` on: out[c * 16] gets LANES
 * results. */
VEC void kquant_rows(float *out, const uint8_t *panel, size_t first_row, enum dtype type,
                     const struct quantized *x, size_t token, int n_tokens) {
    const size_t sub_bytes = kpanel_lines(type) * PANEL_LINE;
    vec_f32 acc[QUANT_TOKENS];
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) acc[c] = (vec_f32){0};
    for (size_t block = 0; block < x->width / QUANT_BLOCK; panel += KPANEL_QUANTS + KPANEL_SUBS * sub_bytes) {
        vec_f32 d = vec_load_halves(panel + first_row * 2);
        vec_f32 minus_dmin = -vec_load_halves(panel + PANEL_LINE / 2 + first_row * 2);
        for (size_t s = 0; s < KPANEL_SUBS; s++, block++) {
            const uint8_t *lines = panel + KPANEL_QUANTS + s * sub_bytes;
            if (first_row == 0)
                for (size_t i = 0; i < sub_bytes; i += PANEL_LINE)
                    __builtin_prefetch(lines + PREFETCH_BYTES + i);
            kquant_sub(acc, lines + first_row * 4, type, d, minus_dmin,
                       panel + KPANEL_SCALES + s / 2 * PANEL_LINE + first_row * 4, (int)(s % 2 * 2), x, token,
                       block, n_tokens);
        }
    }
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) vec_store(out + c * LINEAR_ROWS, acc[c]);
}

#endif
