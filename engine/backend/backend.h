/* backend: runs programs on a device.
 *
 * Owns:    re-laid weights, activation buffers, KV pages and states; none is allocated in run.
 * Trusts:  the program (checked when built) and the batch (asserted in debug).
 * Threads: run from one thread at a time; the backend has threads of its own.
 *
 * The numbers contract (docs/adr/0003-numbers.md): lane `ref` is double accumulation in textbook order and is
 * the oracle; lane `exact` gives the same bits whatever the vector width, the number of threads, the chunking
 * and the neighbours in the batch.
 */
#ifndef ENGINE_BACKEND_BACKEND_H
#define ENGINE_BACKEND_BACKEND_H

#include "engine/kernels/kv.h"
#include "engine/model/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tokens to run. Within one sequence they come in ascending position, and every earlier position has been
 * run before (now or in an earlier batch). */
struct batch {
    size_t n;
    const int32_t *ids;       /* [n] */
    const int32_t *positions; /* [n] */
    const int32_t *sequences; /* [n] row of `pages` */
    const bool *wants_logits; /* [n] */
    const int32_t
        *pages; /* [n_sequences][pages_per_sequence] page of positions [i * KV_PAGE, ...), -1: none */
    size_t n_sequences, pages_per_sequence;
    const bool *extended; /* [n] the token's sequence goes beyond program.extended_from; NULL: none does */
};

struct backend_options {
    const char *isa;  /* "ref", "c" or "auto" */
    int threads;      /* 0: all CPUs this process may use */
    size_t max_batch; /* tokens a run */
    size_t n_pages;   /* KV pages, shared by all sequences */
};

struct backend;

/* The CPU. The program must outlive the backend. */
bool backend_open_cpu(struct backend **out, const struct program *program,
                      const struct backend_options *options, struct status *st) STATUS_MUST_USE;
void backend_close(struct backend *backend);

/* Makes room for what sequences [0, n) keep beside their pages; from then on a batch may have so many.
 * Nothing to do for a program without states. Not while it runs. */
bool backend_sequences(struct backend *backend, size_t n, struct status *st) STATUS_MUST_USE;

/* Runs the batch. logits[i * n_vocab] is filled for the i-th token that wants them. Cannot fail. */
void backend_run(struct backend *backend, const struct batch *batch, float *logits);

/* What ran: "c (AVX-512 clone), 2 threads". The string lives as long as the backend. */
const char *backend_describe(const struct backend *backend);

#endif
