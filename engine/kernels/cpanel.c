#include "engine/kernels/cpanel.h"

#include "engine/kernels/panel.h"
#include "engine/tensor/block32.h"
#include "engine/tensor/kquant.h"

#include <string.h>

enum {
    QUADS = QUANT_BLOCK / 4,
    SUPER = KQUANT_BLOCK / QUANT_BLOCK, /* blocks */
    HALVES = LINEAR_ROWS * 2,           /* bytes of sixteen scales */
};

/* --- codes ---------------------------------------------------------------------------------------------- */

/* `width` bits of each code from bit `from` on, quads side by side. */
static void put_part(uint8_t *to, const uint32_t quads[QUADS], unsigned from, unsigned width) {
    const uint32_t mask = UINT32_C(0x01010101) * ((1U << width) - 1);
    const unsigned a_line = 8 / width;
    for (unsigned first = 0; first < QUADS; first += a_line, to += PANEL_LINE) {
        uint32_t word = 0;
        for (unsigned q = 0; q < a_line; q++) word |= (quads[first + q] >> from & mask) << q * width;
        memcpy(to, &word, sizeof word);
    }
}

void cpanel_put_codes(uint8_t *lines, unsigned bits, const uint8_t codes[32], size_t row) {
    uint32_t quads[QUADS];
    const unsigned low = bits >= 8 ? 8 : bits >= 4 ? 4 : 2;
    memcpy(quads, codes, sizeof quads);
    for (unsigned q = 0; q < QUADS; q++) quads[q] = (uint32_t)panel_quads(quads[q]);
    put_part(lines + 4 * row, quads, 0, low);
    if (bits > low) put_part(lines + (size_t)low * PANEL_LINE + 4 * row, quads, low, bits - low);
}

/* --- codes with scales of their own --------------------------------------------------------------------- */

size_t cpanel_header(const struct cpanel *form) {
    size_t scales = (size_t)CPANEL_BLOCKS >> form->shift;
    size_t bytes = cpanel_zeros(form) + (form->has_zeros ? scales * LINEAR_ROWS : 0);
    return (bytes + PANEL_LINE - 1) / PANEL_LINE * PANEL_LINE;
}

size_t cpanel_bytes(const struct cpanel *form, size_t n_blocks) {
    size_t groups = (n_blocks + CPANEL_BLOCKS - 1) / CPANEL_BLOCKS;
    return groups * cpanel_header(form) + n_blocks * form->bits * PANEL_LINE;
}

uint8_t *cpanel_group(uint8_t *panel, const struct cpanel *form, size_t block) {
    return panel + cpanel_bytes(form, block / CPANEL_BLOCKS * CPANEL_BLOCKS);
}

void cpanel_put_scale(uint8_t *at, enum dtype type, size_t row, float d) {
    uint32_t bits;
    uint16_t half = dtype_f32_to_f16(d);
    memcpy(&bits, &d, sizeof bits);
    if (type == DTYPE_BF16) half = (uint16_t)(bits >> 16);
    if (type == DTYPE_F32) memcpy(at + row * sizeof bits, &bits, sizeof bits);
    else memcpy(at + row * sizeof half, &half, sizeof half);
}

/* --- types of blocks ------------------------------------------------------------------------------------ */

static unsigned bits_of(enum dtype type) {
    return type == DTYPE_Q2_K ? 2 : type == DTYPE_Q3_K ? 3 : type == DTYPE_Q5_0 || type == DTYPE_Q5_1 ? 5 : 4;
}

static void pack_block(uint8_t *group, enum dtype type, size_t sub, const uint8_t *from, size_t row) {
    uint8_t codes[QUANT_BLOCK];
    if (type == DTYPE_MXFP4)
        cpanel_put_scale(group + sub * HALVES, DTYPE_BF16, row, block32_half_e8m0(from[0]));
    else memcpy(group + sub * HALVES + row * 2, from, 2);
    if (type == DTYPE_Q5_1) memcpy(group + HALVES + row * 2, from + 2, 2);
    block32_codes(codes, type, from);
    cpanel_put_codes(group + PANEL_LINE + sub * bits_of(type) * PANEL_LINE, bits_of(type), codes, row);
}

static void pack_super(uint8_t *group, enum dtype type, const uint8_t *from, size_t row) {
    uint8_t codes[KQUANT_BLOCK], subs[KQUANT_SUBS];
    uint16_t halves[2];
    const size_t n = type == DTYPE_IQ4_XS ? SUPER : KQUANT_SUBS, bits = bits_of(type);
    kquant_codes(codes, type, from);
    kquant_factors(subs, halves, type, from);
    memcpy(group + row * 2, &halves[0], 2);
    memcpy(group + HALVES + row * 2, &halves[1], 2);
    for (size_t line = 0; line < n / 4; line++)
        memcpy(group + (1 + line) * PANEL_LINE + 4 * row, subs + 4 * line, 4);
    for (size_t s = 0; s < SUPER; s++)
        cpanel_put_codes(group + (1 + n / 4 + s * bits) * PANEL_LINE, (unsigned)bits, codes + s * QUANT_BLOCK,
                         row);
}

void cpanel_pack(uint8_t *group, enum dtype type, size_t sub, const uint8_t *from, size_t row) {
    if (dtype_info(type)->block_elements == KQUANT_BLOCK) pack_super(group, type, from, row);
    else pack_block(group, type, sub, from, row);
}
