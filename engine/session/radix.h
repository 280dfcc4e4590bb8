/* radix: a tree of full pages of keys and values, by the tokens that lead to them.
 *
 * Owns:    its nodes, one for each page of the pool, allocated once; the pages are the backend's.
 * Trusts:  the caller to hold the path to a page that it holds (asserted).
 * Threads: one at a time.
 *
 * One digit of this radix tree is a page of KV_PAGE tokens, so a node is a page and carries its number: a
 * node is never split, and nothing is allocated after the start. Whoever uses a page holds it and all pages
 * before it. A page that nobody holds is idle: it stays in the tree until its room is needed, and the one
 * that has been idle for the longest goes first. Holders let the last page of their path go first, so that a
 * child is always idle before its parent, and the oldest idle page is a leaf.
 *
 * Prior art: RadixAttention (Zheng et al., arXiv:2312.07104; SGLang's mem_cache/radix_cache.py) has the tree,
 * the eviction of leaves and the merging of pages that were computed twice; vLLM's v1/core/block_pool.py has
 * the queue of idle blocks in which eviction order is the order of letting go. Neither checks that a page
 * which is shared holds the bits that would have been computed: here it does (docs/adr/0003-numbers.md).
 */
#ifndef ENGINE_SESSION_RADIX_H
#define ENGINE_SESSION_RADIX_H

#include "base/status.h"
#include "engine/kernels/kv.h"

#include <stddef.h>
#include <stdint.h>

enum { RADIX_NONE = -1, RADIX_ROOTS = 2 };

struct radix_node {
    int32_t parent;        /* RADIX_NONE: not in the tree */
    int32_t child;         /* the first of its children ... */
    int32_t before, after; /* ... which are linked among themselves */
    int32_t older, newer;  /* the neighbours of an idle page */
    uint32_t n_holders;
    int32_t ids[KV_PAGE];
};

struct radix {
    struct radix_node *nodes; /* [n_pages + RADIX_ROOTS] */
    size_t n_pages, n_idle;
    int32_t oldest, newest; /* idle pages */
};

bool radix_init(struct radix *tree, size_t n_pages, struct status *st) STATUS_MUST_USE;
void radix_release(struct radix *tree);

/* The node in front of all tokens. Trees of different roots share nothing. */
int32_t radix_root(const struct radix *tree, size_t root);

/* The child of `at` that has most of its first ids in common with ids[0, n), *n_same of them; the whole page
 * when that is KV_PAGE. RADIX_NONE when no child has the first. Looks at each child once. */
int32_t radix_nearest(size_t *n_same, const struct radix *tree, int32_t at, const int32_t *ids, size_t n);

/* Puts `page` behind `at`, held once. If the same tokens are there already, that page is held and returned,
 * and `page` stays outside. */
int32_t radix_insert(struct radix *tree, int32_t at, int32_t page, const int32_t ids[KV_PAGE]);

void radix_hold(struct radix *tree, int32_t page);
void radix_drop(struct radix *tree, int32_t page);

/* Takes the page out that has been idle for the longest; tree->n_idle > 0. */
int32_t radix_evict(struct radix *tree);

/* For tests: walks the whole tree. False says what is wrong with it. */
bool radix_check(const struct radix *tree, struct status *st) STATUS_MUST_USE;

#endif
