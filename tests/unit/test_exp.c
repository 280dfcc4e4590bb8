/* exp of the exact lane: within 1 ulp of the exact value everywhere, in every clone through swiglu. */
#include "engine/kernels/exact/exp.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_within_one_ulp),
        cmocka_unit_test(has_the_right_ends),
        cmocka_unit_test(grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
