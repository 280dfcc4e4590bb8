/* dtype: block formats against ggml's own values, halves against arithmetic, all of them. */
#include "base/file.h"
#include "engine/tensor/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* tests/golden/kquant: 8192 elements each, quantised and dequantised by ggml. */
static void decoding_is_bit_equal_to_ggml(void **state) {
    (void)state;
    static const struct {
        enum dtype type;
        const char *name;
    } cases[] = {{DTYPE_Q4_0, "q4_0"},  {DTYPE_Q4_1, "q4_1"},     {DTYPE_Q5_0, "q5_0"},
                 {DTYPE_Q5_1, "q5_1"},  {DTYPE_Q8_0, "q8_0"},     {DTYPE_Q2_K, "q2_K"},
                 {DTYPE_Q3_K, "q3_K"},  {DTYPE_Q4_K, "q4_K"},     {DTYPE_Q5_K, "q5_K"},
                 {DTYPE_Q6_K, "q6_K"},  {DTYPE_IQ4_NL, "iq4_nl"}, {DTYPE_IQ4_XS, "iq4_xs"},
                 {DTYPE_MXFP4, "mxfp4"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[128];
        struct str blocks = {0}, values = {0};
        struct status st = {0};
        snprintf(path, sizeof path, "tests/golden/kquant/%s.blocks.bin", cases[i].name);
        assert_true(file_read(&blocks, path, 1 << 20, &st));
        snprintf(path, sizeof path, "tests/golden/kquant/%s.dequant_f32.bin", cases[i].name);
        assert_true(file_read(&values, path, 1 << 20, &st));
        float decoded[8192];
        assert_int_equal(values.n, sizeof decoded);
        assert_int_equal(blocks.n, dtype_row_bytes(cases[i].type, 8192));
        dtype_decode(decoded, cases[i].type, blocks.at, 8192);
        assert_memory_equal(decoded, values.at, sizeof decoded);
        str_free(&blocks);
        str_free(&values);
    }
}

static void bf16_is_the_upper_half_of_an_f32(void **state) {
    (void)state;
    for (uint32_t upper = 0; upper < 0x10000; upper++) {
        uint16_t stored = (uint16_t)upper;
        float value;
        uint32_t bits;
        dtype_decode(&value, DTYPE_BF16, &stored, 1);
        memcpy(&bits, &value, sizeof bits);
        assert_int_equal(bits, upper << 16);
    }
}

/* Every scale and every E2M1 value of OCP Microscaling Formats 1.0; 255, NaN there, is 2^128 as in ggml. */
static void mxfp4_is_a_power_of_two_times_e2m1(void **state) {
    (void)state;
    static const double e2m1[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    uint8_t block[17] = {0};
    float values[32];
    for (int j = 0; j < 16; j++) block[1 + j] = (uint8_t)(j | (15 - j) << 4);
    for (int e = 0; e < 256; e++) {
        block[0] = (uint8_t)e;
        dtype_decode(values, DTYPE_MXFP4, block, 32);
        for (int j = 0; j < 32; j++) {
            int q = j < 16 ? j : 31 - j;
            double want = ldexp(e2m1[q & 7], e - 127);
            assert_true(values[j] == (float)(q & 8 ? -want : want));
        }
    }
}

/* The value of a half by its definition, in double. */
static double half_value(uint16_t half) {
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double magnitude = exponent == 0    ? ldexp(mantissa, -24)
                       : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                        : ldexp(1024 + mantissa, exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

static void every_half_has_its_value_and_comes_back(void **state) {
    (void)state;
    for (uint32_t half = 0; half < 0x10000; half++) {
        float value = dtype_f16_to_f32((uint16_t)half);
        double wanted = half_value((uint16_t)half);
        uint16_t back = dtype_f32_to_f16(value);
        if (isnan(wanted)) {
            assert_true(isnan(value));
            assert_true(isnan(half_value(back)));
            assert_int_equal(back, half | 0x200); /* quieted, sign and payload kept */
        } else {
            assert_true((double)value == wanted && !signbit(value) == !signbit(wanted));
            assert_int_equal(back, half);
        }
    }
}

static void rounds_to_nearest_even_between_all_halves(void **state) {
    (void)state;
    for (uint32_t half = 0; half < 0x7C00; half++) {
        /* The upper neighbour of the largest half would be 65536. */
        double low = half_value((uint16_t)half),
               high = half + 1 == 0x7C00 ? 65536 : half_value((uint16_t)(half + 1));
        float middle = (float)((low + high) / 2); /* exact: one bit more than a half has */
        uint16_t even = (uint16_t)(half & 1 ? half + 1 : half);
        for (int negative = 0; negative < 2; negative++) {
            uint16_t sign = negative ? 0x8000 : 0;
            float s = negative ? -1 : 1;
            assert_int_equal(dtype_f32_to_f16(s * middle), sign | even);
            assert_int_equal(dtype_f32_to_f16(s * nextafterf(middle, 0)), sign | half);
            assert_int_equal(dtype_f32_to_f16(s * nextafterf(middle, INFINITY)), sign | (half + 1));
        }
    }
    assert_int_equal(dtype_f32_to_f16(INFINITY), 0x7C00);
    assert_int_equal(dtype_f32_to_f16(3e38F), 0x7C00);
    assert_int_equal(dtype_f32_to_f16(-1e-45F), 0x8000);
}

static void unknown_types_are_refused_by_name(void **state) {
    (void)state;
    assert_string_equal(dtype_info(DTYPE_Q4_1)->name, "Q4_1");
    assert_null(dtype_info(16));
    assert_string_equal(dtype_ggml_name(16), "IQ2_XXS");
    assert_string_equal(dtype_ggml_name(4), "removed");
    assert_null(dtype_info(UINT32_MAX));
    assert_null(dtype_ggml_name(43));
    assert_null(dtype_ggml_name(UINT32_MAX));
}

static void row_bytes_count_whole_blocks(void **state) {
    (void)state;
    assert_int_equal(dtype_row_bytes(DTYPE_F32, 7), 28);
    assert_int_equal(dtype_row_bytes(DTYPE_F16, 7), 14);
    assert_int_equal(dtype_row_bytes(DTYPE_Q4_0, 64), 36);
    assert_int_equal(dtype_row_bytes(DTYPE_Q4_1, 64), 40);
    assert_int_equal(dtype_row_bytes(DTYPE_Q8_0, 64), 68);
    assert_int_equal(dtype_row_bytes(DTYPE_Q8_0, 0), 0);
    assert_int_equal(dtype_row_bytes(DTYPE_BF16, 7), 14);
    assert_int_equal(dtype_row_bytes(DTYPE_MXFP4, 64), 34);
    assert_int_equal(dtype_row_bytes(DTYPE_Q4_K, 512), 288);
    assert_int_equal(dtype_row_bytes(DTYPE_Q6_K, 512), 420);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_is_bit_equal_to_ggml),
        cmocka_unit_test(bf16_is_the_upper_half_of_an_f32),
        cmocka_unit_test(mxfp4_is_a_power_of_two_times_e2m1),
        cmocka_unit_test(every_half_has_its_value_and_comes_back),
        cmocka_unit_test(rounds_to_nearest_even_between_all_halves),
        cmocka_unit_test(unknown_types_are_refused_by_name),
        cmocka_unit_test(row_bytes_count_whole_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
