/* Which kernels a change touches: by their code, not by their lines. */
#include "hooks/gate/touched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The touched names with commas between them. */
static const char *names(const char *path, bool kernel_place, const char *before, const char *after) {
    static char out[512];
    struct touched touched;
    struct status st = {0};
    struct arena arena = {0};
    bool ok =
        touched_find(&touched, path, kernel_place, view_of(before), view_of(after), scan_text, &arena, &st);
    if (!ok) fail_msg("%s", st.message);
    out[0] = '\0';
    for (size_t i = 0; i < touched.n; i++) {
        strncat(out, i ? "," : "", sizeof out - strlen(out) - 1);
        strncat(out, touched.names[i], sizeof out - strlen(out) - 1);
    }
    arena_release(&arena);
    return out;
}

#define A "__global__ void a(float *x) {\n    x[0] = 1;\n}\n"
#define A2 "__global__ void a(float *x) {\n    x[0] = 2;\n}\n"
#define A_COMMENT "__global__ void a(float *x) {\n    // first\n    x[0]  =  1;\n}\n"
#define B "__global__ void b(float *x) {\n    x[1] = 1;\n}\n"

static void the_kernel_whose_code_changes_is_named(void **state) {
    (void)state;
    assert_string_equal(names("k.cu", true, A B, A2 B), "a");
    assert_string_equal(names("k.cu", true, A B, B A2), "a");
}

static void comments_blanks_and_moves_name_nothing(void **state) {
    (void)state;
    assert_string_equal(names("k.cu", true, A B, A_COMMENT B), "");
    assert_string_equal(names("k.cu", true, A B, B A), "");
    assert_string_equal(names("k.cu", true, A, "// why\n\n" A), "");
}

static void new_and_deleted_kernels_are_named(void **state) {
    (void)state;
    assert_string_equal(names("k.cu", true, "", A B), "a,b");
    assert_string_equal(names("k.cu", true, A B, ""), "a,b");
    assert_string_equal(names("k.cu", true, A, A B), "b");
    assert_string_equal(names("k.cu", true, A B, B), "a");
}

static void overloads_are_told_apart_by_their_order(void **state) {
    (void)state;
    assert_string_equal(names("k.cu", true, A A, A A2), "a");
    assert_string_equal(names("k.cu", true, A A, A A), "");
}

static void helpers_are_named_only_where_no_kernel_is(void **state) {
    (void)state;
    static const char helper[] = "static inline __m256 h(__m256 x) {\n    return _mm256_add_ps(x, x);\n}\n",
                      other[] = "static inline __m256 h(__m256 x) {\n    return _mm256_mul_ps(x, x);\n}\n",
                      kernel[] = "void k(float *x) {\n    *x = 1;\n}\n",
                      changed[] = "void k(float *x) {\n    *x = 2;\n}\n";
    char before[256], after[256], both[256];
    snprintf(before, sizeof before, "%s%s", helper, kernel);
    snprintf(after, sizeof after, "%s%s", other, kernel);
    snprintf(both, sizeof both, "%s%s", other, changed);
    assert_string_equal(names("k.c", true, before, after), "h");
    assert_string_equal(names("k.c", true, before, both), "k");
}

static void outside_of_kernels_nothing_is_named(void **state) {
    (void)state;
    assert_string_equal(names("k.cu", true, "#define N 1\n" A, "#define N 2\n" A), "");
    assert_string_equal(names("k.txt", true, "a", "b"), "");
    assert_string_equal(names("k.cu", true, "\xFF\xFE", "\x01"), "");
}

static bool refuses(struct scan_file *out, struct view text, const struct scan_request *request,
                    struct arena *arena, struct status *st) {
    (void)out, (void)text, (void)request, (void)arena;
    return status_fail(st, STATUS_SYSTEM, "no grammar");
}

static void a_scanner_that_fails_is_an_error(void **state) {
    (void)state;
    struct touched touched;
    struct status st;
    struct arena arena = {0};
    assert_false(touched_find(&touched, "k.cu", true, view_of(A), view_of(B), refuses, &arena, &st));
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_whose_code_changes_is_named),
        cmocka_unit_test(comments_blanks_and_moves_name_nothing),
        cmocka_unit_test(new_and_deleted_kernels_are_named),
        cmocka_unit_test(overloads_are_told_apart_by_their_order),
        cmocka_unit_test(helpers_are_named_only_where_no_kernel_is),
        cmocka_unit_test(outside_of_kernels_nothing_is_named),
        cmocka_unit_test(a_scanner_that_fails_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
