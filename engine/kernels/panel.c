#include "engine/kernels/panel.h"

#include "engine/kernels/kernel.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "GGUF blocks and panel words are little-endian");

enum { HALF = 2 /* bytes of an f16 */ };

/* The low nibbles of bytes 0, 2, 4 and 6 side by side. */
static uint16_t gather_nibbles(uint64_t bytes) {
    bytes &= 0x000F000F000F000F;
    bytes = (bytes | bytes >> 12) & 0x000000FF000000FF;
    return (uint16_t)(bytes | bytes >> 24);
}

/* 16 bytes of nibbles, columns 0 to 15 in the low halves and 16 to 31 in the high, into 4 lines. */
static void pack_nibbles(uint8_t *lines, const uint8_t *quants, size_t row, uint16_t flip) {
    for (size_t line = 0; line < 4; line++) {
        uint64_t bytes;
        memcpy(&bytes, quants + line % 2 * 8, sizeof bytes);
        bytes >>= line / 2 * 4;
        uint16_t words[2] = {gather_nibbles(bytes) ^ flip, gather_nibbles(bytes >> 8) ^ flip};
        memcpy(lines + line * PANEL_LINE + row * sizeof words, words, sizeof words);
    }
}

/* 32 bytes into 8 lines of 4, the middle two changing places. */
static void pack_bytes(uint8_t *lines, const uint8_t *quants, size_t row) {
    for (size_t line = 0; line < 8; line++, quants += 4) {
        uint8_t words[4] = {quants[0], quants[2], quants[1], quants[3]};
        memcpy(lines + line * PANEL_LINE + row * sizeof words, words, sizeof words);
    }
}

static void pack_block(uint8_t *block, enum dtype type, const uint8_t *from, size_t row) {
    size_t headers = type == DTYPE_Q4_1 ? 2 : 1;
    for (size_t h = 0; h < headers; h++)
        memcpy(block + (h * LINEAR_ROWS + row) * HALF, from + h * HALF, HALF);
    uint8_t *lines = block + headers * LINEAR_ROWS * HALF;
    const uint8_t *quants = from + headers * HALF;
    if (type == DTYPE_Q8_0) pack_bytes(lines, quants, row);
    else /* 8 of 16: a nibble with offset 8 becomes a signed one */
        pack_nibbles(lines, quants, row, type == DTYPE_Q4_0 ? 0x8888 : 0);
}

void panel_pack(void *out, enum dtype type, const void *rows, size_t n_rows, size_t n_cols, size_t panel) {
    const struct dtype_info *info = dtype_info(type);
    size_t n_blocks = n_cols / info->block_elements, from_bytes = info->block_bytes;
    size_t to_bytes = panel_block_bytes(type) * (info->block_elements / QUANT_BLOCK);
    size_t first = panel * LINEAR_ROWS;
    void (*pack)(uint8_t *, enum dtype, const uint8_t *, size_t) =
        kpanel_lines(type) ? kpanel_pack : pack_block;
    if (n_rows - first < LINEAR_ROWS) memset(out, 0, n_blocks * to_bytes);
    for (size_t r = 0; r < LINEAR_ROWS && first + r < n_rows; r++) {
        const uint8_t *row = (const uint8_t *)rows + (first + r) * n_blocks * from_bytes;
        for (size_t b = 0; b < n_blocks; b++)
            pack((uint8_t *)out + b * to_bytes, type, row + b * from_bytes, r);
    }
}
