/* pagetable: which pages of the backend's keys and values belong to which sequence.
 *
 * Owns:    the page table of all sequences and the list of free pages; the pages themselves are the
 * backend's. Trusts:  the caller to take no more than pagetable_missing said is free (asserted). Threads: one
 * at a time.
 *
 * A page holds KV_PAGE positions. Pages are taken as a sequence grows and given back when it closes, so that
 * sequences share one pool without copying (PagedAttention: Kwon et al., arXiv:2309.06180).
 */
#ifndef ENGINE_SESSION_PAGETABLE_H
#define ENGINE_SESSION_PAGETABLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pagetable {
    int32_t *pages; /* [n_sequences][pages_per_sequence], -1: none */
    size_t n_sequences, pages_per_sequence;
    size_t *n_held; /* [n_sequences] pages of each; SIZE_MAX: the row is not in use */
    int32_t *free;  /* the last n_free of them come next */
    size_t n_free, n_pages;
};

bool pagetable_init(struct pagetable *table, size_t n_pages, size_t pages_per_sequence,
                    struct status *st) STATUS_MUST_USE;
void pagetable_release(struct pagetable *table);

/* A new, empty sequence: a row of the table, which may grow (and move) here and nowhere else. */
bool pagetable_open(int32_t *sequence, struct pagetable *table, struct status *st) STATUS_MUST_USE;
void pagetable_close(struct pagetable *table, int32_t sequence);

/* Pages that the sequence still needs for positions [0, n). */
size_t pagetable_missing(const struct pagetable *table, int32_t sequence, size_t n);

/* Gives it those pages; at most table->n_free. */
void pagetable_take(struct pagetable *table, int32_t sequence, size_t n);

#endif
