/* Every kernel of the table passes checkkern, and checkkern turns every mutant down. One test a row, so that
 * a kernel this CPU cannot run is counted as skipped; with FAK_SKIP=fatal in the environment it fails. */
#include "tests/checkkern/checkkern.h"
#include "tests/checkkern/mutants.h"
#include "tests/checkkern/trial.h"
#include "tests/unit/sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

static const struct checkkern_cases all = {.depth = SANITIZED ? CHECKKERN_SPARSE : CHECKKERN_QUICK};

static void passes(void **state) {
    const struct kernel *kernel = *state;
    const char *fatal = getenv("FAK_SKIP");
    struct checkkern_floor floor = checkkern_floor(kernel->op, 16, KV_F32);
    struct checkkern_result result;
    checkkern_run(&result, kernel, &floor, &all);
    if (result.verdict == CHECKKERN_SKIP && !(fatal && strcmp(fatal, "fatal") == 0)) {
        print_message("# %s\n", result.why);
        skip();
    }
    if (result.verdict != CHECKKERN_PASS) fail_msg("%s", result.why);
    assert_true(result.n_cases > (SANITIZED ? 2 : 20));
}

static void is_turned_down(void **state) {
    const struct mutant *mutant = *state;
    struct checkkern_floor floor = checkkern_floor(mutant->kernel.op, 16, KV_F32);
    struct checkkern_result result;
    checkkern_run(&result, &mutant->kernel, &floor, &mutant->cases);
    if (result.verdict != CHECKKERN_FAIL) fail_msg("%s lives", mutant->name);
    if (!strstr(result.why, mutant->found_by)) fail_msg("found by something else: %s", result.why);
}

/* The type of the weights that an op takes: the one in its name, or F32. */
static enum dtype type_of(const char *op) {
    static const enum dtype types[] = {
#define DTYPE(name, id, elements, bytes) DTYPE_##name,
#include "engine/tensor/dtypes.inc"
#undef DTYPE
    };
    for (size_t i = 0; strncmp(op, "linear_", 7) == 0 && i < sizeof types / sizeof *types; i++)
        if (strcasecmp(op + 7, dtype_info(types[i])->name) == 0) return types[i];
    return strcmp(op, "linear_codes") == 0 ? DTYPE_GPTQ : DTYPE_F32;
}

/* engine.md 20: sgl-project/sglang#22455, #38773: no token is no work, for every op: nothing is written. */
static void takes_a_batch_of_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel *k = &kernel_table[i];
        struct trial_shape shape;
        struct trial trial;
        float *memory;
        size_t n;
        if (!k->runs_here()) continue;
        enum dtype type = type_of(k->op);
        assert_true(trial_next_shape(&shape, k->op, type, 0));
        shape.n = 0;
        trial_build(&trial, k->op, &shape, strcmp(k->lane, "ref") != 0);
        void *scratch = synth_alloc(&trial.arena, 1, kernel_scratch(4096, 512) + 64);
        struct task task = trial_outputs(&trial, &memory, &n);
        float *before = synth_alloc(&trial.arena, n, sizeof *before); /* states and pages among it */
        memcpy(before, memory, n * sizeof *before);
        k->run(&task, 0, trial.units, (char *)scratch + (64 - (uintptr_t)scratch % 64) % 64);
        if (memcmp(before, memory, n * sizeof *before) != 0)
            fail_msg("%s %s %s wrote something", k->op, k->lane, k->clone);
        trial_release(&trial);
    }
}

static bool never(void) { return false; }

static void a_kernel_that_cannot_run_is_skipped_and_no_pass(void **state) {
    (void)state;
    struct kernel kernel = kernel_table[0];
    kernel.runs_here = never;
    struct checkkern_floor floor = checkkern_floor(kernel.op, 16, KV_F32);
    struct checkkern_result result;
    checkkern_run(&result, &kernel, &floor, &all);
    assert_int_equal(result.verdict, CHECKKERN_SKIP);
    assert_int_equal(result.n_cases, 0);
}

static size_t n_cases(const char *op, struct checkkern_cases cases) {
    struct checkkern_floor floor = checkkern_floor(op, 16, KV_F32);
    struct checkkern_result result;
    checkkern_run(&result, kernel_find(op, "exact", "c"), &floor, &cases);
    if (result.verdict != CHECKKERN_PASS) fail_msg("%s", result.why);
    return result.n_cases;
}

/* A contract by itself has all of its cases and no other's: of the quick ones, in every build. */
static void contracts_are_parts_of_the_whole(void **state) {
    (void)state;
    const struct checkkern_cases whole = {.depth = CHECKKERN_QUICK};
    size_t narrow = n_cases("linear_q4_0", (struct checkkern_cases){.activations = 8});
    size_t wide = n_cases("linear_q4_0", (struct checkkern_cases){.activations = 16});
    assert_true(narrow > 50 && narrow == wide);
    assert_int_equal(narrow + wide, n_cases("linear_q4_0", whole));
    size_t parts = 0;
    for (int kv = 0; kv < KV_TYPES; kv++) {
        size_t part = n_cases("attention", (struct checkkern_cases){.kv = kv_type_name((enum kv_type)kv)});
        assert_true(part > 50);
        parts += part;
    }
    assert_int_equal(parts, n_cases("attention", whole));
    parts = n_cases("linear_codes", (struct checkkern_cases){.type = "AWQ"});
    assert_true(parts > 100 && parts * 4 == n_cases("linear_codes", whole));
    assert_int_equal(n_cases("rms_norm", (struct checkkern_cases){.activations = 8}), 0);
}

int main(void) {
    size_t n = kernel_count + n_mutants + 3, at = 0;
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
    tests[at++] = (struct CMUnitTest)cmocka_unit_test(takes_a_batch_of_nothing);
    tests[at++] = (struct CMUnitTest)cmocka_unit_test(contracts_are_parts_of_the_whole);
    tests[at] = (struct CMUnitTest)cmocka_unit_test(a_kernel_that_cannot_run_is_skipped_and_no_pass);
    int failed = _cmocka_run_group_tests("checkkern", tests, n, NULL, NULL);
    free(names);
    free(tests);
    return failed;
}
