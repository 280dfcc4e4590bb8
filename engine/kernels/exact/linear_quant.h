/* linear_quant: panels of quantised weights times activations of 16 or 8 bits (exact.h has the order, panel.h
 * the layout).
 *
 * Owns nothing; any thread.
 *
 * Rows are lanes, so the order of a row's sum is the order of the loop over blocks, whatever the tile. Few
 * tokens: direct.h. Many: two vectors of rows are unpacked into a slab, and all tokens go past it in tiles.
 */
#ifndef ENGINE_KERNELS_EXACT_LINEAR_QUANT_H
#define ENGINE_KERNELS_EXACT_LINEAR_QUANT_H

#include "engine/kernels/exact/direct.h"

/* Blocks [block, block + n) of LANES rows into vector r of the slab. */
VEC void linear_fill(struct slab *slab, int r, const uint8_t *panel, size_t first_row, size_t block, size_t n,
                     enum panel_form form, struct panel_shape shape, bool bytes) {
    const size_t group_bytes = shape.header_bytes + shape.subs * shape.lines * PANEL_LINE;
    const size_t vector = SLAB_VECTORS * VEC_BYTES, parts = (size_t)expand_parts(form);
    char *codes = (char *)slab->codes + r * VEC_BYTES;
    float *d = slab->d + r * LANES, *m = slab->m + r * LANES;
    for (size_t b = 0; b < n; b++) {
        const uint8_t *group = panel + (block + b) / shape.subs * group_bytes;
        vec_u32 quads[EXPAND_QUADS];
        vec_f32 scales[EXPAND_PARTS], minima[EXPAND_PARTS];
        struct expand_head head = expand_head(form, shape, group, (block + b) % shape.subs, first_row);
        expand_scales(scales, minima, form, head, group, (block + b) % shape.subs, first_row);
        expand_quads(quads, form, shape, group, (block + b) % shape.subs, first_row);
        for (size_t p = 0; p < parts; p++, d += SLAB_VECTORS * LANES, m += SLAB_VECTORS * LANES) {
            vec_store(d, scales[p]);
            if (expand_has_minimum(form)) vec_store(m, minima[p]);
        }
        VEC_UNROLL for (int q = 0; q < EXPAND_QUADS; q++) {
            if (bytes) vec_store_quads(codes, quads[q]);
            for (int pair = 0; pair < 2 && !bytes; pair++)
                vec_store_quads(codes + (size_t)pair * vector,
                                (vec_u32)(expand_pair(quads[q], pair) - (int16_t)expand_offset(form)));
            codes += bytes ? vector : 2 * vector;
        }
    }
}

/* What the slabs' rows are: `rows` of the weights from `row` on, of which the last may be missing. */
struct linear_part {
    size_t row, rows, block, n_blocks;
};

/* What a tile of tokens needs, whatever the rows. */
VEC void linear_feed(struct tile *tile, const struct linear_task *t, struct slab_feed *feed,
                     struct linear_part part, size_t token, enum panel_form form, bool bytes) {
    const struct quantized *x = &t->quantized;
    const size_t n_blocks = x->width / QUANT_BLOCK, parts = (size_t)expand_parts(form);
    for (int c = 0; c < tile->n_tokens; c++) {
        size_t i = token + (size_t)c, at = i * n_blocks + part.block;
        tile->x[c] = feed_columns(feed->words + c * SLAB_COLUMNS, x, i, part.block * QUANT_BLOCK,
                                  part.n_blocks * QUANT_BLOCK, bytes);
        tile->scale[c] = x->scale + at;
        tile->scaled_sum[c] = feed_sums(feed->sums + (size_t)c * SLAB_BLOCKS * SLAB_PARTS, x, i, part.block,
                                        part.n_blocks, form);
        if (!bytes) continue;
        feed_start(feed->start + c * SLAB_PARTS * SLAB_BLOCKS, SLAB_BLOCKS, x, i, part.block, part.n_blocks,
                   expand_offset(form), (int)parts, bytes);
        feed_shift(feed->shift + c * SLAB_BLOCKS, tile->scale[c], part.n_blocks);
    }
}

/* A tile of tokens times one slab, whose rows are `rows` from `row` on; where rows are missing, through
 * memory that has room for all. */
VEC void linear_tile(struct tile *tile, const struct linear_task *t, float *edge, size_t row, size_t rows,
                     size_t token, struct tile_kind kind) {
    const bool whole = rows == SLAB_VECTORS * LANES;
    float *out = t->out.at + token * t->out.stride + row;
    for (int c = 0; c < tile->n_tokens; c++) {
        float *from = out + (size_t)c * t->out.stride, *apart = edge + c * SLAB_VECTORS * LANES;
        tile->out[c] = whole ? from : apart;
        if (!whole && !tile->first) memcpy(apart, from, rows * sizeof *out);
    }
    EXACT(tile)(tile, kind);
    for (int c = 0; c < tile->n_tokens && !whole; c++)
        memcpy(out + (size_t)c * t->out.stride, tile->out[c], rows * sizeof *out);
}

VEC size_t linear_least(size_t a, size_t b) { return a < b ? a : b; }

/* The part's rows into slabs. A slab without rows for its second vector repeats the first. */
VEC void linear_fill_slabs(struct slabs *slabs, const struct direct_panels *of, struct linear_part part,
                           enum panel_form form, bool bytes) {
    for (size_t at = 0; at < part.rows; at += SLAB_VECTORS * LANES)
        for (int r = 0; r < SLAB_VECTORS; r++) {
            size_t further = (size_t)r * LANES < part.rows - at ? (size_t)r * LANES : 0,
                   row = part.row + at + further;
            const uint8_t *panel = of->at + row / LINEAR_ROWS * of->stride;
            linear_fill(&slabs->at[at / (SLAB_VECTORS * LANES)], r, panel, row % LINEAR_ROWS,
                        part.block - of->block, part.n_blocks, form, of->shape, bytes);
        }
}

/* All tokens past the slabs, in tiles as equal as can be: none is small. */
VEC void linear_pass(const struct linear_task *t, struct slabs *slabs, struct linear_part part, size_t n,
                     enum panel_form form, bool bytes) {
    const struct tile_kind kind = {bytes ? feed_together(form) : 0, expand_has_minimum(form),
                                   expand_parts(form)};
    const size_t n_tiles = (n + TILE_TOKENS - 1) / TILE_TOKENS, width = SLAB_VECTORS * LANES;
    for (size_t i = 0; i < n_tiles; i++) {
        size_t token = n * i / n_tiles;
        struct tile tile = {.feed = &slabs->feed,
                            .n_blocks = part.n_blocks,
                            .first = part.block == 0,
                            .n_tokens = (int)(n * (i + 1) / n_tiles - token)};
        linear_feed(&tile, t, &slabs->feed, part, token, form, bytes);
        for (size_t at = 0; at < part.rows; at += width) {
            tile.slab = &slabs->at[at / width];
            linear_tile(&tile, t, slabs->feed.edge, part.row + at, linear_least(part.rows - at, width), token,
                        kind);
        }
    }
}

VEC void linear_tiles(const struct linear_task *t, const struct direct_panels *of, size_t n, size_t begin,
                      size_t end, enum panel_form form, bool bytes, struct slabs *slabs) {
    const size_t end_block = of->block + of->n_blocks;
    const size_t last = linear_least(end * LINEAR_ROWS, t->n_rows);
    const bool many = n >= SLAB_TOKENS;
    const size_t most_rows = (many ? SLAB_TOGETHER : 1) * SLAB_VECTORS * LANES,
                 most_blocks = many    ? SLAB_BLOCKS
                               : bytes ? 16
                                       : 8; /* of bytes twice as many fit */
    struct linear_part part = {.row = begin * LINEAR_ROWS};
    for (; part.row < last; part.row += part.rows) {
        part.rows = linear_least(last - part.row, most_rows);
        for (part.block = of->block; part.block < end_block; part.block += part.n_blocks) {
            part.n_blocks = linear_least(end_block - part.block, most_blocks);
            linear_fill_slabs(slabs, of, part, form, bytes);
            linear_pass(t, slabs, part, n, form, bytes);
        }
    }
}

VEC void linear_width(const struct task *task, const struct direct_panels *of, size_t begin, size_t end,
                      enum panel_form form, bool bytes, void *scratch) {
    const struct linear_task *t = &task->linear;
    if (task->n == 1) direct_tokens(t, of, begin, end, 0, form, bytes, 1, scratch);
    else if (task->n == 2 && DIRECT_TOKENS > 1) direct_tokens(t, of, begin, end, 0, form, bytes, 2, scratch);
    else if (task->n == 3 && DIRECT_TOKENS > 1) direct_tokens(t, of, begin, end, 0, form, bytes, 3, scratch);
    else linear_tiles(t, of, task->n, begin, end, form, bytes, scratch);
}

VEC void linear_panels(const struct task *task, const struct direct_panels *of, size_t begin, size_t end,
                       enum panel_form form, void *scratch) {
    const bool has_quads = feed_together(form) > 0;
    if (has_quads && task->linear.quantized.bits == 8)
        linear_width(task, of, begin, end, form, has_quads, scratch);
    else linear_width(task, of, begin, end, form, false, scratch);
}

/* The whole kernel, for one constant form. */
VEC void linear_quant(const struct task *task, size_t begin, size_t end, enum panel_form form,
                      void *scratch) {
    const struct linear_task *t = &task->linear;
    const struct direct_panels of = {.at = t->weights,
                                     .stride = panel_bytes(t->type, t->n_cols),
                                     .shape = panel_shape(form),
                                     .n_blocks = t->n_cols / QUANT_BLOCK};
    linear_panels(task, &of, begin, end, form, scratch);
}

#endif
