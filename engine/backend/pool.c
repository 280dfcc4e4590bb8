#include "engine/backend/pool.h"

#include "engine/backend/affinity.h"

#include <pthread.h>
#include <stdatomic.h>
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
    _Alignas(CACHE_LINE) atomic_uint generation; /* those who wait read this line alone */
    _Alignas(CACHE_LINE) atomic_uint sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    _Alignas(CACHE_LINE) unsigned n, spins;
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
    bool pinned;
    int cpu;                 /* the caller's while it runs, where they are pinned */
    struct affinity callers; /* what it may use else */
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

static void barrier_open(struct barrier *b) {
    atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
    atomic_fetch_add(&b->generation, 1);
    if (!atomic_load(&b->sleepers)) return;
    pthread_mutex_lock(&b->mutex);
    pthread_cond_broadcast(&b->moved);
    pthread_mutex_unlock(&b->mutex);
}

/* True for the last, who has to open; the others come back when it has. */
static bool barrier_arrive(struct barrier *b) {
    unsigned generation = atomic_load_explicit(&b->generation, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->n) return true;
    for (unsigned i = 0; i < b->spins; i++) {
        if (atomic_load_explicit(&b->generation, memory_order_acquire) != generation) return false;
        relax();
    }
    barrier_sleep(b, generation);
    return false;
}

bool pool_meet(struct pool *pool) { return pool->n_threads == 1 || barrier_arrive(&pool->barrier); }

void pool_go_on(struct pool *pool) {
    if (pool->n_threads > 1) barrier_open(&pool->barrier);
}

void pool_barrier(struct pool *pool) {
    if (pool_meet(pool)) pool_go_on(pool);
}

static void *work(void *arg) {
    struct worker *self = arg;
    struct pool *pool = self->pool;
    for (;;) {
        pool_barrier(pool);
        if (!pool->fn) return NULL;
        pool->fn(pool->arg, self->number, pool->n_threads);
        pool_barrier(pool);
    }
}

void pool_run(struct pool *pool, pool_fn *fn, void *arg) {
    pool->fn = fn;
    pool->arg = arg;
    bool moves = pool->pinned && affinity_read(&pool->callers) && affinity_pin(pthread_self(), pool->cpu);
    pool_barrier(pool);
    fn(arg, 0, pool->n_threads);
    pool_barrier(pool);
    if (moves) affinity_set(pthread_self(), &pool->callers);
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

bool pool_pins(size_t n_threads) {
    struct affinity mine = {0};
    bool one_each = n_threads > 1 && affinity_read(&mine) && affinity_count(&mine) == n_threads;
    affinity_free(&mine);
    return one_each;
}

bool pool_pin(struct pool *pool) {
    struct affinity *mine = &pool->callers;
    size_t n = pool->n_threads;
    if (!pool_pins(n) || !affinity_read(mine)) return false;
    pool->cpu = affinity_cpu(mine, 0);
    pool->pinned = true;
    for (size_t i = 1; i < n; i++)
        pool->pinned &= affinity_pin(pool->workers[i].thread, affinity_cpu(mine, i));
    for (size_t i = 1; i < n && !pool->pinned; i++) affinity_set(pool->workers[i].thread, mine);
    return pool->pinned;
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
    affinity_free(&pool->callers);
    free(pool->workers);
    free(pool);
}

size_t pool_cpus(void) {
    struct affinity affinity = {0};
    size_t quota = affinity_quota(), cpus = affinity_read(&affinity) ? affinity_count(&affinity) : 1;
    affinity_free(&affinity);
    return quota && quota < cpus ? quota : cpus > 0 ? cpus : 1;
}
