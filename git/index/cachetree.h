/* cachetree: the TREE extension of an index: the names of the trees that its folders would be written as.
 *
 * Owns:    the nodes; cachetree_close. Names and ids stay in the index's bytes.
 * Trusts:  nothing: counts are checked as they are read; what a node claims is proved by whoever relies on
 * it. Threads: one struct, one thread.
 *
 * Format: git, Documentation/gitformat-index. A folder whose content changed since is marked invalid.
 */
#ifndef GIT_INDEX_CACHETREE_H
#define GIT_INDEX_CACHETREE_H

#include "base/str.h"

#include <stdint.h>

struct cachetree_node {
    struct view name;  /* of the folder in the one above it; "" at the root */
    const uint8_t *id; /* NULL: invalid */
    uint32_t n_entries, n_children;
    uint32_t next; /* the node behind all below this one: the first child is this one + 1 */
};

struct cachetree {
    struct cachetree_node *at; /* root first, then depth first; NULL: there is none */
    size_t n;
};

bool cachetree_open(struct cachetree *out, const uint8_t *bytes, size_t n, size_t n_id,
                    struct status *st) STATUS_MUST_USE;
void cachetree_close(struct cachetree *tree);

#endif
