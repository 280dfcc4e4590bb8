/* kv: which pages of the backend's keys and values belong to which sequence.
 *
 * Owns:    the page table of all sequences and the list of free pages; the pages themselves are the
 * backend's. Trusts:  the caller to take no more than kv_missing said is free (asserted). Threads: one at a
 * time.
 *
 * A page holds KV_PAGE positions. Pages are taken as a sequence grows and given back when it closes, so that
 * sequences share one pool without copying (PagedAttention: Kwon et al., arXiv:2309.06180).
 */
#ifndef ENGINE_SESSION_KV_H
#define ENGINE_SESSION_KV_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kv {
    int32_t *pages; /* [n_sequences][pages_per_sequence], -1: none */
    size_t n_sequences, pages_per_sequence;
    size_t *n_held; /* [n_sequences] pages of each; SIZE_MAX: the row is not in use */
    int32_t *free;  /* the last n_free of them come next */
    size_t n_free, n_pages;
};

bool kv_init(struct kv *kv, size_t n_pages, size_t pages_per_sequence, struct status *st) STATUS_MUST_USE;
void kv_release(struct kv *kv);

/* A new, empty sequence: a row of the table, which may grow (and move) here and nowhere else. */
bool kv_open(int32_t *sequence, struct kv *kv, struct status *st) STATUS_MUST_USE;
void kv_close(struct kv *kv, int32_t sequence);

/* Pages that the sequence still needs for positions [0, n). */
size_t kv_missing(const struct kv *kv, int32_t sequence, size_t n);

/* Gives it those pages; at most kv->n_free. */
void kv_take(struct kv *kv, int32_t sequence, size_t n);

#endif
