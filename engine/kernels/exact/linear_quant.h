/* linear_quant: panels of quantised weights times 16-bit activations (exact.h has the order, panel.h the
 * layout). Owns nothing; any thread.
 *
 * One micro-kernel: 16 rows times C tokens. Rows are lanes, so the order of a row's sum is the order of the
 * loop; a block is unpacked once for C tokens; C is a constant of each copy, so that the accumulators are
 * registers (gcc 12 keeps arrays in registers only when every index is constant: VEC_UNROLL). Interleaved
 * rows and activations quantised once are llama.cpp's and ik_llama.cpp's ideas; see the commits.
 */
#ifndef ENGINE_KERNELS_EXACT_LINEAR_QUANT_H
#define ENGINE_KERNELS_EXACT_LINEAR_QUANT_H

#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/linear_kquant.h"
#include "engine/kernels/exact/quant_tile.h"
#include "engine/kernels/exact/vec.h"
#include "engine/kernels/panel.h"

/* Columns (2 pair, 2 pair + 1) of a line. */
VEC vec_i16 quant_pair(vec_u16 words, enum dtype type, int pair) {
    if (type == DTYPE_Q4_1) return (vec_i16)(words >> 4 * pair & 15);
    int bits = type == DTYPE_Q8_0 ? 8 : 4; /* signed: the panel holds Q4_0's nibble - 8 */
    return (vec_i16)(words << (16 - bits - bits * pair)) >> (16 - bits);
}

/* sums[c] = the integer products of one block with token c. Few tokens need more chains than one a token to
 * hide the latency of the multiply; integers may be added in any order. */
VEC void quant_block(vec_i32 *sums, const uint8_t *lines, enum dtype type, const int16_t *q, size_t width,
                     int n_tokens) {
    const int pairs = type == DTYPE_Q8_0 ? 2 : 4, n_lines = QUANT_BLOCK / (2 * pairs);
    const int chains = n_tokens == 1 ? pairs : 1;
    vec_i32 chain[QUANT_TOKENS];
    VEC_UNROLL for (int c = 0; c < n_tokens * chains; c++) chain[c] = (vec_i32){0};
    for (int line = 0; line < n_lines; line++) {
        vec_u16 words = vec_load_words(lines + line * PANEL_LINE);
        VEC_UNROLL for (int pair = 0; pair < pairs; pair++) {
            vec_i16 w = quant_pair(words, type, pair);
            const int16_t *at = q + 2 * (line * pairs + pair);
            VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
                const int to = c * chains + pair % chains;
                chain[to] = vec_dot2(chain[to], w, vec_splat_pair(at + (size_t)c * width));
            }
        }
    }
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) sums[c] = chain[c * chains];
    VEC_UNROLL for (int c = 1; c < chains; c++) sums[0] += chain[c];
}

/* LANES rows of a panel, from word 2 * first_row of each line, times n_tokens tokens from `token` on:
 * out[c * 16] gets LANES results. */
VEC void quant_rows(float *out, const uint8_t *panel, size_t first_row, enum dtype type,
                    const struct quantized *x, size_t token, int n_tokens) {
    const size_t block_bytes = panel_block_bytes(type), minima = 2 * LINEAR_ROWS;
    const size_t header = type == DTYPE_Q4_1 ? 2 * minima : minima;
    size_t n_blocks = x->width / QUANT_BLOCK, at = token * n_blocks;
    const int16_t *q = x->q + token * x->width;
    vec_f32 acc[QUANT_TOKENS];
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) acc[c] = (vec_f32){0};
    for (size_t b = 0; b < n_blocks; b++, panel += block_bytes, q += QUANT_BLOCK) {
        vec_i32 sums[QUANT_TOKENS];
        if (first_row == 0)
            for (size_t i = 0; i < block_bytes; i += PANEL_LINE)
                __builtin_prefetch(panel + PREFETCH_BYTES + i);
        quant_block(sums, panel + header + first_row * 4, type, q, x->width, n_tokens);
        vec_f32 d = vec_load_halves(panel + first_row * 2), m = {0};
        if (type == DTYPE_Q4_1) m = vec_load_halves(panel + minima + first_row * 2);
        VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
            size_t block = at + (size_t)c * n_blocks + b;
            if (type == DTYPE_Q4_1) acc[c] = vec_fma(m, vec_splat(x->scaled_sum[block]), acc[c]);
            acc[c] = vec_fma(d, vec_splat(x->scale[block]) * vec_from_ints(sums[c]), acc[c]);
        }
    }
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) vec_store(out + c * LINEAR_ROWS, acc[c]);
}

VEC void quant_tokens(const struct linear_task *t, const uint8_t *panel, size_t row, size_t token,
                      int n_tokens) {
    float out[QUANT_TOKENS * LINEAR_ROWS];
    for (size_t first = 0; first < LINEAR_ROWS; first += LANES)
        if (kpanel_lines(t->type) > 0)
            kquant_rows(out + first, panel, first, t->type, &t->quantized, token, n_tokens);
        else quant_rows(out + first, panel, first, t->type, &t->quantized, token, n_tokens);
    size_t rows = t->n_rows - row < LINEAR_ROWS ? t->n_rows - row : LINEAR_ROWS;
    for (int c = 0; c < n_tokens; c++)
        memcpy(t->out.at + (token + (size_t)c) * t->out.stride + row, out + c * LINEAR_ROWS,
               rows * sizeof *out);
}

/* The whole kernel, for one constant type. */
VEC void linear_quant(const struct task *task, size_t begin, size_t end, enum dtype type) {
    struct linear_task t = task->linear;
    t.type = type;
    size_t panel_bytes = t.n_cols / QUANT_BLOCK * panel_block_bytes(type);
    for (size_t unit = begin; unit < end; unit++) {
        const uint8_t *panel = (const uint8_t *)t.weights + unit * panel_bytes;
        size_t row = unit * LINEAR_ROWS, i = 0;
        for (; i + QUANT_TOKENS <= task->n; i += QUANT_TOKENS) quant_tokens(&t, panel, row, i, QUANT_TOKENS);
        for (; i + 2 <= task->n; i += 2) quant_tokens(&t, panel, row, i, 2);
        for (; i < task->n; i++) quant_tokens(&t, panel, row, i, 1);
    }
}

#endif
