#include "engine/kernels/panel.h"

#include "engine/kernels/cpanel.h"
#include "engine/kernels/fpanel.h"
#include "engine/kernels/kernel.h"
#include "engine/kernels/kpanel.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "GGUF blocks and panel lines are little-endian");

enum { HALF = 2 /* bytes of an f16 */ };

enum panel_form panel_form_of(enum dtype type) {
    switch ((int)type) {
    case DTYPE_Q8_0: return PANEL_Q8_0;
    case DTYPE_Q4_0: return PANEL_Q4_0;
    case DTYPE_Q4_1: return PANEL_Q4_1;
    case DTYPE_Q4_K: return PANEL_Q4_K;
    case DTYPE_Q5_K: return PANEL_Q5_K;
    case DTYPE_Q6_K: return PANEL_Q6_K;
    case DTYPE_Q5_0: return PANEL_Q5_0;
    case DTYPE_Q5_1: return PANEL_Q5_1;
    case DTYPE_IQ4_NL: return PANEL_IQ4_NL;
    case DTYPE_MXFP4: return PANEL_MXFP4;
    case DTYPE_IQ4_XS: return PANEL_IQ4_XS;
    case DTYPE_Q3_K: return PANEL_Q3_K;
    case DTYPE_Q2_K: return PANEL_Q2_K;
    default: return PANEL_NONE;
    }
}

static size_t blocks_bytes(struct panel_shape shape, size_t n_blocks) {
    if (shape.subs == 0) return 0;
    size_t groups = (n_blocks + shape.subs - 1) / shape.subs;
    return groups * shape.header_bytes + n_blocks * shape.lines * PANEL_LINE;
}

size_t panel_bytes(enum dtype type, size_t n_cols) {
    enum panel_form form = panel_form_of(type);
    return form == PANEL_NONE ? fpanel_bytes(type, n_cols)
                              : blocks_bytes(panel_shape(form), n_cols / QUANT_BLOCK);
}

static void put_line(uint8_t *block, size_t line, uint32_t word) {
    memcpy(block + line * PANEL_LINE, &word, sizeof word);
}

/* 16 bytes of nibbles, columns 0 to 15 in the low halves and 16 to 31 in the high, into 4 lines. */
static void pack_nibbles(uint8_t *block, const uint8_t *quants) {
    for (size_t line = 0; line < 2; line++) {
        uint64_t quads;
        memcpy(&quads, quants + 8 * line, sizeof quads);
        quads = panel_quads(quads);
        put_line(block, line, panel_fold(quads));
        put_line(block, line + 2, panel_fold(quads >> 4));
    }
}

/* 32 signed bytes into 8 lines of quads, offset by 128. */
static void pack_bytes(uint8_t *block, const uint8_t *quants) {
    for (size_t line = 0; line < 8; line += 2) {
        uint64_t quads;
        memcpy(&quads, quants + 4 * line, sizeof quads);
        quads = panel_quads(quads ^ UINT64_C(0x8080808080808080));
        put_line(block, line, (uint32_t)quads);
        put_line(block, line + 1, (uint32_t)(quads >> 32));
    }
}

/* Block `sub` of a group: its scales lie behind one another in the header. */
static void pack_block(uint8_t *group, enum panel_form form, size_t sub, const uint8_t *from, size_t row) {
    const struct panel_shape shape = panel_shape(form);
    size_t scales = form == PANEL_Q4_1 ? 2 : 1;
    for (size_t h = 0; h < scales; h++)
        memcpy(group + ((sub * scales + h) * LINEAR_ROWS + row) * HALF, from + h * HALF, HALF);
    uint8_t *line = group + shape.header_bytes + sub * shape.lines * PANEL_LINE + 4 * row;
    if (form == PANEL_Q8_0) pack_bytes(line, from + scales * HALF);
    else pack_nibbles(line, from + scales * HALF);
}

void panel_pack(void *out, enum dtype type, const void *rows, size_t n_rows, size_t n_cols, size_t panel) {
    const enum panel_form form = panel_form_of(type);
    const struct panel_shape shape = panel_shape(form);
    const struct dtype_info *info = dtype_info(type);
    if (form == PANEL_NONE) {
        fpanel_pack(out, type, rows, n_rows, n_cols, panel);
        return;
    }
    size_t row_bytes = dtype_row_bytes(type, n_cols), first = panel * LINEAR_ROWS;
    size_t n = n_rows - first < LINEAR_ROWS ? n_rows - first : LINEAR_ROWS;
    size_t n_blocks = n_cols / info->block_elements, group_bytes = blocks_bytes(shape, shape.subs);
    const uint8_t *from = (const uint8_t *)rows + first * row_bytes;
    if (n < LINEAR_ROWS || n_cols / QUANT_BLOCK % shape.subs) memset(out, 0, panel_bytes(type, n_cols));
    const bool super = info->block_elements > QUANT_BLOCK;
    /* Rows within blocks: the lines stay in the cache. */
    for (size_t b = 0; b < n_blocks; b++, from += info->block_bytes) {
        uint8_t *group = (uint8_t *)out + (super ? b : b / shape.subs) * group_bytes;
        for (size_t r = 0; r < n; r++) {
            const uint8_t *block = from + r * row_bytes;
            if (form >= PANEL_Q5_0) cpanel_pack(group, type, b % shape.subs, block, r);
            else if (super) kpanel_pack(group, form, block, r);
            else pack_block(group, form, b % shape.subs, block, r);
        }
    }
}
