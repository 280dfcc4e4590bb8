/* direct: a panel times so few tokens that its codes are multiplied as they are unpacked. One stream of
 * weights from memory, asked for ahead, and enough sums at once to hide the multiplier's latency.
 *
 * Owns nothing; any thread. exact.h has the order, expand.h what a block is; tile.h is the path of many
 * tokens.
 */
#ifndef ENGINE_KERNELS_EXACT_DIRECT_H
#define ENGINE_KERNELS_EXACT_DIRECT_H

#include "engine/kernels/exact/feed.h"

enum {
    DIRECT_TOKENS = VEC_BYTES == 64 ? 3 : 1, /* at most */
    DIRECT_CHAINS = 2,
    DIRECT_PASSES = LINEAR_ROWS / LANES, /* over a panel */
    /* How far ahead of the sum weights are asked for: a decode step reads each once, and the prefetcher of
     * the hardware stops at every 4 KiB. Past the end of the weights it is no fault. */
    DIRECT_AHEAD = 8192,
};

/* The panels of a product: of whole rows, or of some of their blocks. */
struct direct_panels {
    const uint8_t *at;
    size_t stride; /* bytes from one to the next */
    struct panel_shape shape;
    size_t block, n_blocks; /* of the rows; sums begin with block 0, before others `out` has them so far */
};

/* The activations of the tokens, from the panels' first column on. */
struct direct_feed {
    size_t n_blocks;
    const char *x[DIRECT_TOKENS];
    const float *scale[DIRECT_TOKENS], *scaled_sum[DIRECT_TOKENS];
    const int32_t *start[DIRECT_TOKENS]; /* feed_start, for forms with an offset */
    float *shift[DIRECT_TOKENS];         /* feed_shift, for quads */
};

/* The sum of the products of n quads with a token, by pairs. */
VEC vec_i32 direct_pairs(const vec_u32 *quads, const char *x, enum panel_form form, int n) {
    const int together = feed_together(form);
    vec_i32 sum = {0};
    VEC_UNROLL for (int q = 0; q < n; q += together) {
        vec_i16 words = {0};
        VEC_UNROLL for (int i = q; i < q + together; i++) {
            words += vec_mul_pairs(quads[i], vec_splat_quad(x + 4 * i));
            VEC_SETTLE(words);
        }
        sum += vec_add_pairs(words);
    }
    return sum;
}

/* Part p of a block: the sums of the products of its codes, from the tokens' starts on. */
VEC void direct_products(vec_i32 *sums, const vec_u32 *quads, const struct direct_feed *feed, size_t block,
                         enum panel_form form, bool bytes, int p, int n_tokens) {
    const int parts = expand_parts(form), n_quads = EXPAND_QUADS / parts;
    const size_t from = (block * EXPAND_QUADS + (size_t)(p * n_quads)) * (bytes ? 4 : 8);
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
        vec_i32 chain[DIRECT_CHAINS] = {{0}, {0}};
        if (expand_offset(form))
            chain[0] = (vec_i32)vec_splat_quad(&feed->start[c][(size_t)p * feed->n_blocks + block]);
        else if (bytes) chain[0] = (vec_i32)((vec_u32){0} + TILE_BITS);
        if (bytes && VEC_PAIRS) {
            sums[c] = chain[0] + direct_pairs(quads + p * n_quads, feed->x[c] + from, form, n_quads);
            continue;
        }
        VEC_UNROLL for (int q = 0; q < n_quads; q++) {
            vec_u32 quad = quads[p * n_quads + q];
            const char *x = feed->x[c] + from + q * (bytes ? 4 : 8);
            vec_i32 *sum = &chain[q % DIRECT_CHAINS];
            if (bytes) *sum = vec_dot4(*sum, quad, vec_splat_quad(x));
            else
                VEC_UNROLL for (int pair = 0; pair < 2; pair++) *sum =
                    vec_dot2(*sum, expand_pair(quad, pair), (vec_i16)vec_splat_quad(x + 4 * pair));
        }
        sums[c] = chain[0] + chain[1];
    }
}

VEC void direct_block(vec_f32 *acc, const uint8_t *group, size_t sub, size_t first_row, size_t block,
                      struct expand_head head, const struct direct_feed *feed, enum panel_form form,
                      struct panel_shape shape, bool bytes, int n_tokens) {
    vec_u32 quads[EXPAND_QUADS];
    vec_f32 d[EXPAND_PARTS], m[EXPAND_PARTS];
    expand_scales(d, m, form, head, group, sub, first_row);
    expand_quads(quads, form, shape, group, sub, first_row);
    VEC_UNROLL for (int p = 0; p < expand_parts(form); p++) {
        vec_i32 sums[DIRECT_TOKENS];
        direct_products(sums, quads, feed, block, form, bytes, p, n_tokens);
        VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
            vec_f32 by = vec_splat(feed->scale[c][block]), in;
            if (bytes) in = vec_fma((vec_f32)sums[c], by, vec_splat(feed->shift[c][block]));
            else in = by * vec_from_ints(sums[c]);
            if (expand_has_minimum(form))
                acc[c] = vec_fma(
                    m[p], vec_splat(feed->scaled_sum[c][block * (size_t)expand_parts(form) + (size_t)p]),
                    acc[c]);
            acc[c] = vec_fma(d[p], in, acc[c]);
        }
    }
}

/* What a pass asks for from memory: where one is all, what comes DIRECT_AHEAD; else its share of the next
 * panel, so that memory never rests while the panel that is there is gone through again. */
VEC const char *direct_ahead(const uint8_t *panel, size_t first_row, const struct direct_panels *of) {
    const struct panel_shape *shape = &of->shape;
    const size_t n_groups = (of->n_blocks + shape->subs - 1) / shape->subs;
    const size_t bytes = n_groups * (shape->header_bytes + shape->subs * shape->lines * PANEL_LINE);
    if (DIRECT_PASSES == 1) return (const char *)panel + DIRECT_AHEAD;
    return (const char *)panel + of->stride + first_row / LANES * (bytes / DIRECT_PASSES);
}

/* The share of so many bytes of the panel; returns where the next begins. */
VEC const char *direct_ask(const char *ahead, size_t bytes) {
    const size_t share = bytes / DIRECT_PASSES;
    for (size_t i = 0; i < share; i += PANEL_LINE) __builtin_prefetch(ahead + i);
    return ahead + share;
}

/* LANES rows of a panel from `first_row` on, times every token: out[c * LINEAR_ROWS] gets LANES results. */
VEC void direct_rows(float *out, const uint8_t *panel, size_t first_row, const struct direct_panels *of,
                     const struct direct_feed *feed, enum panel_form form, bool bytes, int n_tokens) {
    const struct panel_shape shape = of->shape;
    const size_t n_blocks = of->n_blocks, block_bytes = shape.lines * PANEL_LINE,
                 step = shape.subs > 1 ? 2 : 1;
    const char *ahead = direct_ahead(panel, first_row, of);
    vec_f32 acc[DIRECT_TOKENS];
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) acc[c] =
        of->block ? vec_load(out + c * LINEAR_ROWS) : (vec_f32){0};
    for (size_t b = 0; b < n_blocks; panel += shape.header_bytes + shape.subs * block_bytes) {
        struct expand_head head = expand_head(form, shape, panel, 0, first_row);
        ahead = direct_ask(ahead, shape.header_bytes);
        for (size_t sub = 0; sub < shape.subs && b < n_blocks; sub += step)
            VEC_UNROLL for (size_t s = 0; s < step; s++, b++) {
                if (b == n_blocks) break;
                if (expand_another_head(form, shape, sub + s))
                    head = expand_head(form, shape, panel, sub + s, first_row);
                ahead = direct_ask(ahead, block_bytes);
                direct_block(acc, panel, sub + s, first_row, b, head, feed, form, shape, bytes, n_tokens);
            }
    }
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) vec_store(out + c * LINEAR_ROWS, acc[c]);
}

/* What the tokens' activations are from the panels' first block on. `room` holds what feed.h prepares. */
VEC struct direct_feed direct_feed(const struct quantized *x, size_t token, const struct direct_panels *of,
                                   enum panel_form form, bool bytes, int n_tokens, char *room) {
    const size_t n_blocks = of->n_blocks, width = n_blocks * QUANT_BLOCK;
    struct direct_feed feed = {.n_blocks = n_blocks};
    VEC_UNROLL for (int c = 0; c < n_tokens; c++) {
        size_t i = token + (size_t)c;
        int32_t *start = (int32_t *)(void *)room;
        room += n_blocks * SLAB_PARTS * sizeof *start;
        feed.shift[c] = (float *)(void *)room;
        room += n_blocks * sizeof(float);
        feed.scaled_sum[c] = feed_sums((float *)(void *)room, x, i, of->block, n_blocks, form);
        room += n_blocks * SLAB_PARTS * sizeof(float);
        feed.x[c] = feed_columns((int16_t *)(void *)room, x, i, of->block * QUANT_BLOCK, width, bytes);
        room += width * sizeof(int16_t);
        feed.start[c] = start, feed.scale[c] = x->scale + i * (x->width / QUANT_BLOCK) + of->block;
        if (expand_offset(form))
            feed_start(start, n_blocks, x, i, of->block, n_blocks, expand_offset(form), expand_parts(form),
                       bytes);
        if (bytes) feed_shift(feed.shift[c], feed.scale[c], n_blocks);
    }
    return feed;
}

/* Units [begin, end) for tokens [token, token + n_tokens). */
VEC void direct_tokens(const struct linear_task *t, const struct direct_panels *of, size_t begin, size_t end,
                       size_t token, enum panel_form form, bool bytes, int n_tokens, char *room) {
    const struct direct_feed feed = direct_feed(&t->quantized, token, of, form, bytes, n_tokens, room);
    for (size_t unit = begin; unit < end; unit++) {
        float out[DIRECT_TOKENS * LINEAR_ROWS], *to = t->out.at + token * t->out.stride + unit * LINEAR_ROWS;
        const uint8_t *panel = of->at + unit * of->stride;
        size_t row = unit * LINEAR_ROWS, rows = t->n_rows - row < LINEAR_ROWS ? t->n_rows - row : LINEAR_ROWS;
        for (int c = 0; c < n_tokens && of->block; c++)
            memcpy(out + c * LINEAR_ROWS, to + (size_t)c * t->out.stride, rows * sizeof *out);
        for (size_t first = 0; first < LINEAR_ROWS; first += LANES)
            direct_rows(out + first, panel, first, of, &feed, form, bytes, n_tokens);
        for (int c = 0; c < n_tokens; c++)
            memcpy(to + (size_t)c * t->out.stride, out + c * LINEAR_ROWS, rows * sizeof *out);
    }
}

#endif
