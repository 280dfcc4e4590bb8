#include "engine/backend/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CACHE_LINE = 64,
    SPINS = 4000,       /* pauses before sleep, of 10 to 60 ns each by CPU */
    MAX_THREADS = 1024, /* more is a typing error */
};

/* A barrier whose generation counts up. `sleepers` and `generation` are Dekker's pair: a sleeper announces
 * itself before it looks again, the last to arrive moves the generation before it looks for sleepers. */
struct barrier {
    _Alignas(CACHE_LINE) atomic_uint arrived;
    _Alignas(CACHE_LINE) atomic_uint generation;
    atomic_uint sleepers;
    unsigned n, spins;
    pthread_mutex_t mutex;
    pthread_cond_t moved;
};

struct worker {
    struct pool *pool;
    size_t number;
    pthread_t thread;
};

struct pool {
    struct barrier barrier;
    pool_fn *fn; /* NULL: end */
    void *arg;
    size_t n_threads, n_started;
    struct worker *workers; /* [n_threads], the first unused */
};

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void barrier_sleep(struct barrier *b, unsigned generation) {
    pthread_mutex_lock(&b->mutex);
    atomic_fetch_add(&b->sleepers, 1);
    while (atomic_load(&b->generation) == generation) pthread_cond_wait(&b->moved, &b->mutex);
    atomic_fetch_sub(&b->sleepers, 1);
    pthread_mutex_unlock(&b->mutex);
}

static void barrier_open(struct barrier *b, unsigned generation) {
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
    atomic_store(&b->generation, generation + 1);
    if (!atomic_load(&b->sleepers)) return;
    pthread_mutex_lock(&b->mutex);
    pthread_cond_broadcast(&b->moved);
    pthread_mutex_unlock(&b->mutex);
}

static void barrier_wait(struct barrier *b) {
    unsigned generation = atomic_load_explicit(&b->generation, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->n) {
        barrier_open(b, generation);
        return;
    }
    for (unsigned i = 0; i < b->spins; i++) {
        if (atomic_load_explicit(&b->generation, memory_order_acquire) != generation) return;
        relax();
    }
    barrier_sleep(b, generation);
}

void pool_barrier(struct pool *pool) {
    if (pool->n_threads > 1) barrier_wait(&pool->barrier);
}

static void *work(void *arg) {
    struct worker *self = arg;
    struct pool *pool = self->pool;
    for (;;) {
        barrier_wait(&pool->barrier);
        if (!pool->fn) return NULL;
        pool->fn(pool->arg, self->number, pool->n_threads);
        barrier_wait(&pool->barrier);
    }
}

void pool_run(struct pool *pool, pool_fn *fn, void *arg) {
    pool->fn = fn;
    pool->arg = arg;
    pool_barrier(pool);
    fn(arg, 0, pool->n_threads);
    pool_barrier(pool);
}

size_t pool_threads(const struct pool *pool) { return pool->n_threads; }

static bool start_workers(struct pool *pool, struct status *st) {
    for (size_t i = 1; i < pool->n_threads; i++) {
        struct worker *w = &pool->workers[i];
        *w = (struct worker){.pool = pool, .number = i};
        int error = pthread_create(&w->thread, NULL, work, w);
        if (error)
            return status_fail(st, STATUS_SYSTEM, "thread %zu of %zu cannot start: %s; ask for fewer threads",
                               i + 1, pool->n_threads, strerror(error));
        pool->n_started++;
    }
    return true;
}

bool pool_open(struct pool **out, size_t n_threads, struct status *st) {
    size_t cpus = pool_cpus();
    *out = NULL;
    if (n_threads == 0) n_threads = cpus < MAX_THREADS ? cpus : MAX_THREADS;
    if (n_threads > MAX_THREADS)
        return status_fail(st, STATUS_USAGE, "%zu threads are too many; at most %d", n_threads, MAX_THREADS);
    struct pool *pool = aligned_alloc(CACHE_LINE, (sizeof *pool + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    struct worker *workers = calloc(n_threads, sizeof *workers);
    if (!pool || !workers) {
        free(pool);
        free(workers);
        return status_fail(st, STATUS_NO_MEMORY, "no memory for %zu threads", n_threads);
    }
    *pool = (struct pool){.n_threads = n_threads, .workers = workers};
    pool->barrier.n = (unsigned)n_threads;
    pool->barrier.spins = n_threads <= cpus ? SPINS : 0;
    pthread_mutex_init(&pool->barrier.mutex, NULL);
    pthread_cond_init(&pool->barrier.moved, NULL);
    if (!start_workers(pool, st)) {
        pool_close(pool);
        return false;
    }
    *out = pool;
    return true;
}

/* Workers wait for the next function; those that a failed start left out do not take part. */
void pool_close(struct pool *pool) {
    if (!pool) return;
    pool->fn = NULL;
    for (size_t missing = pool->n_threads - 1 - pool->n_started; missing > 0; missing--)
        atomic_fetch_add(&pool->barrier.arrived, 1);
    pool_barrier(pool);
    for (size_t i = 1; i <= pool->n_started; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->barrier.moved);
    pthread_mutex_destroy(&pool->barrier.mutex);
    free(pool->workers);
    free(pool);
}

/* CPUs that cgroup v2 grants: "MAX PERIOD" in microseconds, or "max". 0: no limit, or no such file. */
static size_t quota_cpus(void) {
    long quota = 0, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!file) return 0;
    bool limited = fscanf(file, "%ld %ld", &quota, &period) == 2 && quota > 0 && period > 0;
    fclose(file);
    return limited ? (size_t)((quota + period - 1) / period) : 0;
}

size_t pool_cpus(void) {
    size_t cpus = 1, quota = quota_cpus();
#if defined(__linux__)
    cpu_set_t *set;
    for (int room = CPU_SETSIZE; room <= 1 << 20; room *= 2) { /* EINVAL: the kernel knows more CPUs */
        if (!(set = CPU_ALLOC((size_t)room))) break;
        size_t bytes = CPU_ALLOC_SIZE((size_t)room);
        bool known = sched_getaffinity(0, bytes, set) == 0;
        if (known) cpus = (size_t)CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (known) break;
    }
#endif
    return quota && quota < cpus ? quota : cpus > 0 ? cpus : 1;
}
