/* treediff: what the index, or another tree, changes against a tree.
 *
 * Owns:    nothing that outlives a call; the list lives in the arena of whoever asked.
 * Trusts:  nothing. Folders whose cached tree has the name of the commit's own are passed over without a
 * look; a folder that is looked at is proved: its entries must hash to the name that the cache claims. Where
 *          the cache is invalid nothing proves the entries, so the caller verifies the index's checksum
 * first. Threads: any; each call is its own.
 */
#ifndef GIT_INDEX_TREEDIFF_H
#define GIT_INDEX_TREEDIFF_H

#include "git/change.h"
#include "git/index/cachetree.h"
#include "git/index/indexfile.h"
#include "git/index/store.h"

enum { TREEDIFF_CHANGES = 1 << 20 };

/* Appends the changes, unsorted. `tree`: name of the commit's tree, NULL: no commit. `cache->at` may be NULL.
 * `store` may be NULL when no tree has to be read. */
bool treediff(struct change_list *out, const uint8_t *tree, const struct indexfile *index,
              const struct cachetree *cache, struct store *store, struct arena *arena,
              struct status *st) STATUS_MUST_USE;

/* The same between two trees; NULL: nothing. */
bool treediff_trees(struct change_list *out, const uint8_t *before, const uint8_t *after, struct store *store,
                    struct arena *arena, struct status *st) STATUS_MUST_USE;

#endif
