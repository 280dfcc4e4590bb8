/* read_panels: panels of codes read back by the words of cpanel.h, one column at a time. Owns nothing. */
#ifndef TESTS_UNIT_READ_PANELS_H
#define TESTS_UNIT_READ_PANELS_H

#include "engine/kernels/kernel.h"
#include "engine/kernels/lpanel.h"
#include "engine/kernels/panel.h"

#include <stdlib.h>
#include <string.h>

/* The code of column c of a block, out of its lines. */
static inline unsigned panel_code(const uint8_t *lines, unsigned bits, size_t row, size_t c) {
    static const size_t order[4] = {0, 2, 1, 3};
    const size_t q = c / 4, at = 4 * row + order[c % 4];
    const uint8_t *above = lines + 4 * PANEL_LINE;
    unsigned code = lines[at + (bits == 8 ? q : bits < 4 ? q / 4 : q / 2) * PANEL_LINE];
    switch (bits) {
    case 8: return code;
    case 3:
    case 2: code = code >> q % 4 * 2 & 3; break;
    default: code = code >> q % 2 * 4 & 15; break;
    }
    if (bits == 3) code |= (lines[2 * PANEL_LINE + at] >> q & 1U) << 2;
    if (bits == 5) code |= (above[at] >> q & 1U) << 4;
    if (bits == 6) code |= (above[q / 4 * PANEL_LINE + at] >> q % 4 * 2 & 3U) << 4;
    return code;
}

static inline float panel_number(const uint8_t *at, enum dtype type, size_t i) {
    float value;
    dtype_decode(&value, type, at + i * dtype_row_bytes(type, 1), 1);
    return value;
}

/* What stands in place `at` of a row that is laid out. */
static inline float panel_value(const struct lpanel *of, const uint8_t *panel, size_t row, size_t at) {
    const struct lpanel_segment *s = of->segments;
    while (at / QUANT_BLOCK >= s->first + s->n_blocks) s++;
    const struct cpanel *form = &s->form;
    size_t sub = at / QUANT_BLOCK - s->first,
           scale = (sub % CPANEL_BLOCKS >> form->shift) * LINEAR_ROWS + row;
    const uint8_t *group = panel + s->at;
    for (size_t g = 0; g < sub / CPANEL_BLOCKS; g++)
        group += cpanel_header(form) + CPANEL_BLOCKS * form->bits * PANEL_LINE;
    const uint8_t *lines = group + cpanel_header(form) + sub % CPANEL_BLOCKS * form->bits * PANEL_LINE;
    int zero = form->has_zeros ? group[cpanel_zeros(form) + scale] : 1 << (form->bits - 1);
    return (float)((int)panel_code(lines, form->bits, row, at % QUANT_BLOCK) - zero) *
           panel_number(group, form->type, scale);
}

/* Rows that do not hold what the layout decodes to, of all panels, packed here. */
static inline size_t panel_differences(const struct lpanel *of) {
    float *want = calloc(of->layout->n_cols + 1, sizeof *want);
    uint8_t *panel = malloc(of->bytes + 1);
    size_t wrong = 0;
    for (size_t row = 0; row < of->n_rows; row++) {
        size_t seen = 0;
        if (row % LINEAR_ROWS == 0) lpanel_pack(panel, of, row / LINEAR_ROWS);
        layout_decode(want, of->layout, row);
        for (size_t at = 0; at < of->n_blocks * QUANT_BLOCK; at++) {
            int32_t c = of->columns ? of->columns[at] : (int32_t)at;
            seen += c >= 0 && panel_value(of, panel, row % LINEAR_ROWS, at) == want[c];
        }
        wrong += seen != of->layout->n_cols;
    }
    free(want), free(panel);
    return wrong;
}

#endif
