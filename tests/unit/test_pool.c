/* pool: every thread takes part in every round, also when there are more of them than CPUs. */
#include "engine/backend/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MOST = 33, ROUNDS = 300 };

struct rounds {
    struct pool *pool;
    int turn[MOST];
    bool failed[MOST];
    int count;
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

/* The last to arrive counts alone, and everybody sees the count. */
static void meet_in_turns(void *arg, size_t thread, size_t n_threads) {
    struct rounds *r = arg;
    for (int round = 1; round <= ROUNDS; round++) {
        if (thread % 3 == (size_t)round % 3) r->turn[thread] = round;
        if (pool_meet(r->pool)) {
            for (size_t i = 0; i < n_threads; i++)
                if (i % 3 == (size_t)round % 3 && r->turn[i] != round) r->failed[0] = true;
            r->count++;
            pool_go_on(r->pool);
        }
        if (r->count != round) r->failed[thread] = true;
        pool_barrier(r->pool);
    }
}

static void one_works_while_the_others_wait(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 7, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct rounds r = {0};
        struct status st = {0};
        assert_true(pool_open(&r.pool, counts[c], &st));
        pool_run(r.pool, meet_in_turns, &r);
        assert_int_equal(r.count, ROUNDS);
        for (size_t i = 0; i < counts[c]; i++) assert_false(r.failed[i]);
        pool_close(r.pool);
    }
}

static void only_cpu(cpu_set_t *before) {
    cpu_set_t one;
    assert_int_equal(sched_getaffinity(0, sizeof *before, before), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, before)) {
            CPU_SET(cpu, &one);
            break;
        }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static void seven_threads_share_one_cpu(void **state) {
    (void)state;
    cpu_set_t before;
    struct rounds r = {0};
    struct status st = {0};
    only_cpu(&before);
    assert_true(pool_open(&r.pool, 7, &st));
    assert_false(pool_pin(r.pool));
    pool_run(r.pool, take_turns, &r);
    pool_run(r.pool, meet_in_turns, &r);
    pool_close(r.pool);
    for (size_t i = 0; i < 7; i++) assert_false(r.failed[i]);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* --- a quota ----------------------------------------------------------------------------------------------
 */

/* A CPU quota stops threads for a time wherever they are: spinning, falling asleep, opening. A signal
 * whose handler sleeps does the same. */
enum { TAKEN = 2000, LONG_EACH = 50, LONG_NS = 5000000, SHORT_NS = 50000, LEFT_NS = 20000 };
static atomic_size_t n_lost;

struct quota {
    pthread_t threads[MOST];
    size_t n;
    atomic_size_t n_taken;
    atomic_bool over;
};

static void lose_the_cpu(int number) {
    (void)number;
    int before = errno;
    bool is_long = atomic_fetch_add(&n_lost, 1) % LONG_EACH == 0;
    nanosleep(&(struct timespec){.tv_nsec = is_long ? LONG_NS : SHORT_NS}, NULL);
    errno = before;
}

static void sign_in(void *arg, size_t thread, size_t n_threads) {
    struct quota *q = arg;
    q->threads[thread] = pthread_self();
    if (thread == 0) q->n = n_threads;
}

static void *take_cpus_away(void *arg) {
    struct quota *q = arg;
    while (!atomic_load(&q->over)) {
        size_t i = atomic_fetch_add(&q->n_taken, 1);
        pthread_kill(q->threads[i * i / 3 % q->n], SIGUSR1);
        nanosleep(&(struct timespec){.tv_nsec = LEFT_NS}, NULL);
    }
    return NULL;
}

static void try_under_a_quota(size_t n_threads) {
    struct quota quota = {0};
    struct rounds r = {0};
    struct status st = {0};
    pthread_t neighbour;
    assert_true(pool_open(&r.pool, n_threads, &st));
    pool_run(r.pool, sign_in, &quota);
    assert_int_equal(pthread_create(&neighbour, NULL, take_cpus_away, &quota), 0);
    for (; atomic_load(&quota.n_taken) < TAKEN; r.count = 0) {
        pool_run(r.pool, take_turns, &r);
        pool_run(r.pool, meet_in_turns, &r);
    }
    atomic_store(&quota.over, true);
    pthread_join(neighbour, NULL);
    pool_close(r.pool);
    for (size_t i = 0; i < n_threads; i++) assert_false(r.failed[i]);
}

/* As many threads as CPUs, which spin first; and more, which do not. */
static void a_quota_costs_time_and_never_progress(void **state) {
    (void)state;
    struct sigaction before, now = {.sa_handler = lose_the_cpu};
    assert_int_equal(sigaction(SIGUSR1, &now, &before), 0);
    try_under_a_quota(2);
    try_under_a_quota(7);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

struct places {
    int n_cpus[MOST], cpu[MOST];
};

static void where_am_i(void *arg, size_t thread, size_t n_threads) {
    struct places *p = arg;
    cpu_set_t set;
    (void)n_threads;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    p->n_cpus[thread] = CPU_COUNT(&set);
    p->cpu[thread] = sched_getcpu();
}

/* As many threads as CPUs: each has its own, and the caller goes where it likes again afterwards. */
static void pinned_threads_have_a_cpu_each(void **state) {
    (void)state;
    cpu_set_t before, after;
    struct pool *pool;
    struct status st = {0};
    struct places places = {0};
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    size_t n = (size_t)CPU_COUNT(&before);
    if (n > MOST) skip();
    assert_true(pool_open(&pool, n, &st));
    assert_int_equal(pool_pin(pool), n > 1);
    pool_run(pool, where_am_i, &places);
    pool_close(pool);
    for (size_t i = 0; n > 1 && i < n; i++) {
        assert_int_equal(places.n_cpus[i], 1);
        for (size_t j = 0; j < i; j++) assert_int_not_equal(places.cpu[i], places.cpu[j]);
    }
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    assert_true(pool_open(&pool, n + 1, &st));
    assert_false(pool_pin(pool));
    pool_close(pool);
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
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_in_range(pool_cpus(), 1, (uintmax_t)CPU_COUNT(&before));
    only_cpu(&before);
    assert_int_equal(pool_cpus(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_passes_the_barrier_early),
        cmocka_unit_test(one_works_while_the_others_wait),
        cmocka_unit_test(seven_threads_share_one_cpu),
        cmocka_unit_test(a_quota_costs_time_and_never_progress),
        cmocka_unit_test(pinned_threads_have_a_cpu_each),
        cmocka_unit_test(a_pool_that_never_ran_closes),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(cpus_are_those_this_process_may_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
