/* expand: what a block of 32 columns of a panel holds, in registers. All that a product has to know of a form
 * of panels stands here: a new form is a case in each function, its packing and a row of kernels.inc.
 *
 * Owns:    nothing; any thread.
 * Trusts:  the caller: `form` is a constant, LANES rows from `first_row` on are of one panel.
 *
 * A weight is d * (code - expand_offset) - m; quads are the codes as they lie in a line (panel.h).
 */
#ifndef ENGINE_KERNELS_EXACT_EXPAND_H
#define ENGINE_KERNELS_EXACT_EXPAND_H

#include "engine/kernels/cpanel.h"
#include "engine/kernels/exact/vec.h"
#include "engine/kernels/kernel.h"
#include "engine/kernels/kpanel.h"
#include "engine/kernels/panel.h"

enum { EXPAND_QUADS = QUANT_BLOCK / 4, EXPAND_PARTS = 2 /* scales a block has at most */ };

/* What is taken off a code, or off a level where codes are numbers of levels. */
VEC int expand_offset(enum panel_form form) {
    switch (form) {
    case PANEL_Q8_0:
    case PANEL_IQ4_NL:
    case PANEL_IQ4_XS: return 128;
    case PANEL_Q6_K: return 32;
    case PANEL_Q5_0: return 16;
    case PANEL_MXFP4: return 12;
    case PANEL_Q4_0: return 8;
    case PANEL_Q3_K: return 4;
    default: return 0;
    }
}

/* The largest code, or level. */
VEC int expand_most(enum panel_form form) {
    switch (form) {
    case PANEL_Q2_K:
    case PANEL_CODES2: return 3;
    case PANEL_Q3_K:
    case PANEL_CODES3: return 7;
    case PANEL_Q4_0:
    case PANEL_Q4_1:
    case PANEL_Q4_K:
    case PANEL_CODES4: return 15;
    case PANEL_MXFP4: return 24;
    case PANEL_Q5_0:
    case PANEL_Q5_1:
    case PANEL_Q5_K:
    case PANEL_CODES5: return 31;
    case PANEL_Q6_K:
    case PANEL_CODES6: return 63;
    default: return 255;
    }
}

/* Scales of a block: 1, or 2 for its halves. */
VEC int expand_parts(enum panel_form form) {
    return form == PANEL_Q6_K || form == PANEL_Q3_K || form == PANEL_Q2_K ? 2 : 1;
}

/* One for each scale. */
VEC bool expand_has_minimum(enum panel_form form) {
    return form == PANEL_Q4_1 || form == PANEL_Q4_K || form == PANEL_Q5_K || form == PANEL_Q5_1 ||
           form == PANEL_Q2_K || form >= PANEL_CODES2;
}

VEC bool expand_is_super(enum panel_form form) {
    return form == PANEL_Q4_K || form == PANEL_Q5_K || form == PANEL_Q6_K || form == PANEL_Q3_K ||
           form == PANEL_Q2_K || form == PANEL_IQ4_XS;
}

/* Are its scales signed bytes? */
VEC bool expand_is_signed(enum panel_form form) {
    return form == PANEL_Q6_K || form == PANEL_Q3_K || form == PANEL_IQ4_XS;
}

/* Sixteen levels, less the smallest or a number near it: IQ4's, and E2M1's doubled. */
static const uint8_t expand_nonlinear[16] = {1,   24,  45,  63,  79,  93,  106, 118,
                                             129, 141, 153, 166, 181, 197, 217, 241};
static const uint8_t expand_e2m1[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};

/* What the blocks of a group have in common, or those blocks that have one of the group's scales: of codes
 * with scales of their own the whole of it, d and -(d * zero). */
struct expand_head {
    vec_f32 d, minus_dmin;
};

/* Does another head begin within a group, with block `sub`? What codes' scales are like is known at run time
 * alone, so they are read once for all their blocks. */
VEC bool expand_another_head(enum panel_form form, struct panel_shape shape, size_t sub) {
    return form >= PANEL_CODES2 && sub > 0 && sub % ((size_t)1 << shape.codes->shift) == 0;
}

VEC struct expand_head expand_code_head(const struct cpanel *codes, const uint8_t *group, size_t sub,
                                        size_t first_row) {
    size_t at = (sub >> codes->shift) * LINEAR_ROWS + first_row;
    struct expand_head head;
    vec_f32 zero = vec_splat((float)(1 << (codes->bits - 1)));
    head.d = codes->type == DTYPE_F16    ? vec_load_halves(group + 2 * at)
             : codes->type == DTYPE_BF16 ? vec_load_bfloats(group + 2 * at)
                                         : vec_load((const float *)(const void *)(group + 4 * at));
    if (codes->has_zeros) zero = vec_load_bytes(group + cpanel_zeros(codes) + at);
    head.minus_dmin = -(head.d * zero);
    return head;
}

VEC struct expand_head expand_head(enum panel_form form, struct panel_shape shape, const uint8_t *group,
                                   size_t sub, size_t first_row) {
    struct expand_head head = {{0}, {0}};
    if (form >= PANEL_CODES2) return expand_code_head(shape.codes, group, sub, first_row);
    if (!expand_is_super(form)) return head;
    head.d = vec_load_halves(group + first_row * 2);
    if (expand_has_minimum(form)) head.minus_dmin = -vec_load_halves(group + PANEL_LINE / 2 + first_row * 2);
    return head;
}

/* Byte `which` of every row's four. */
VEC vec_f32 expand_byte(enum panel_form form, vec_u32 words, int which) {
    if (expand_is_signed(form)) return vec_from_ints((vec_i32)(words << (24 - 8 * which)) >> 24);
    return vec_from_ints((vec_i32)(words >> 8 * which & 255));
}

/* The same of a super-block: bytes of a scale and a minimum, of two scales, of one or of two pairs. */
VEC void expand_super_scales(vec_f32 d[EXPAND_PARTS], vec_f32 m[EXPAND_PARTS], enum panel_form form,
                             struct expand_head head, const uint8_t *group, size_t sub, size_t first_row) {
    const size_t a_line = form == PANEL_IQ4_XS ? 4 : 2;
    vec_u32 words = vec_load_quads(group + KPANEL_SCALES + sub / a_line * PANEL_LINE + first_row * 4);
    words >>= (unsigned)(sub % a_line * (32 / a_line));
    if (form == PANEL_Q2_K) {
        VEC_UNROLL for (int p = 0; p < 2; p++) {
            d[p] = head.d * vec_from_ints((vec_i32)(words >> 8 * p & 15));
            m[p] = head.minus_dmin * vec_from_ints((vec_i32)(words >> (8 * p + 4) & 15));
        }
        return;
    }
    d[0] = head.d * expand_byte(form, words, 0);
    if (expand_parts(form) == 2) d[1] = head.d * expand_byte(form, words, 1);
    else if (expand_has_minimum(form)) m[0] = head.minus_dmin * expand_byte(form, words, 1);
}

/* The scales of block `sub` of the group, and what its minima add: m * (sum of activations). */
VEC void expand_scales(vec_f32 d[EXPAND_PARTS], vec_f32 m[EXPAND_PARTS], enum panel_form form,
                       struct expand_head head, const uint8_t *group, size_t sub, size_t first_row) {
    m[0] = m[1] = d[1] = (vec_f32){0};
    if (expand_is_super(form)) {
        expand_super_scales(d, m, form, head, group, sub, first_row);
        return;
    }
    if (form >= PANEL_CODES2) {
        d[0] = head.d, m[0] = head.minus_dmin;
        return;
    }
    const uint8_t *at = group + sub * 2 * LINEAR_ROWS + first_row * 2;
    d[0] = form == PANEL_MXFP4 ? vec_load_bfloats(at) : vec_load_halves(at);
    if (expand_has_minimum(form)) m[0] = vec_load_halves(at + 2 * LINEAR_ROWS);
}

/* Moves bits by `by` to the left, or to the right. */
VEC vec_u32 expand_shift(vec_u32 v, int by) { return by > 0 ? v << by : by < 0 ? v >> -by : v; }

/* Codes of two or three bits: pairs, then bits above them. */
VEC void expand_pairs(vec_u32 quads[EXPAND_QUADS], enum panel_form form, const uint8_t *lines) {
    VEC_UNROLL for (int q = 0; q < EXPAND_QUADS; q++) quads[q] =
        vec_load_quads(lines + q / 4 * PANEL_LINE) >> 2 * (q % 4) & 0x03030303;
    if (form != PANEL_Q3_K && form != PANEL_CODES3) return;
    vec_u32 high = vec_load_quads(lines + 2 * PANEL_LINE);
    VEC_UNROLL for (int q = 0; q < EXPAND_QUADS; q++) quads[q] |= expand_shift(high, 2 - q) & 0x04040404;
}

/* What stands above the nibbles, or what they are numbers of. */
VEC void expand_nibbles(vec_u32 quads[EXPAND_QUADS], enum panel_form form, const uint8_t *above) {
    VEC_UNROLL for (int q = 0; q < EXPAND_QUADS; q++) {
        if (form == PANEL_IQ4_NL || form == PANEL_IQ4_XS) quads[q] = vec_look_up(expand_nonlinear, quads[q]);
        else if (form == PANEL_MXFP4) quads[q] = vec_look_up(expand_e2m1, quads[q]);
        else if (form == PANEL_Q5_K || form == PANEL_Q5_0 || form == PANEL_Q5_1 || form == PANEL_CODES5)
            quads[q] |= expand_shift(vec_load_quads(above), 4 - q) & 0x10101010;
        else if (form == PANEL_Q6_K || form == PANEL_CODES6)
            quads[q] |=
                expand_shift(vec_load_quads(above + q / 4 * PANEL_LINE), 4 - 2 * (q % 4)) & 0x30303030;
    }
}

/* The 8 quads of block `sub` of the group. */
VEC void expand_quads(vec_u32 quads[EXPAND_QUADS], enum panel_form form, struct panel_shape shape,
                      const uint8_t *group, size_t sub, size_t first_row) {
    const uint8_t *lines = group + shape.header_bytes + sub * shape.lines * PANEL_LINE + first_row * 4;
    if (form == PANEL_Q2_K || form == PANEL_Q3_K || form == PANEL_CODES2 || form == PANEL_CODES3) {
        expand_pairs(quads, form, lines);
        return;
    }
    VEC_UNROLL for (int q = 0; q < EXPAND_QUADS; q++) {
        if (form == PANEL_Q8_0 || form == PANEL_CODES8) {
            quads[q] = vec_load_quads(lines + q * PANEL_LINE);
            continue;
        }
        vec_u32 line = vec_load_quads(lines + q / 2 * PANEL_LINE);
        quads[q] = (q % 2 ? line >> 4 : line) & 0x0F0F0F0F;
    }
    expand_nibbles(quads, form, lines + KPANEL_NIBBLES * PANEL_LINE);
}

/* Columns (0, 1) and (2, 3) of a quad as words, which a multiply-and-add of pairs takes. */
VEC vec_i16 expand_pair(vec_u32 quad, int pair) {
    return (vec_i16)(pair ? (vec_u16)quad >> 8 : (vec_u16)quad & 255);
}

#endif
