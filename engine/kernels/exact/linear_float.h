/* linear_float: panels of F32, F16 or BF16 weights (fpanel.h) times f32 activations (exact.h has the order).
 * Owns nothing; any thread.
 *
 * One micro-kernel: P panels times C tokens over one block of columns. Rows are lanes and every (row, token)
 * has a chain of its own, so the tile's shape never shows in the bits; a result is carried from block to
 * block through `out`. Many tokens: a block of P panels becomes f32 once, in scratch, and is multiplied by
 * them all while it is in the cache. Few: weights are converted in registers, P streams from memory at once.
 * Blocks of K in cache and a register tile fed by broadcasts are Goto and van de Geijn's (ACM TOMS 34, 2008).
 */
#ifndef ENGINE_KERNELS_EXACT_LINEAR_FLOAT_H
#define ENGINE_KERNELS_EXACT_LINEAR_FLOAT_H

#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/vec.h"
#include "engine/kernels/fpanel.h"

enum {
    FLOAT_TOKENS = 6,
/* What leaves room for operands in 32 or 16 registers; without a fused instruction little is gained. */
#if defined(VEC_AVX512) || defined(VEC_NEON)
    FLOAT_ACCUMULATORS = 24,
#else
    FLOAT_ACCUMULATORS = LANES == 8 ? 12 : 8,
#endif
    FLOAT_LINE = 64,
    FLOAT_SLAB = FLOAT_COLUMNS * FLOAT_LINE, /* a block of one panel in f32 */
    FLOAT_AHEAD = 2048, /* bytes of each stream that are fetched before they are needed */
};

/* Weights of some panels, from the block's first column on. */
struct float_block {
    const char *at;
    size_t stride; /* bytes from panel to panel */
    size_t n;      /* columns */
};

/* What a tile multiplies and where it goes. */
struct float_tile {
    const float *x; /* the first token, at the block's first column */
    size_t x_stride;
    float *out; /* [token][row] */
    size_t out_stride;
    size_t n_rows; /* rows there are */
    bool first;    /* block of the columns: nothing to add to */
};

/* LANES rows of one column. */
VEC vec_f32 float_weights(const char *panel, enum dtype type, size_t column, size_t part) {
    if (type == DTYPE_F32)
        return vec_load((const float *)(const void *)(panel + column * FLOAT_LINE + part * VEC_BYTES));
    if (type == DTYPE_F16) return vec_load_halves(panel + column * (FLOAT_LINE / 2) + part * (VEC_BYTES / 2));
    vec_u32 pair = vec_load_quads(panel + column / 2 * FLOAT_LINE + part * VEC_BYTES);
    return (vec_f32)(column % 2 ? pair & 0xFFFF0000U : pair << 16);
}

VEC void float_column(vec_f32 *acc, const struct float_block *w, enum dtype type, const struct float_tile *t,
                      size_t column, int panels, int tokens) {
    vec_f32 weights[FLOAT_ACCUMULATORS];
    const int vectors = panels * PARTS;
    VEC_UNROLL for (int v = 0; v < vectors; v++) weights[v] =
        float_weights(w->at + (size_t)(v / PARTS) * w->stride, type, column, (size_t)(v % PARTS));
    VEC_UNROLL for (int c = 0; c < tokens; c++) {
        vec_f32 x = vec_splat(t->x[(size_t)c * t->x_stride + column]);
        VEC_UNROLL for (int v = 0; v < vectors; v++) acc[c * vectors + v] =
            vec_fma(weights[v], x, acc[c * vectors + v]);
    }
}

/* The block's columns for `tokens` tokens into sums[token][LINEAR_ROWS * panels]. `fetch`: from memory, so
 * ask for it early. */
VEC void float_tile(float *sums, const struct float_block *w, enum dtype type, const struct float_tile *t,
                    int panels, int tokens, bool fetch) {
    const int vectors = panels * PARTS;
    const size_t pair_bytes = type == DTYPE_F32 ? 2 * FLOAT_LINE : FLOAT_LINE;
    vec_f32 acc[FLOAT_ACCUMULATORS];
    VEC_UNROLL for (int i = 0; i < vectors * tokens; i++) acc[i] = (vec_f32){0};
    size_t column = 0;
    for (; column + 2 <= w->n; column += 2) {
        for (int p = 0; fetch && p < panels; p++) {
            const char *ahead = w->at + (size_t)p * w->stride + column / 2 * pair_bytes + FLOAT_AHEAD;
            __builtin_prefetch(ahead);
            if (type == DTYPE_F32) __builtin_prefetch(ahead + FLOAT_LINE);
        }
        float_column(acc, w, type, t, column, panels, tokens);
        float_column(acc, w, type, t, column + 1, panels, tokens);
    }
    if (column < w->n) float_column(acc, w, type, t, column, panels, tokens);
    VEC_UNROLL for (int i = 0; i < vectors * tokens; i++) vec_store(sums + i * LANES, acc[i]);
}

/* gcc keeps the accumulators of a tile in registers when the tile is a function of its own. */
#define FLOAT_TILE(name, type, panels, tokens, fetch)                                                        \
    static __attribute__((noinline)) void name##_##panels##_##tokens(                                        \
        float *sums, const struct float_block *w, const struct float_tile *t) {                              \
        if (panels * PARTS * tokens <= FLOAT_ACCUMULATORS) /* the others are never called */                 \
            float_tile(sums, w, type, t, panels, tokens, fetch);                                             \
    }
#define FLOAT_TILES(name, type, fetch)                                                                       \
    FLOAT_TILE(name, type, 1, 1, fetch)                                                                      \
    FLOAT_TILE(name, type, 1, 2, fetch)                                                                      \
    FLOAT_TILE(name, type, 1, 4, fetch)                                                                      \
    FLOAT_TILE(name, type, 1, 6, fetch)                                                                      \
    FLOAT_TILE(name, type, 2, 1, fetch)                                                                      \
    FLOAT_TILE(name, type, 2, 2, fetch)                                                                      \
    FLOAT_TILE(name, type, 2, 4, fetch)                                                                      \
    FLOAT_TILE(name, type, 2, 6, fetch)                                                                      \
    FLOAT_TILE(name, type, 4, 1, fetch)                                                                      \
    FLOAT_TILE(name, type, 4, 2, fetch)                                                                      \
    FLOAT_TILE(name, type, 4, 4, fetch)                                                                      \
    FLOAT_TILE(name, type, 4, 6, fetch)                                                                      \
    static float_tile_fn *const name##_tiles[3][4] = {{name##_1_1, name##_1_2, name##_1_4, name##_1_6},      \
                                                      {name##_2_1, name##_2_2, name##_2_4, name##_2_6},      \
                                                      {name##_4_1, name##_4_2, name##_4_4, name##_4_6}};

typedef void float_tile_fn(float *sums, const struct float_block *w, const struct float_tile *t);

/* A tile's sums into the results. */
static void float_finish(const struct float_tile *t, const float *sums, size_t panels, size_t tokens) {
    size_t width = panels * LINEAR_ROWS, rows = t->n_rows < width ? t->n_rows : width;
    for (size_t c = 0; c < tokens; c++, sums += width) {
        float *out = t->out + c * t->out_stride;
        if (t->first) memcpy(out, sums, rows * sizeof *out);
        else
            for (size_t r = 0; r < rows; r++) out[r] += sums[r];
    }
}

VEC void float_expand(float *slab, const struct float_block *w, enum dtype type, size_t panels) {
    for (size_t p = 0; p < panels; p++, slab += FLOAT_SLAB / sizeof *slab)
        for (size_t column = 0; column < w->n; column++)
            VEC_UNROLL for (size_t part = 0; part < PARTS; part++)
                vec_store(slab + column * LINEAR_ROWS + part * LANES,
                          float_weights(w->at + p * w->stride, type, column, part));
}

/* The widest tile for so many tokens: its number among the token counts of the tables. */
static size_t float_step(size_t panels, size_t tokens) {
    static const size_t steps[] = {1, 2, 4, 6};
    size_t i = 3;
    while (i > 0 && (steps[i] > tokens || panels * PARTS * steps[i] > FLOAT_ACCUMULATORS)) i--;
    return i;
}

/* One block of columns of some panels, every token. */
static void float_block(const struct float_block *w, struct float_tile *t, size_t panels, size_t n,
                        float_tile_fn *const tiles[3][4]) {
    static const size_t steps[] = {1, 2, 4, 6};
    float sums[FLOAT_ACCUMULATORS * LANES];
    for (size_t i = 0; i < n;) {
        size_t which = float_step(panels, n - i), tokens = steps[which];
        tiles[panels / 2][which](sums, w, t);
        float_finish(t, sums, panels, tokens);
        i += tokens;
        t->x += tokens * t->x_stride;
        t->out += tokens * t->out_stride;
    }
}

/* `panels` of them from unit `unit` on, all tokens. */
VEC void float_panels(const struct linear_task *t, size_t n, size_t unit, size_t panels, enum dtype type,
                      float_tile_fn *const from_memory[3][4], float_tile_fn *const from_slab[3][4],
                      float *slab) {
    const size_t panel_bytes = fpanel_bytes(type, t->n_cols), column_bytes = type == DTYPE_F32 ? 64 : 32;
    const bool many = n > 2 * FLOAT_TOKENS;
    for (size_t from = 0; from < t->n_cols; from += FLOAT_COLUMNS) {
        struct float_block w = {(const char *)t->weights + unit * panel_bytes + from * column_bytes,
                                panel_bytes,
                                t->n_cols - from < FLOAT_COLUMNS ? t->n_cols - from : FLOAT_COLUMNS};
        struct float_tile tile = {.x = t->in.at + from,
                                  .x_stride = t->in.stride,
                                  .out = t->out.at + unit * LINEAR_ROWS,
                                  .out_stride = t->out.stride,
                                  .n_rows = t->n_rows - unit * LINEAR_ROWS,
                                  .first = from == 0};
        if (many && type != DTYPE_F32) {
            float_expand(slab, &w, type, panels);
            w.at = (const char *)slab, w.stride = FLOAT_SLAB;
        }
        float_block(&w, &tile, panels, n, many ? from_slab : from_memory);
    }
}

/* The whole kernel, for one constant type. Four panels at once where their tile fits the registers. */
VEC void linear_float(const struct task *task, size_t begin, size_t end, enum dtype type,
                      float_tile_fn *const from_memory[3][4], float_tile_fn *const from_slab[3][4],
                      void *scratch) {
    const struct linear_task *t = &task->linear;
    const size_t n = task->n, vectors = PARTS * (n < FLOAT_TOKENS ? n : FLOAT_TOKENS);
    for (size_t unit = begin, panels = 4; n > 0 && unit < end; unit += panels) {
        while (panels > 1 && (unit + panels > end || panels * vectors > FLOAT_ACCUMULATORS)) panels /= 2;
        float_panels(t, n, unit, panels, type, from_memory, from_slab, scratch);
    }
}

#endif
