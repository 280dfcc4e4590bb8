/* feed: the quantised activations of a few tokens as the inner loops take them.
 *
 * Owns nothing; any thread.
 *
 * Clones that multiply quads of bytes (VEC_DOT4), or pairs where the codes are small enough (VEC_PAIRS), take
 * activations of eight bits as they are; else they are widened to words first, and then there is one path for
 * both widths.
 */
#ifndef ENGINE_KERNELS_EXACT_FEED_H
#define ENGINE_KERNELS_EXACT_FEED_H

#include "engine/kernels/exact/expand.h"
#include "engine/kernels/exact/tile.h"

/* How this clone multiplies quads of this form with activations of eight bits: 0 not at all, 1 by vec_dot4;
 * more: by pairs, the products of so many quads summed as words. */
VEC int feed_together(enum panel_form form) {
    if (VEC_DOT4 || !VEC_PAIRS) return VEC_DOT4;
    const int fit = INT16_MAX / (2 * 127 * expand_most(form)), part = EXPAND_QUADS / expand_parts(form);
    return fit >= 8 && part == 8 ? 8 : fit >= 4 ? 4 : fit >= 2 ? 2 : 0;
}

/* Eight-bit activations as words: the low and the high bytes of the two words of a quad. */
VEC void feed_widen(int16_t *words, const int8_t *q, size_t n_columns) {
    for (size_t i = 0; i < n_columns; i += 4) {
        words[i] = q[i], words[i + 1] = q[i + 2];
        words[i + 2] = q[i + 1], words[i + 3] = q[i + 3];
    }
}

/* Columns [column, column + n) of a token; `words` is room for them where they are to be widened. */
VEC const void *feed_columns(int16_t *words, const struct quantized *x, size_t token, size_t column, size_t n,
                             bool bytes) {
    size_t at = token * x->width + column;
    if (x->bits == 16) return (const int16_t *)x->q + at;
    if (bytes) return (const int8_t *)x->q + at;
    feed_widen(words, (const int8_t *)x->q + at, n);
    return words;
}

/* Where the sums of integers of blocks [block, block + n) of a token begin, part p of block b at p * apart +
 * b: what the offset of the codes takes off, and for quads tile.h's bits. */
VEC void feed_start(int32_t *start, size_t apart, const struct quantized *x, size_t token, size_t block,
                    size_t n, int offset, int parts, bool bytes) {
    const int32_t *sums = x->sums + (token * x->width / QUANT_BLOCK + block) * 2;
    const int32_t bits = bytes ? TILE_BITS : 0;
    for (size_t b = 0; b < n && parts == 1; b++) start[b] = bits - offset * (sums[2 * b] + sums[2 * b + 1]);
    for (size_t b = 0; b < n && parts == 2; b++) start[b] = bits - offset * sums[2 * b];
    for (size_t b = 0; b < n && parts == 2; b++) start[apart + b] = bits - offset * sums[2 * b + 1];
}

/* What minima are multiplied by, one number for each part of blocks [block, block + n); `room` is for the
 * sums of halves. */
VEC const float *feed_sums(float *room, const struct quantized *x, size_t token, size_t block, size_t n,
                           enum panel_form form) {
    const size_t at = token * x->width / QUANT_BLOCK + block;
    if (expand_parts(form) == 1 || !expand_has_minimum(form)) return x->scaled_sum + at;
    for (size_t i = 0; i < 2 * n; i++) room[i] = x->scale[at + i / 2] * (float)x->sums[2 * at + i];
    return room;
}

VEC void feed_shift(float *shift, const float *scale, size_t n) {
    for (size_t i = 0; i < n; i++) shift[i] = -scale[i] * TILE_FLOAT;
}

#endif
