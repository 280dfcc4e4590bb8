/* Panels of codes hold what the file says: every column of every row is read back by the words of cpanel.h,
 * one at a time, and compared with the decoders. */
#include "engine/tensor/block32.h"
#include "engine/tensor/kquant.h"
#include "tests/checkkern/synth.h"
#include "tests/unit/read_panels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static float bf16_at(const uint8_t *at) {
    float value;
    dtype_decode(&value, DTYPE_BF16, at, 1);
    return value;
}

/* --- types of blocks ------------------------------------------------------------------------------------ */

static const struct shape {
    enum dtype type;
    size_t subs, header;
    unsigned bits;
} shapes[] = {{DTYPE_Q5_0, 2, 1, 5},   {DTYPE_Q5_1, 1, 1, 5}, {DTYPE_IQ4_NL, 2, 1, 4}, {DTYPE_MXFP4, 2, 1, 4},
              {DTYPE_IQ4_XS, 8, 3, 4}, {DTYPE_Q3_K, 8, 5, 3}, {DTYPE_Q2_K, 8, 5, 2}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static float value_at(const struct shape *s, const uint8_t *group, size_t row, size_t c) {
    static const float e2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    size_t sub = c / QUANT_BLOCK;
    const uint8_t *lines = group + (s->header + sub * s->bits) * PANEL_LINE, *first = group + row * 2;
    unsigned code = panel_code(lines, s->bits, row, c % QUANT_BLOCK);
    const float d = dtype_load_f16(first), second = dtype_load_f16(first + 32);
    const uint8_t *eighth = group + PANEL_LINE * (1 + sub / 4) + 4 * row + sub % 4;
    const uint8_t half = group[PANEL_LINE * (1 + sub / 2) + 4 * row + sub % 2 * 2 + c % 32 / 16];
    switch ((int)s->type) {
    case DTYPE_Q5_0: return ((float)code - 16) * (sub ? second : d);
    case DTYPE_Q5_1: return (float)code * d + second;
    case DTYPE_IQ4_NL: return (float)block32_nonlinear[code] * (sub ? second : d);
    case DTYPE_MXFP4: return e2m1[code] * bf16_at(first + sub * 32);
    case DTYPE_IQ4_XS: return d * (float)(int8_t)*eighth * (float)block32_nonlinear[code];
    case DTYPE_Q3_K: return d * (float)(int8_t)half * ((float)code - 4);
    default: return d * (float)(half & 15) * (float)code - second * (float)(half >> 4);
    }
}

static void blocks_hold_what_the_file_says(void **state) {
    (void)state;
    enum { ROWS = 16 };
    struct arena arena = {0};
    struct synth synth = {7};
    for (const struct shape *s = shapes; s < shapes + N_SHAPES; s++) {
        const size_t columns = s->subs * QUANT_BLOCK, a_block = dtype_info(s->type)->block_elements;
        const size_t block_bytes = dtype_info(s->type)->block_bytes,
                     row_bytes = dtype_row_bytes(s->type, columns);
        uint8_t *group = synth_alloc(&arena, s->header + s->subs * s->bits, PANEL_LINE);
        const uint8_t *rows = synth_weights(&arena, &synth, SYNTH_UNIFORM, s->type, ROWS, columns);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t b = 0; b < columns / a_block; b++)
                cpanel_pack(group, s->type, b, rows + r * row_bytes + b * block_bytes, r);
        for (size_t r = 0; r < ROWS; r++) {
            float want[KQUANT_BLOCK];
            dtype_decode(want, s->type, rows + r * row_bytes, columns);
            for (size_t c = 0; c < columns; c++)
                if (value_at(s, group, r, c) != want[c])
                    fail_msg("%s: row %zu, column %zu", dtype_info(s->type)->name, r, c);
        }
    }
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_hold_what_the_file_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
