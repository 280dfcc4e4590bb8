/* gitlog: every commit that a revision reaches and what each changed against its first parent, from one
 * `git log`.
 *
 * Owns:    nothing; everything lives in the caller's arena.
 * Trusts:  git on PATH; not the names and texts that commits hold.
 * Threads: one at a time (a child process is waited for).
 */
#ifndef COVERAGE_HISTORY_GITLOG_H
#define COVERAGE_HISTORY_GITLOG_H

#include "coverage/debt/tree.h"

#include <stdint.h>

#define GITLOG_NONE UINT32_MAX

struct gitlog_blob {
    const char *oid; /* hexadecimal; NULL: no file */
    bool is_link;
};

struct gitlog_change {
    uint32_t path; /* index into gitlog.paths */
    struct gitlog_blob before, after;
};

struct gitlog_commit {
    const char *oid, *tree, *author, *subject; /* tree: the name of the tree that it holds */
    int64_t time;                              /* of the committer, seconds since 1970 */
    const uint32_t *parents;                   /* indices into gitlog.commits */
    uint32_t n_parents;
    uint32_t first_change, n_changes;
};

struct gitlog {
    struct gitlog_commit *commits; /* children before parents: commits[0] is the revision itself */
    size_t n;
    const char *const *paths; /* all that ever were, sorted by bytes */
    size_t n_paths;
    const struct gitlog_change *changes;
};

/* The history of the commit that `tree` is. A clone without all of it is refused (tree_whole_history). */
bool gitlog_read(struct gitlog *log, const struct tree *tree, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

#endif
