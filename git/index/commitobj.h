/* commitobj: the parts of a commit object.
 *
 * Owns:    nothing: what it gives points into the object's bytes.
 * Trusts:  nothing; a commit without a tree or an author is refused.
 * Threads: any.
 *
 * Format: headers, one a line, folded by a leading blank; an empty line; the message (git, Documentation/
 * gitformat-commit-graph and hash-object -t commit check the same).
 */
#ifndef GIT_INDEX_COMMITOBJ_H
#define GIT_INDEX_COMMITOBJ_H

#include "git/index/objid.h"
#include "git/reader.h"

struct commitobj {
    uint8_t tree[OBJID_MAX];
    struct view message; /* as it is stored, whatever its encoding */
    struct commit commit;
};

/* n_id: bytes of an object name. */
bool commitobj_parse(struct commitobj *out, struct view object, size_t n_id,
                     struct status *st) STATUS_MUST_USE;

#endif
