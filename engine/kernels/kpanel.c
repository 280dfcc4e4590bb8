#include "engine/kernels/kpanel.h"

#include "engine/kernels/panel.h"
#include "engine/tensor/kquant.h"

#include <string.h>

enum { SUB = 32, GROUP = 8 /* columns of a line */ };

/* The low `width` bits of bytes 0, 2, 4 and 6 side by side. */
static uint16_t gather(uint64_t bytes, int width) {
    bytes &= 0x0001000100010001 * ((UINT64_C(1) << width) - 1);
    bytes |= bytes >> (16 - width);
    bytes |= bytes >> (32 - 2 * width);
    return (uint16_t)(bytes & ((UINT64_C(1) << 4 * width) - 1));
}

/* One sub-block of a row: nibbles, then what of the quants is above them. */
static void pack_sub(uint8_t *lines, const uint8_t quants[SUB], size_t row, int high_bits) {
    uint16_t high[2][2] = {{0}};
    for (int line = 0; line < SUB / GROUP; line++) {
        uint64_t bytes;
        memcpy(&bytes, quants + line * GROUP, sizeof bytes);
        uint16_t words[2] = {gather(bytes, 4), gather(bytes >> 8, 4)};
        memcpy(lines + (size_t)line * PANEL_LINE + row * sizeof words, words, sizeof words);
        int at = line * 4 * high_bits;
        for (int p = 0; p < 2 && high_bits; p++)
            high[at / 16][p] |= (uint16_t)(gather(bytes >> (4 + 8 * p), high_bits) << at % 16);
    }
    for (size_t h = 0; h < (size_t)high_bits; h++)
        memcpy(lines + (4 + h) * PANEL_LINE + row * sizeof high[h], high[h], sizeof high[h]);
}

void kpanel_pack(uint8_t *to, enum dtype type, const uint8_t *from, size_t row) {
    uint8_t quants[KQUANT_BLOCK], scales[2 * KPANEL_SUBS];
    uint16_t halves[2];
    kquant_unpack(quants, scales, halves, type, from);
    memcpy(to + row * 2, &halves[0], 2);
    memcpy(to + PANEL_LINE / 2 + row * 2, &halves[1], 2);
    for (size_t s = 0; s < KPANEL_SUBS; s++) {
        memcpy(to + KPANEL_SCALES + s / 2 * PANEL_LINE + row * 4 + s % 2 * 2, scales + 2 * s, 2);
        uint8_t *lines = to + KPANEL_QUANTS + s * kpanel_lines(type) * PANEL_LINE;
        pack_sub(lines, quants + s * SUB, row, (int)kpanel_lines(type) - 4);
    }
}
