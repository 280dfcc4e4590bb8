/* gitdir: which repository and which index are meant, and what HEAD names in it.
 *
 * Owns:    its paths; gitdir_close.
 * Trusts:  the environment, as every git command does. Nothing in the repository; one that another user owns
 *          is refused, so that git decides.
 * Threads: one struct, one thread.
 *
 * Refused, so that another reader answers: bare repositories, a working directory inside .git, reftable,
 * replace refs, grafts, ceilings, other object folders, a worktree across file systems.
 */
#ifndef GIT_INDEX_GITDIR_H
#define GIT_INDEX_GITDIR_H

#include "git/change.h"
#include "git/index/repoformat.h"

struct gitdir {
    struct str dir, common; /* absolute; in a linked worktree its own and the one it shares */
    struct str index;       /* the index file */
    struct repoformat format;
};

bool gitdir_open(struct gitdir *out, struct status *st) STATUS_MUST_USE;
void gitdir_close(struct gitdir *git);

/* oid = the commit HEAD names, in hexadecimal, or "" when its branch has no commit yet. */
bool gitdir_head(char oid[OID_TEXT], const struct gitdir *git, struct status *st) STATUS_MUST_USE;

#endif
