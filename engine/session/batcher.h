/* batcher: cuts a stream of tokens, of one sequence or many, into batches that a backend takes.
 *
 * Owns:    the arrays of one batch, allocated once.
 * Trusts:  the caller for ids, positions and pages (engine.c checks them).
 * Threads: one at a time.
 */
#ifndef ENGINE_SESSION_BATCHER_H
#define ENGINE_SESSION_BATCHER_H

#include "engine/backend/backend.h"
#include "engine/session/pagetable.h"

struct batcher {
    struct backend *backend;
    const struct pagetable *table;
    size_t n_vocab, max;
    int32_t *ids, *positions, *sequences;
    bool *wants_logits, *extended;
    size_t n, n_logits; /* tokens waiting, and how many of them want logits */
    size_t n_ran;       /* tokens since batcher_begin */
    float *logits;      /* where the next row goes */
    bool (*stop)(
        void *arg); /* asked before each batch: true, and it and those behind it are not run. NULL: never */
    void *stop_arg;
    bool stopped;
};

bool batcher_init(struct batcher *b, struct backend *backend, const struct pagetable *table, size_t max,
                  size_t n_vocab, struct status *st) STATUS_MUST_USE;
void batcher_release(struct batcher *b);

/* Rows of logits will be written to `logits`, one after the other in the order of the tokens that want them.
 */
void batcher_begin(struct batcher *b, float *logits);
/* Adds a token; a full batch runs. `extended`: as struct batch says it. */
void batcher_put(struct batcher *b, int32_t sequence, size_t position, int32_t id, bool wants_logits,
                 bool extended);
/* Runs what is waiting. */
void batcher_end(struct batcher *b);

#endif
