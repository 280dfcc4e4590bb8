/* exp, exp2, tanh, sigmoid and softplus of the exact lane: how far from the exact value. In every clone
 * through swiglu, attention, softcap, sigmoid_gate and delta_net. */
#include "engine/kernels/exact/exp.h"
#include "engine/kernels/exact/exp2.h"
#include "engine/kernels/exact/sigmoid.h"
#include "engine/kernels/exact/tanh.h"
#include "engine/kernels/kernel.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static float exp_one(float x) {
    vec_f32 e = vec_exp(vec_splat(x));
    return e[0];
}

static float exp2_one(float x) {
    vec_f32 e = vec_exp2(vec_splat(x));
    return e[0];
}

static float sigmoid_one(float x) {
    vec_f32 s = vec_gated(vec_splat(1), vec_splat(-x));
    return s[0];
}

static float softplus_one(float x) {
    vec_f32 s = vec_softplus(vec_splat(x));
    return s[0];
}

static float tanh_one(float x) {
    vec_f32 t = vec_tanh(vec_splat(x));
    return t[0];
}

/* Units in the last place of the f32 nearest to `exact`; subnormal results have the smallest unit. */
static double ulps(float got, double exact) {
    int exponent;
    frexp(exact, &exponent);
    return fabs((double)got - exact) / ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

static void is_within_one_ulp(void **state) {
    (void)state;
    double worst = 0;
    float worst_at = 0;
    for (uint32_t bits = 0; bits < 0x42CF0000; bits += 1009) { /* |x| from 0 to 103.5 */
        for (int negative = 0; negative < 2; negative++) {
            uint32_t pattern = bits | (negative ? 0x80000000 : 0);
            float x;
            memcpy(&x, &pattern, sizeof x);
            if (x > 88.7F) continue;
            double u = ulps(exp_one(x), exp((double)x));
            if (u > worst) worst = u, worst_at = x;
        }
    }
    print_message("# worst %.3f ulp at %a\n", worst, (double)worst_at);
    assert_true(worst < 1);
}

static void has_the_right_ends(void **state) {
    (void)state;
    assert_true(exp_one(0) == 1 && exp_one(-0.0F) == 1);
    assert_true(exp_one(89) == INFINITY && exp_one(INFINITY) == INFINITY && exp_one(FLT_MAX) == INFINITY);
    assert_true(exp_one(88.7228F) <= FLT_MAX && exp_one(88.7228F) > 3.3e38F);
    assert_true(exp_one(-104) == 0 && exp_one(-INFINITY) == 0 && exp_one(-FLT_MAX) == 0);
    assert_true(exp_one(-103.9F) == 0x1p-149F);
    assert_true(isnan(exp_one(NAN)) && isnan(exp_one(-NAN)));
}

static void grows(void **state) {
    (void)state;
    float before = 0;
    for (float x = -104; x < 88; x += 0x1p-9F) {
        float e = exp_one(x);
        assert_true(e >= before);
        before = e;
    }
}

static void exp2_is_within_one_ulp_and_zero_far_down(void **state) {
    (void)state;
    double worst = 0;
    for (uint32_t bits = 0x80000000; bits <= 0xC2FC0000; bits += 997) { /* -0 to -126 */
        float x;
        memcpy(&x, &bits, sizeof x);
        worst = fmax(worst, ulps(exp2_one(x), exp2((double)x)));
    }
    print_message("# exp2: worst %.3f ulp\n", worst);
    assert_true(worst < 1);
    assert_true(exp2_one(0) == 1 && exp2_one(-1) == 0.5F && exp2_one(-126) == 0x1p-126F);
    assert_true(exp2_one(-126.001F) == 0 && exp2_one(-FLT_MAX) == 0 && exp2_one(-INFINITY) == 0);
    uint32_t odd = 0x7FC00155; /* a NaN with something in the bits that become an exponent */
    float nan_of_others;
    memcpy(&nan_of_others, &odd, sizeof odd);
    assert_true(isnan(exp2_one(NAN)) && isnan(exp2_one(-NAN)) && isnan(exp2_one(nan_of_others)));
}

static void tanh_is_within_two_ulp_and_odd(void **state) {
    (void)state;
    double worst = 0;
    for (uint32_t bits = 0; bits < 0x41200000; bits += 1009) { /* 0 to 10 */
        float x;
        memcpy(&x, &bits, sizeof x);
        worst = fmax(worst, ulps(tanh_one(x), tanh((double)x)));
        assert_true(tanh_one(-x) == -tanh_one(x));
    }
    print_message("# tanh: worst %.3f ulp\n", worst);
    assert_true(worst < 2);
    assert_true(signbit(tanh_one(-0.0F)) && tanh_one(-0.0F) == 0);
    assert_true(tanh_one(50) == 1 && tanh_one(INFINITY) == 1 && tanh_one(-INFINITY) == -1);
    assert_true(tanh_one(FLT_MAX) == 1 && tanh_one(0x1p-140F) == 0x1p-140F);
    assert_true(isnan(tanh_one(NAN)) && isnan(tanh_one(-NAN)));
}

/* The most ulps off over every 1009th f32 of either sign below the one with these bits. */
static double worst_below(uint32_t end, float one(float x), double exact(double x)) {
    double worst = 0;
    for (uint32_t bits = 0; bits < end; bits += 1009)
        for (int negative = 0; negative < 2; negative++) {
            uint32_t pattern = bits | (negative ? 0x80000000 : 0);
            float x;
            memcpy(&x, &pattern, sizeof x);
            worst = fmax(worst, ulps(one(x), exact((double)x)));
        }
    return worst;
}

static double exact_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double exact_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }

static void sigmoid_is_within_three_ulp(void **state) {
    (void)state;
    double worst = worst_below(0x42AE0000, sigmoid_one, exact_sigmoid); /* |x| from 0 to 87 */
    print_message("# sigmoid: worst %.3f ulp\n", worst);
    assert_true(worst < 3);
    assert_true(sigmoid_one(0) == 0.5F && sigmoid_one(INFINITY) == 1 && sigmoid_one(-INFINITY) == 0);
    assert_true(isnan(sigmoid_one(NAN)) && isnan(sigmoid_one(-NAN)));
}

static void softplus_is_within_three_ulp_and_never_negative(void **state) {
    (void)state;
    double worst = worst_below(0x42CE0000, softplus_one, exact_softplus); /* |x| from 0 to 103 */
    print_message("# softplus: worst %.3f ulp\n", worst);
    assert_true(worst < 3);
    assert_true(softplus_one(-FLT_MAX) == 0 && softplus_one(FLT_MAX) == FLT_MAX);
    assert_true(softplus_one(INFINITY) == INFINITY && softplus_one(-INFINITY) == 0);
    assert_true(isnan(softplus_one(NAN)) && isnan(softplus_one(-NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp2_is_within_one_ulp_and_zero_far_down),
        cmocka_unit_test(tanh_is_within_two_ulp_and_odd),
        cmocka_unit_test(sigmoid_is_within_three_ulp),
        cmocka_unit_test(softplus_is_within_three_ulp_and_never_negative),
        cmocka_unit_test(is_within_one_ulp),
        cmocka_unit_test(has_the_right_ends),
        cmocka_unit_test(grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
