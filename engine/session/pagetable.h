/* pagetable: which pages of the backend's keys and values belong to which sequence.
 *
 * Owns:    the rows of all sequences, the list of free pages and the tree of shared ones; the pages
 *          themselves are the backend's.
 * Trusts:  the caller to take no more than pagetable_missing said is available (asserted).
 * Threads: one at a time.
 *
 * A page holds KV_PAGE positions. Pages are taken as a sequence grows and given back when it closes, so that
 * sequences share one pool without copying (PagedAttention: Kwon et al., arXiv:2309.06180). A page that is
 * full may be published: it goes into the tree, where other sequences with the same beginning find it, and
 * where it stays when its sequence closes, until its room is needed. So a row is some pages of the tree, then
 * some of its own.
 */
#ifndef ENGINE_SESSION_PAGETABLE_H
#define ENGINE_SESSION_PAGETABLE_H

#include "engine/session/radix.h"

#include <stdbool.h>

struct pagetable_row {
    size_t n_held, n_shared; /* pages, and how many of them, from the first on, are in the tree */
    int32_t root;            /* RADIX_NONE: the row is not in use */
};

struct pagetable {
    int32_t *pages; /* [n_sequences][pages_per_sequence], -1: none */
    size_t n_sequences, pages_per_sequence;
    struct pagetable_row *rows; /* [n_sequences] */
    int32_t *free;              /* the last n_free of them come next */
    size_t n_free, n_pages;
    struct radix tree;
};

bool pagetable_init(struct pagetable *table, size_t n_pages, size_t pages_per_sequence,
                    struct status *st) STATUS_MUST_USE;
void pagetable_release(struct pagetable *table);

/* A new, empty sequence: a row of the table, which may grow (and move) here and nowhere else. */
bool pagetable_open(int32_t *sequence, struct pagetable *table, struct status *st) STATUS_MUST_USE;
void pagetable_close(struct pagetable *table, int32_t sequence);

/* Gives everything back; from then on the row shares under another root (radix_root). */
void pagetable_restart(struct pagetable *table, int32_t sequence, size_t root);

/* Pages that the sequence still needs for positions [0, n). */
size_t pagetable_missing(const struct pagetable *table, int32_t sequence, size_t n);
/* Pages that a sequence can get: free ones, and idle ones of the tree. */
size_t pagetable_available(const struct pagetable *table);
/* Pages that would become available if the sequence closed. */
size_t pagetable_own(const struct pagetable *table, int32_t sequence);

/* Gives it those pages; at most pagetable_available. Idle pages leave the tree when none is free. */
void pagetable_take(struct pagetable *table, int32_t sequence, size_t n);
/* Gives back what positions [0, n) do not need. */
void pagetable_cut(struct pagetable *table, int32_t sequence, size_t n);

/* --- sharing --- */

/* A row without pages of its own takes those of the tree that hold the next of ids[0, n), its tokens from the
 * first on; returns the positions that it has then, at most n. */
size_t pagetable_adopt(struct pagetable *table, int32_t sequence, const int32_t *ids, size_t n);

/* The page of the tree that, behind the row's last one, has most of ids[0, n) at its beginning, *n_same of
 * them, less than a page; held until radix_drop. RADIX_NONE: there is none. */
int32_t pagetable_nearest(size_t *n_same, struct pagetable *table, int32_t sequence, const int32_t *ids,
                          size_t n);

/* The row's first page that is its own is full, of these ids: into the tree with it. When the tree has one
 * of the same tokens the row takes that one, and its own is free again. */
void pagetable_publish(struct pagetable *table, int32_t sequence, const int32_t ids[KV_PAGE]);

/* For tests: every page is free, in the tree or in one row, and held as often as rows have it; twins that
 * pagetable_nearest gave are dropped. */
bool pagetable_check(const struct pagetable *table, struct status *st) STATUS_MUST_USE;

#endif
