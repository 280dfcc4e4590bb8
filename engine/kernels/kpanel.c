#include "engine/kernels/kpanel.h"

#include "engine/kernels/kernel.h"
#include "engine/tensor/kquant.h"

#include <string.h>

/* Bytes of the file, eight at a time: a quad and the next of each block that has bits in them. */
static uint64_t eight(const uint8_t *at) {
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static void put_line(uint8_t *block, size_t line, uint32_t word) {
    memcpy(block + line * PANEL_LINE, &word, sizeof word);
}

/* 32 bytes that hold one block in their low halves and another in their high ones (kquant.c). */
static void pack_nibbles(uint8_t *low, uint8_t *high, const uint8_t *quants) {
    for (size_t line = 0; line < KPANEL_NIBBLES; line++) {
        uint64_t quads = panel_quads(eight(quants + 8 * line));
        put_line(low, line, panel_fold(quads));
        put_line(high, line, panel_fold(quads >> 4));
    }
}

/* Bit s of byte l of `quants` is the fifth of column l of block s. */
static void pack_fifth_bits(uint8_t *block, const uint8_t *quants, size_t s) {
    uint64_t word = 0;
    for (size_t two = 0; two < 4; two++) {
        uint64_t bits = panel_quads(eight(quants + 8 * two)) >> s & UINT64_C(0x0101010101010101);
        word |= (bits | bits >> 31) << 2 * two;
    }
    put_line(block, KPANEL_NIBBLES, (uint32_t)word);
}

/* Pair k of bits of byte l of `quants` are the upper two of column l of block k. */
static void pack_upper_bits(uint8_t *block, const uint8_t *quants, size_t k) {
    for (size_t line = 0; line < 2; line++) {
        uint64_t word = 0;
        for (size_t two = 0; two < 2; two++) {
            uint64_t bits = panel_quads(eight(quants + 16 * line + 8 * two)) >> 2 * k;
            bits &= UINT64_C(0x0303030303030303);
            word |= (bits | bits >> 30) << 4 * two;
        }
        put_line(block, KPANEL_NIBBLES + line, (uint32_t)word);
    }
}

/* Nibbles of columns 128 h + i and 128 h + 64 + i in byte 64 h + i, then 64 bytes of pairs of bits. */
static void pack_q6(uint8_t *first, size_t block_bytes, const uint8_t *from) {
    for (size_t h = 0; h < 2; h++, first += 4 * block_bytes) {
        for (size_t k = 0; k < 2; k++)
            pack_nibbles(first + k * block_bytes, first + (k + 2) * block_bytes, from + 64 * h + 32 * k);
        for (size_t k = 0; k < 4; k++) pack_upper_bits(first + k * block_bytes, from + 128 + 32 * h, k);
    }
}

static void pack_q4_q5(uint8_t *first, size_t block_bytes, const uint8_t *from, bool fifth) {
    const uint8_t *quants = from + (fifth ? 48 : 16);
    for (size_t s = 0; s < 8; s += 2)
        pack_nibbles(first + s * block_bytes, first + (s + 1) * block_bytes, quants + 16 * s);
    for (size_t s = 0; s < 8 && fifth; s++) pack_fifth_bits(first + s * block_bytes, from + 16, s);
}

void kpanel_pack(uint8_t *to, enum panel_form form, const uint8_t *from, size_t row) {
    const struct panel_shape shape = panel_shape(form);
    enum dtype type = form == PANEL_Q4_K ? DTYPE_Q4_K : form == PANEL_Q5_K ? DTYPE_Q5_K : DTYPE_Q6_K;
    uint8_t scales[2 * KQUANT_BLOCK / QUANT_BLOCK], *first = to + shape.header_bytes + 4 * row;
    uint16_t halves[2];
    kquant_scales(scales, halves, type, from);
    memcpy(to + row * 2, &halves[0], 2);
    memcpy(to + PANEL_LINE / 2 + row * 2, &halves[1], 2);
    for (size_t s = 0; s < shape.subs; s += 2)
        memcpy(to + KPANEL_SCALES + s / 2 * PANEL_LINE + row * 4, scales + 2 * s, 4);
    if (form == PANEL_Q6_K) pack_q6(first, shape.lines * PANEL_LINE, from);
    else pack_q4_q5(first, shape.lines * PANEL_LINE, from, form == PANEL_Q5_K);
}
