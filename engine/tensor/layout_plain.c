/* Numbers one by one, some with a factor for each tile (DeepSeek-V3's FP8: transformers
 * integrations/finegrained_fp8.py; the blocks count from the first element, so that the last may be cut). */
#include "engine/tensor/layout.h"

#include <string.h>

static float tile_scale(const struct layout_tiles *t, size_t row, size_t column) {
    return layout_number(t->scales, t->type, row / t->n_rows * t->per_row + column / t->n_cols);
}

/* A row where it lies, then its scales, tile by tile. */
static void decode_row(float *out, const struct layout *l, size_t row) {
    size_t size = dtype_row_bytes(l->plain.type, 1), first = l->plain.column;
    const struct layout_tiles *tiles = &l->plain.tiles;
    dtype_decode(out, l->plain.type, (const char *)l->data + (row * l->plain.stride + first) * size,
                 l->n_cols);
    for (size_t c = 0; tiles->scales && c < l->n_cols;) {
        float scale = tile_scale(tiles, row, first + c);
        size_t left = tiles->n_cols - (first + c) % tiles->n_cols;
        size_t end = left < l->n_cols - c ? c + left : l->n_cols;
        for (; c < end; c++) out[c] *= scale;
    }
}

static float element(const struct layout *l, size_t row, size_t column) {
    float value = layout_number(l->data, l->plain.type, row * l->plain.stride + column);
    return l->plain.tiles.scales ? value * tile_scale(&l->plain.tiles, row, column) : value;
}

void layout_plain(float *out, const struct layout *layout, size_t stored) {
    const struct layout_plain *plain = &layout->plain;
    if (!plain->transposed && !plain->columns) {
        decode_row(out, layout, stored);
        return;
    }
    for (size_t c = 0; c < layout->n_cols; c++)
        out[c] = plain->transposed ? element(layout, plain->column + c, stored)
                                   : element(layout, stored, plain->columns[c]);
}

void layout_plain_copy(void *out, const struct layout *layout, size_t stored) {
    const struct layout_plain *plain = &layout->plain;
    size_t size = dtype_row_bytes(plain->type, 1);
    for (size_t c = 0; c < layout->n_cols; c++) {
        size_t row = plain->transposed ? plain->column + c : stored;
        size_t column = plain->transposed ? stored : plain->columns ? plain->columns[c] : plain->column + c;
        memcpy((char *)out + c * size, (const char *)layout->data + (row * plain->stride + column) * size,
               size);
    }
}
