/* checklanes [quick|tenth|full] [WORD]: tries every kernel of this build, or those whose line holds WORD, and
 * every mutant, as TAP, on all CPUs. It needs no library beside libc and libm, so that it runs where only
 * they are: under qemu for another processor. Ends with status 1 when anything failed. */
#include "tests/checkkern/checkkern.h"
#include "tests/checkkern/mutants.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum outcome { PASSED, FAILED, SKIPPED, N_OUTCOMES };

/* Between the processes, each of which takes the next trial that nobody has. */
struct shared {
    atomic_size_t next;
    atomic_int counts[N_OUTCOMES];
};

struct work {
    const char *word;
    enum checkkern_depth depth;
    struct shared *shared;
};

static void say(const struct work *work, enum outcome outcome, const char *name, const char *why) {
    static const char *const begins[] = {"ok", "not ok", "ok"};
    atomic_fetch_add(&work->shared->counts[outcome], 1);
    printf("%s - %s # %s%s\n", begins[outcome], name, outcome == SKIPPED ? "SKIP " : "", why);
    fflush(stdout);
}

static void try_kernel(const struct work *work, const struct kernel *kernel) {
    static const enum outcome outcomes[] = {
        [CHECKKERN_PASS] = PASSED, [CHECKKERN_FAIL] = FAILED, [CHECKKERN_SKIP] = SKIPPED};
    struct checkkern_floor floor = checkkern_floor(kernel->op, 16, KV_F32);
    struct checkkern_result result;
    char name[96];
    snprintf(name, sizeof name, "%s %s %s", kernel->op, kernel->lane, kernel->clone);
    if (!strstr(name, work->word)) return;
    checkkern_run(&result, kernel, &floor, &(struct checkkern_cases){.depth = work->depth});
    if (result.verdict == CHECKKERN_PASS)
        snprintf(result.why, sizeof result.why, "%zu cases, bits %016" PRIx64, result.n_cases, result.bits);
    say(work, outcomes[result.verdict], name, result.why);
}

static void try_mutant(const struct work *work, const struct mutant *mutant) {
    struct checkkern_floor floor = checkkern_floor(mutant->kernel.op, 16, KV_F32);
    struct checkkern_result result;
    char name[128];
    snprintf(name, sizeof name, "%s is turned down: %s", mutant->kernel.op, mutant->name);
    if (!strstr(name, work->word)) return;
    checkkern_run(&result, &mutant->kernel, &floor, &mutant->cases);
    bool found = result.verdict == CHECKKERN_FAIL && strstr(result.why, mutant->found_by);
    say(work, found ? PASSED : FAILED, name, result.verdict == CHECKKERN_FAIL ? result.why : "it lives");
}

static void try_all(const struct work *work) {
    for (size_t i; (i = atomic_fetch_add(&work->shared->next, 1)) < kernel_count + n_mutants;)
        if (i < kernel_count) try_kernel(work, &kernel_table[i]);
        else try_mutant(work, &mutants[i - kernel_count]);
}

/* A process for each CPU; one that dies is one failure. */
static void try_on_all_cpus(const struct work *work) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < n; i++) {
        pid_t child = fork();
        if (child == 0) {
            try_all(work);
            exit(0);
        }
        if (child < 0) try_all(work);
    }
    for (int status; wait(&status) > 0;)
        if (status) say(work, FAILED, "a process", "died");
}

static bool read_depth(enum checkkern_depth *depth, const char *word) {
    static const char *const names[] = {
        [CHECKKERN_QUICK] = "quick", [CHECKKERN_FULL] = "full", [CHECKKERN_TENTH] = "tenth"};
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], word) == 0) {
            *depth = (enum checkkern_depth)i;
            return true;
        }
    return false;
}

int main(int argc, char **argv) {
    struct work work = {.word = argc > 2 ? argv[2] : ""};
    if (argc > 3 || (argc > 1 && !read_depth(&work.depth, argv[1]))) {
        fprintf(stderr, "usage: checklanes [quick|tenth|full] [WORD]\n");
        return 2;
    }
    work.shared = mmap(NULL, sizeof *work.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work.shared == MAP_FAILED) return 1;
    try_on_all_cpus(&work);
    const atomic_int *counts = work.shared->counts;
    printf("%d passed, %d failed, %d skipped\n", counts[PASSED], counts[FAILED], counts[SKIPPED]);
    return counts[FAILED] > 0 || counts[PASSED] == 0;
}
