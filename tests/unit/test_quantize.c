/* quantize: weights into blocks, beside the bytes that ggml makes of the same numbers (tests/golden/kquant).
 */
#include "engine/tensor/quantize_row.h"

#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 8192, N_COLS = 256 };

static void load(struct str *out, const char *name) {
    struct str path = {0};
    struct status st;
    str_printf(&path, "tests/golden/kquant/%s", name);
    if (!file_read(out, path.at, 1 << 20, &st)) fail_msg("%s", st.message);
    str_free(&path);
}

static void sources(float *x) {
    struct str bytes = {0};
    load(&bytes, "src_f32.bin");
    assert_int_equal(bytes.n, N * sizeof *x);
    memcpy(x, bytes.at, bytes.n);
    str_free(&bytes);
}

static double error_of(const float *x, const uint8_t *blocks, enum dtype type) {
    static float decoded[N];
    double error = 0;
    dtype_decode(decoded, type, blocks, N);
    for (int i = 0; i < N; i++)
        error += ((double)decoded[i] - (double)x[i]) * ((double)decoded[i] - (double)x[i]);
    return error;
}

static const struct {
    const char *name;
    enum dtype type;
} types[] = {{"q8_0", DTYPE_Q8_0}, {"q4_0", DTYPE_Q4_0}, {"q4_1", DTYPE_Q4_1}, {"q5_0", DTYPE_Q5_0},
             {"q5_1", DTYPE_Q5_1}, {"q4_K", DTYPE_Q4_K}, {"q5_K", DTYPE_Q5_K}, {"q6_K", DTYPE_Q6_K}};
enum { N_TYPES = sizeof types / sizeof *types, N_SAME = 5 };

static uint8_t *quantized(const float *x, enum dtype type, const float *importance) {
    size_t bytes = dtype_row_bytes(type, N_COLS);
    uint8_t *out = malloc(N / N_COLS * bytes);
    for (size_t row = 0; row < N / N_COLS; row++)
        quantize_row(out + row * bytes, type, x + row * N_COLS, N_COLS, importance);
    return out;
}

static void blocks_of_32_have_the_bytes_of_ggml(void **state) {
    (void)state;
    static float x[N];
    sources(x);
    for (int i = 0; i < N_SAME; i++) {
        struct str want = {0};
        char name[32];
        snprintf(name, sizeof name, "%s.blocks.bin", types[i].name);
        load(&want, name);
        uint8_t *got = quantized(x, types[i].type, NULL);
        assert_int_equal(want.n, dtype_row_bytes(types[i].type, N));
        if (memcmp(got, want.at, want.n) != 0) fail_msg("%s", types[i].name);
        free(got);
        str_free(&want);
    }
}

static void super_blocks_are_no_worse_than_those_of_ggml(void **state) {
    (void)state;
    static float x[N];
    sources(x);
    for (int i = N_SAME; i < N_TYPES; i++) {
        struct str theirs = {0};
        char name[32];
        snprintf(name, sizeof name, "%s.blocks.bin", types[i].name);
        load(&theirs, name);
        uint8_t *ours = quantized(x, types[i].type, NULL);
        double got = error_of(x, ours, types[i].type),
               want = error_of(x, (const uint8_t *)theirs.at, types[i].type);
        if (!(got <= want)) fail_msg("%s: error %g, ggml's %g", types[i].name, got, want);
        print_message("%s: error %.4f of ggml's\n", types[i].name, got / want);
        free(ours);
        str_free(&theirs);
    }
}

/* Columns that count a hundred times as much lose less. */
static void importance_moves_the_error(void **state) {
    (void)state;
    static float x[N], importance[N_COLS];
    sources(x);
    for (int i = 0; i < N_COLS; i++) importance[i] = i % 8 == 0 ? 100 : 1;
    for (int k = 1; k < N_TYPES; k++) {
        static float plain[N], weighted[N];
        uint8_t *a = quantized(x, types[k].type, NULL), *b = quantized(x, types[k].type, importance);
        dtype_decode(plain, types[k].type, a, N);
        dtype_decode(weighted, types[k].type, b, N);
        double without = 0, with = 0;
        for (int i = 0; i < N; i += 8) {
            without += pow((double)plain[i] - (double)x[i], 2);
            with += pow((double)weighted[i] - (double)x[i], 2);
        }
        if (!(with < without)) fail_msg("%s: %g, without importance %g", types[k].name, with, without);
        free(a), free(b);
    }
}

/* What no search may stumble over: zeros, one number everywhere, one large among small, tiny and huge ones.
 */
static void odd_blocks_stay_close(void **state) {
    (void)state;
    static const struct {
        float all, first;
    } cases[] = {{0, 0},           {1, 1},        {-1, -1},        {0, 1},   {0, -1},
                 {1e-30F, 1e-30F}, {0.001F, 100}, {30000, -30000}, {5, 4.9F}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        float x[N_COLS], decoded[N_COLS], importance[N_COLS] = {0};
        uint8_t block[N_COLS * 4];
        for (int i = 0; i < N_COLS; i++) x[i] = i ? cases[c].all : cases[c].first;
        float largest = fmaxf(fabsf(cases[c].all), fabsf(cases[c].first));
        for (int k = 0; k < 2 * N_TYPES; k++) {
            enum dtype type = types[k % N_TYPES].type;
            quantize_row(block, type, x, N_COLS, k < N_TYPES ? NULL : importance);
            dtype_decode(decoded, type, block, N_COLS);
            for (int i = 0; i < N_COLS && k < N_TYPES; i++)
                if (!(fabsf(decoded[i] - x[i]) <= largest * 0.14F + 1e-6F))
                    fail_msg("%s: case %zu: %g is %g", types[k].name, c, (double)x[i], (double)decoded[i]);
            for (int i = 0; i < N_COLS; i++) assert_true(isfinite(decoded[i]));
        }
    }
}

static void halves_are_rounded_to_even(void **state) {
    (void)state;
    const float row[] = {1, 1.00390625F, 1.01171875F, -3.0e38F};
    uint16_t bits[4];
    quantize_row(bits, DTYPE_BF16, row, 4, NULL);
    assert_int_equal(bits[0], 0x3F80);
    assert_int_equal(bits[1], 0x3F80); /* half way to 0x3F81 */
    assert_int_equal(bits[2], 0x3F82); /* half way from 0x3F81 */
    assert_int_equal(bits[3], 0xFF62);
    quantize_row(bits, DTYPE_F16, row, 3, NULL);
    assert_int_equal(bits[0], 0x3C00);
    assert_false(quantize_row_runs(DTYPE_IQ4_XS));
}

/* 1 / scale is infinite there, and 0 times infinity is no number. */
static void scales_below_the_smallest_normal_number_stay_finite(void **state) {
    (void)state;
    float row[N_COLS], decoded[N_COLS];
    for (int i = 0; i < N_COLS; i++) row[i] = (float)(i % 5 - 2) * 1e-43F;
    for (int t = 0; t < N_TYPES; t++) {
        uint8_t blocks[N_COLS * sizeof(float)];
        quantize_row(blocks, types[t].type, row, N_COLS, NULL);
        dtype_decode(decoded, types[t].type, blocks, N_COLS);
        for (int i = 0; i < N_COLS; i++) assert_true(fabsf(decoded[i]) < 1e-6F);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_32_have_the_bytes_of_ggml),
        cmocka_unit_test(super_blocks_are_no_worse_than_those_of_ggml),
        cmocka_unit_test(importance_moves_the_error),
        cmocka_unit_test(odd_blocks_stay_close),
        cmocka_unit_test(halves_are_rounded_to_even),
        cmocka_unit_test(scales_below_the_smallest_normal_number_stay_finite),
    };
    return cmocka_run_group_tests_name("quantize", tests, NULL, NULL);
}
