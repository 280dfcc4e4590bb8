/* pool: every thread takes part in every round, also when there are more of them than CPUs. */
#include "engine/backend/pool.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 33, ROUNDS = 300 };

struct rounds {
    struct pool *pool;
    int turn[MOST];
    bool failed[MOST];
};

/* Writes its own turn, and after the barrier must see everybody's. */
static void take_turns(void *arg, size_t thread, size_t n_threads) {
    struct rounds *r = arg;
    for (int round = 1; round <= ROUNDS; round++) {
        r->turn[thread] = round;
        pool_barrier(r->pool);
        for (size_t i = 0; i < n_threads; i++)
            if (r->turn[i] != round) r->failed[thread] = true;
        pool_barrier(r->pool);
    }
}

static void nobody_passes_the_barrier_early(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 8, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct rounds r = {0};
        struct status st = {0};
        if (!pool_open(&r.pool, counts[c], &st)) fail_msg("%s", st.message);
        assert_int_equal(pool_threads(r.pool), counts[c]);
        for (int again = 0; again < 3; again++) pool_run(r.pool, take_turns, &r);
        for (size_t i = 0; i < counts[c]; i++) {
            assert_int_equal(r.turn[i], ROUNDS);
            assert_false(r.failed[i]);
        }
        pool_close(r.pool);
    }
}

static void a_pool_that_never_ran_closes(void **state) {
    (void)state;
    struct pool *pool;
    struct status st = {0};
    assert_true(pool_open(&pool, 5, &st));
    pool_close(pool);
    pool_close(NULL);
}

static void too_many_threads_are_refused(void **state) {
    (void)state;
    struct pool *pool;
    struct status st = {0};
    assert_false(pool_open(&pool, 100000, &st));
    assert_int_equal(st.code, STATUS_USAGE);
    assert_null(pool);
}

static void cpus_are_those_this_process_may_use(void **state) {
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
            break;
        }
    assert_in_range(pool_cpus(), 1, (uintmax_t)CPU_COUNT(&before));
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(pool_cpus(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_passes_the_barrier_early),
        cmocka_unit_test(a_pool_that_never_ran_closes),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(cpus_are_those_this_process_may_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
