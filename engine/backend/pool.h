/* pool: a fixed set of threads that run one function together, and the barrier between its stages.
 *
 * Owns:    its threads, from open to close. The caller's thread is number 0.
 * Trusts:  the function to call pool_barrier equally often on every thread.
 * Threads: pool_run from one thread at a time.
 *
 * Waiting spins for some microseconds, because the other threads of a decode step arrive within one, and then
 * sleeps, so that a pool with more threads than CPUs, or a CPU taken away by a neighbour, costs time and
 * never progress. A pool with more threads than CPUs does not spin at all. The barrier is the one with a
 * sense that turns (Mellor-Crummey and Scott, doi:10.1145/103727.103729); the sense is a counter here.
 */
#ifndef ENGINE_BACKEND_POOL_H
#define ENGINE_BACKEND_POOL_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct pool;

typedef void pool_fn(void *arg, size_t thread, size_t n_threads);

/* n_threads of 0: as many as CPUs this process may use. */
bool pool_open(struct pool **out, size_t n_threads, struct status *st) STATUS_MUST_USE;
void pool_close(struct pool *pool); /* NULL is fine */

size_t pool_threads(const struct pool *pool);

/* fn(arg, 0 .. n_threads - 1, n_threads) on all threads; returns when the last has. */
void pool_run(struct pool *pool, pool_fn *fn, void *arg);

/* From inside fn: what any thread wrote before is seen by all after. */
void pool_barrier(struct pool *pool);

/* A barrier with work for one in the middle: true, at once, for the thread that arrives last, which calls
 * pool_go_on when that work is done; false for the others, when it has. */
bool pool_meet(struct pool *pool);
void pool_go_on(struct pool *pool);

/* From now on every thread stays on a CPU of its own, the caller's while pool_run lasts. Only where there are
 * as many threads as CPUs this process may use and more than one: with fewer, two processes would choose the
 * same CPUs and leave others idle. Says whether they are. */
bool pool_pin(struct pool *pool);
bool pool_pins(size_t n_threads); /* would it, so many? */

/* CPUs this process may use: its affinity mask, cut to the cgroup's quota rounded up. At least 1. */
size_t pool_cpus(void);

#endif
