/* Every kernel of the table passes checkkern, and checkkern turns every mutant down. One test a row, so that
 * a kernel this CPU cannot run is counted as skipped; with FAK_SKIP=fatal in the environment it fails. */
#include "tests/checkkern/checkkern.h"
#include "tests/checkkern/mutants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void passes(void **state) {
    const struct kernel *kernel = *state;
    const char *fatal = getenv("FAK_SKIP");
    struct checkkern_floor floor = checkkern_floor(kernel->op);
    struct checkkern_result result;
    checkkern_run(&result, kernel, &floor);
    if (result.verdict == CHECKKERN_SKIP && !(fatal && strcmp(fatal, "fatal") == 0)) {
        print_message("# %s\n", result.why);
        skip();
    }
    if (result.verdict != CHECKKERN_PASS) fail_msg("%s", result.why);
    assert_true(result.n_cases > 20);
}

static void is_turned_down(void **state) {
    const struct mutant *mutant = *state;
    struct checkkern_floor floor = checkkern_floor(mutant->kernel.op);
    struct checkkern_result result;
    checkkern_run(&result, &mutant->kernel, &floor);
    if (result.verdict != CHECKKERN_FAIL) fail_msg("%s lives", mutant->name);
    if (!strstr(result.why, mutant->found_by)) fail_msg("found by something else: %s", result.why);
}

static bool never(void) { return false; }

static void a_kernel_that_cannot_run_is_skipped_and_no_pass(void **state) {
    (void)state;
    struct kernel kernel = kernel_table[0];
    kernel.runs_here = never;
    struct checkkern_floor floor = checkkern_floor(kernel.op);
    struct checkkern_result result;
    checkkern_run(&result, &kernel, &floor);
    assert_int_equal(result.verdict, CHECKKERN_SKIP);
    assert_int_equal(result.n_cases, 0);
}

int main(void) {
    size_t n = kernel_count + n_mutants + 1, at = 0;
    struct CMUnitTest *tests = calloc(n, sizeof *tests);
    char(*names)[96] = calloc(n, sizeof *names);
    if (!tests || !names) return 1;
    for (size_t i = 0; i < kernel_count; i++, at++) {
        const struct kernel *k = &kernel_table[i];
        snprintf(names[at], sizeof *names, "%s %s %s", k->op, k->lane, k->clone);
        tests[at] = (struct CMUnitTest){names[at], passes, NULL, NULL, (void *)(uintptr_t)k};
    }
    for (size_t i = 0; i < n_mutants; i++, at++) {
        snprintf(names[at], sizeof *names, "%s is turned down: %s", mutants[i].kernel.op, mutants[i].name);
        tests[at] =
            (struct CMUnitTest){names[at], is_turned_down, NULL, NULL, (void *)(uintptr_t)&mutants[i]};
    }
    tests[at] = (struct CMUnitTest)cmocka_unit_test(a_kernel_that_cannot_run_is_skipped_and_no_pass);
    int failed = _cmocka_run_group_tests("checkkern", tests, n, NULL, NULL);
    free(names);
    free(tests);
    return failed;
}
