#include "engine/tensor/layout.h"

#include <assert.h>

static size_t stored_row(const struct layout *l, size_t row) {
    return l->rows ? l->rows[row] : l->first + row * l->step;
}

/* --- plain ---------------------------------------------------------------------------------------------- */

static float tile_scale(const struct layout_tiles *t, size_t row, size_t column) {
    size_t at = row / t->n_rows * t->per_row + column / t->n_cols;
    float scale;
    dtype_decode(&scale, t->type, (const char *)t->scales + at * dtype_row_bytes(t->type, 1), 1);
    return scale;
}

/* A row where it lies, then its scales, run by run. */
static void decode_plain_row(float *out, const struct layout *l, size_t row) {
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

/* One element after the other. */
static void decode_plain_picked(float *out, const struct layout *l, size_t row) {
    size_t size = dtype_row_bytes(l->plain.type, 1);
    for (size_t c = 0; c < l->n_cols; c++) {
        size_t column = l->plain.columns[c];
        const char *at = (const char *)l->data + (row * l->plain.stride + column) * size;
        dtype_decode(&out[c], l->plain.type, at, 1);
        if (l->plain.tiles.scales) out[c] *= tile_scale(&l->plain.tiles, row, column);
    }
}

static void decode_plain_column(float *out, const struct layout *l, size_t column) {
    size_t size = dtype_row_bytes(l->plain.type, 1);
    for (size_t c = 0; c < l->n_cols; c++) {
        size_t row = l->plain.column + c;
        dtype_decode(&out[c], l->plain.type, (const char *)l->data + (row * l->plain.stride + column) * size,
                     1);
        if (l->plain.tiles.scales) out[c] *= tile_scale(&l->plain.tiles, row, column);
    }
}

static void decode_plain(float *out, const struct layout *l, size_t row) {
    if (l->plain.transposed) decode_plain_column(out, l, row);
    else if (l->plain.columns) decode_plain_picked(out, l, row);
    else decode_plain_row(out, l, row);
}

void layout_decode(float *out, const struct layout *layout, size_t row) {
    size_t stored = stored_row(layout, row);
    switch (layout->kind) {
    case LAYOUT_PLAIN: decode_plain(out, layout, stored); return;
    }
    assert(false && "a kind of layout that nothing makes");
}
