/* repoformat: what a repository's configuration says about how it is stored.
 *
 * Owns:    nothing.
 * Trusts:  nothing. A file that is not understood is an error, never a guess.
 * Threads: any.
 *
 * Only the file itself counts, as for git's own check of the format: no includes, no other scopes.
 */
#ifndef GIT_INDEX_REPOFORMAT_H
#define GIT_INDEX_REPOFORMAT_H

#include "base/str.h"

enum { REPOFORMAT_PATH = 1024 };

struct repoformat {
    size_t n_id;     /* bytes of an object name */
    bool bare;       /* core.bare */
    bool bare_set;   /* it is there, and bare is not a guess */
    bool own_config; /* extensions.worktreeConfig */
    long version;
    char worktree[REPOFORMAT_PATH]; /* core.worktree, or "" */
};

/* Reads the text of a configuration file into *format, which holds what was known before. Fails with
 * STATUS_UNSUPPORTED on an extension that changes how refs or objects are stored. */
bool repoformat_read(struct repoformat *format, struct view text, struct status *st) STATUS_MUST_USE;

#endif
