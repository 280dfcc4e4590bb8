/* Products with F32, F16 and BF16 weights, to the bit: the contract (exact.h) written out for one row and one
 * token at a time is what every lane gives, for few tokens and many. */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/panel.h"
#include "engine/tensor/dtype.h"
#include "tests/checkkern/synth.h"
#include "tests/unit/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 7 * LINEAR_ROWS + 3, TOKENS = 19 };

static float by_contract(const float *w, const float *x, size_t n) {
    float sum = 0;
    for (size_t from = 0; from < n; from += FLOAT_COLUMNS) {
        float acc = 0;
        for (size_t i = from; i < n && i < from + FLOAT_COLUMNS; i++) acc = fmaf(w[i], x[i], acc);
        sum = from ? sum + acc : acc;
    }
    return sum;
}

static void check(const struct kernel *k, enum dtype type, size_t n_cols) {
    struct arena arena = {0};
    struct synth s = {n_cols};
    size_t panels = (ROWS + LINEAR_ROWS - 1) / LINEAR_ROWS, bytes = panel_bytes(type, n_cols);
    const char *weights = synth_weights(&arena, &s, SYNTH_UNIFORM, type, ROWS, n_cols);
    const float *x = synth_floats(&arena, &s, SYNTH_UNIFORM, TOKENS, n_cols);
    char *packed = synth_alloc(&arena, panels, bytes);
    float *rows = synth_alloc(&arena, ROWS, n_cols * sizeof *rows);
    float *out = synth_alloc(&arena, TOKENS, ROWS * sizeof *out);
    void *scratch = synth_alloc(&arena, 1, kernel_scratch(n_cols, 1) + 64);
    scratch = (char *)scratch + (64 - (uintptr_t)scratch % 64) % 64;
    for (size_t p = 0; p < panels; p++) panel_pack(packed + p * bytes, type, weights, ROWS, n_cols, p);
    for (size_t r = 0; r < ROWS; r++)
        dtype_decode(rows + r * n_cols, type, weights + r * dtype_row_bytes(type, n_cols), n_cols);
    for (size_t n = 1; n <= TOKENS; n += SANITIZED ? 6 : 1) {
        struct task task = {.n = n};
        task.linear = (struct linear_task){.type = type,
                                           .n_rows = ROWS,
                                           .n_cols = n_cols,
                                           .weights = packed,
                                           .in = {(float *)(uintptr_t)x, n_cols, n_cols},
                                           .out = {out, ROWS, ROWS}};
        memset(out, 0xFF, TOKENS * ROWS * sizeof *out);
        k->run(&task, 0, panels, scratch);
        for (size_t i = 0; i < n * ROWS; i++) {
            float want = by_contract(rows + i % ROWS * n_cols, x + i / ROWS * n_cols, n_cols);
            if (memcmp(&want, &out[i], sizeof want) != 0)
                fail_msg("%s %s, %zu columns, %zu tokens: row %zu of token %zu is %a, not %a", k->op,
                         k->clone, n_cols, n, i % ROWS, i / ROWS, (double)out[i], (double)want);
        }
    }
    arena_release(&arena);
}

static void gives_the_bits_of_the_contract(void **state) {
    (void)state;
    static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    static const char *const ops[] = {"linear_f32", "linear_f16", "linear_bf16"};
    static const size_t columns[] = {1, 9, 256, 257, 515};
    for (const struct kernel *k = kernel_table; k < kernel_table + kernel_count; k++)
        for (size_t t = 0; t < 3; t++)
            for (size_t c = 0; strcmp(k->op, ops[t]) == 0 && k->runs_here() && c < 5; c++)
                check(k, types[t], columns[c]);
}

/* Where column c of a row lies, as fpanel.h says. */
static void panels_lie_as_described(void **state) {
    (void)state;
    enum { COLUMNS = 21 };
    uint16_t rows[LINEAR_ROWS + 5][COLUMNS], f16[COLUMNS + 1][LINEAR_ROWS],
        bf16[(COLUMNS + 1) / 2][LINEAR_ROWS][2];
    for (size_t r = 0; r < LINEAR_ROWS + 5; r++)
        for (size_t c = 0; c < COLUMNS; c++) rows[r][c] = (uint16_t)(256 * (r + 1) + c);
    assert_int_equal(sizeof f16, panel_bytes(DTYPE_F16, COLUMNS));
    assert_int_equal(sizeof bf16, panel_bytes(DTYPE_BF16, COLUMNS));
    for (size_t panel = 0; panel < 2; panel++) {
        panel_pack(f16, DTYPE_F16, rows, LINEAR_ROWS + 5, COLUMNS, panel);
        panel_pack(bf16, DTYPE_BF16, rows, LINEAR_ROWS + 5, COLUMNS, panel);
        for (size_t r = 0; r < LINEAR_ROWS; r++)
            for (size_t c = 0; c < COLUMNS + 1; c++) {
                bool is_there = panel * LINEAR_ROWS + r < LINEAR_ROWS + 5 && c < COLUMNS;
                uint16_t want = is_there ? rows[panel * LINEAR_ROWS + r][c] : 0;
                assert_int_equal(f16[c][r], want);
                assert_int_equal(bf16[c / 2][r][c % 2], want);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_bits_of_the_contract),
        cmocka_unit_test(panels_lie_as_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
