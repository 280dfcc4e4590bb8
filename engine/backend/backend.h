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

#include "base/str.h"
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
    const char *isa;  /* "ref", or as in kernel_choose_clone: "auto" */
    int threads;      /* 0: all CPUs this process may use */
    int activations;  /* bits of activations against quantised weights: 16 or 0, or 8 */
    size_t max_batch; /* tokens a run */
    size_t n_pages;   /* KV pages, shared by all sequences */
    enum kv_type kv;  /* how they hold keys and values */
    bool unpinned;    /* threads may move between CPUs; else each stays on one, where there is one for each */
    /* A file that re-laid weights are mapped from, if they were made from what the key says, and else written
     * to; NULL: none. */
    const char *cache_path;
    struct view cache_key;
    /* Says how many bytes of the weights are re-laid, from the thread that opens; NULL: nobody asks. */
    void (*progress)(void *arg, size_t done, size_t total);
    void *progress_arg;
};

struct backend;

/* The CPU. The program must outlive the backend. */
bool backend_open_cpu(struct backend **out, const struct program *program,
                      const struct backend_options *options, struct status *st) STATUS_MUST_USE;
void backend_close(struct backend *backend);

/* Makes room for what sequences [0, n) keep beside their pages; from then on a batch may have so many.
 * Nothing to do for a program without states. Not while it runs. */
bool backend_sequences(struct backend *backend, size_t n, struct status *st) STATUS_MUST_USE;

/* Page `to` of the KV pages becomes what page `from` is, in all layers. Not while it runs. */
void backend_copy_page(struct backend *backend, int32_t to, int32_t from);

/* Runs the batch. logits[i * n_vocab] is filled for the i-th token that wants them. Cannot fail. */
void backend_run(struct backend *backend, const struct batch *batch, float *logits);

/* What ran: "avx512 vnni, 2 threads, pinned". The string lives as long as the backend. */
const char *backend_describe(const struct backend *backend);

/* The same of what would run here when nothing is asked otherwise: without a program, and nothing opened. */
enum { BACKEND_DESCRIBED = 96 };
void backend_describe_default(char out[BACKEND_DESCRIBED]);

/* What did not go well and did no harm when it was opened, in a sentence: "" or about the cache. */
const char *backend_note(const struct backend *backend);

#endif
