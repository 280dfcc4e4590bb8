/* tree: the files that git tracks and that are there, by asking git itself.
 *
 * Owns:    nothing; paths live in the caller's arena.
 * Trusts:  git on PATH, run as `git ls-files -z`; not the names it gives, which may hold any byte but NUL.
 * Threads: one at a time (a child process is waited for).
 *
 * This is the one place where the working tree is listed; revisions and bare repositories come from git/repo.
 */
#ifndef COVERAGE_DEBT_TREE_H
#define COVERAGE_DEBT_TREE_H

#include "base/arena.h"
#include "base/str.h"

struct tree {
    const char *root;         /* of the working tree, absolute */
    const char *const *paths; /* from root, sorted by bytes; files only, each once */
    size_t n;
    size_t n_absent; /* tracked files that are not there: deleted, or left out by a sparse checkout */
};

/* The repository that `folder` lies in. No git, no repository, a bare one: false, and the mend in *st. */
bool tree_open(struct tree *tree, const char *folder, struct arena *arena, struct status *st) STATUS_MUST_USE;

bool tree_has(const struct tree *tree, const char *path);
bool tree_matches(const struct tree *tree, const char *glob); /* any path */

/* The value of `git config KEY` there, or "" when it is not set. */
bool tree_config(const char **value, const struct tree *tree, const char *key, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

#endif
