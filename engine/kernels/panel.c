#include "engine/kernels/panel.h"

#include "engine/kernels/kernel.h"

#include <string.h>

enum { HALF = 2 /* bytes of an f16 */ };

/* How a type's blocks lie in a file and how many f16 stand before its quants. */
static const struct format {
    enum dtype type;
    size_t headers, bits;
    unsigned flip; /* xor of every quant: 8 turns a nibble with offset 8 into a signed one */
} formats[] = {{DTYPE_Q4_0, 1, 4, 8}, {DTYPE_Q4_1, 2, 4, 0}, {DTYPE_Q8_0, 1, 8, 0}};

static const struct format *format_of(enum dtype type) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].type == type) return &formats[i];
    return NULL;
}

static size_t header_bytes(const struct format *f) { return f->headers * LINEAR_ROWS * HALF; }

/* Column c of a block as the file has it: nibbles hold columns j and j + 16. */
static unsigned quant(const struct format *f, const uint8_t *quants, size_t c) {
    if (f->bits == 8) return quants[c];
    return c < QUANT_BLOCK / 2 ? quants[c] & 15U : quants[c - QUANT_BLOCK / 2] >> 4;
}

static void pack_row(uint8_t *block, const struct format *f, const uint8_t *from, size_t r) {
    for (size_t h = 0; h < f->headers; h++)
        memcpy(block + (h * LINEAR_ROWS + r) * HALF, from + h * HALF, HALF);
    uint8_t *lines = block + header_bytes(f);
    size_t per_word = 16 / f->bits, columns = 2 * per_word;
    for (size_t c = 0; c < QUANT_BLOCK; c++) {
        size_t in_line = c % columns, word = 2 * r + in_line % 2, shift = in_line / 2 * f->bits;
        uint8_t *byte = lines + c / columns * PANEL_LINE + word * 2 + shift / 8;
        *byte = (uint8_t)(*byte | (quant(f, from + f->headers * HALF, c) ^ f->flip) << shift % 8);
    }
}

void panel_pack(void *out, enum dtype type, const void *rows, size_t n_rows, size_t n_cols, size_t panel) {
    const struct format *f = format_of(type);
    size_t n_blocks = n_cols / QUANT_BLOCK, from_bytes = dtype_info(type)->block_bytes;
    size_t to_bytes = panel_block_bytes(type), first = panel * LINEAR_ROWS;
    memset(out, 0, n_blocks * to_bytes);
    for (size_t r = 0; r < LINEAR_ROWS && first + r < n_rows; r++) {
        const uint8_t *row = (const uint8_t *)rows + (first + r) * n_blocks * from_bytes;
        for (size_t b = 0; b < n_blocks; b++)
            pack_row((uint8_t *)out + b * to_bytes, f, row + b * from_bytes, r);
    }
}
