/* tree: the files of a repository as they lie in the working tree, as they are staged, or as a commit holds
 * them; what git says about the repository beside that.
 *
 * Owns:    nothing; paths and names live in the caller's arena.
 * Trusts:  git on PATH, which is run; not the names it gives, which may hold any byte but NUL.
 * Threads: one at a time (child processes are waited for); an open tree may be read from any thread.
 *
 * Bare repositories have no working tree and are read at HEAD. What cannot be read is never taken for absent:
 * the call is false and says what to do.
 */
#ifndef COVERAGE_DEBT_TREE_H
#define COVERAGE_DEBT_TREE_H

#include "base/arena.h"
#include "base/str.h"

struct catfile;

enum tree_kind { TREE_WORK, TREE_INDEX, TREE_COMMIT };

struct tree_blob {
    const char *oid; /* hexadecimal; NULL: the file lies in the working tree */
    bool is_link;
};

struct tree {
    enum tree_kind kind;
    const char *folder; /* what `git -C` takes: the root of the working tree, else the bare repository */
    const char *root;   /* of the working tree, absolute; "" in a bare repository */
    const char *name;   /* "working tree", "index", or the revision as it was asked for */
    const char *commit; /* hexadecimal; "" unless kind is TREE_COMMIT */
    const char *const *paths;      /* from root, sorted by bytes; files only, each once */
    const struct tree_blob *blobs; /* of each path */
    size_t n;
    size_t n_absent; /* tracked files that are not there, though git would have them there */
    size_t
        n_sparse; /* files that a sparse checkout leaves out of the working tree: read as they are staged */
    bool bare, shallow;
};

/* The repository that `folder` lies in. With `rev` the tree of that commit; TREE_WORK in a bare repository is
 * HEAD. No git, no repository, no such revision: false, and the mend in *st. */
bool tree_open(struct tree *tree, const char *folder, enum tree_kind kind, const char *rev,
               struct arena *arena, struct status *st) STATUS_MUST_USE;

/* Another commit of the same repository. */
bool tree_open_commit(struct tree *tree, const struct tree *beside, const char *rev, struct arena *arena,
                      struct status *st) STATUS_MUST_USE;

/* Where `path` is among the paths; false when it is not there. */
bool tree_find(size_t *at, const struct tree *tree, const char *path);
bool tree_has(const struct tree *tree, const char *path);
bool tree_matches(const struct tree *tree, const char *glob); /* any path */

/* Appends the text of the i-th file, of at most `limit` bytes. `blobs` reads what does not lie in the
 * working tree. A file that is there and cannot be read as text gives true and says why in *refused (a
 * constant, or in the arena); an object that is missing is false. */
bool tree_text(struct str *out, const char **refused, const struct tree *tree, size_t i, size_t limit,
               struct catfile *blobs, struct arena *arena, struct status *st) STATUS_MUST_USE;

/* The value of `git config KEY` there, or "" when it is not set. */
bool tree_config(const char **value, const struct tree *tree, const char *key, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

/* base = the best common ancestor of `rev` and of the tree (HEAD, unless it is a commit's), hexadecimal. A
 * history that was cut off (shallow clone) where it would have to be looked at is false: nothing is guessed.
 */
bool tree_merge_base(const char **base, const struct tree *tree, const char *rev, struct arena *arena,
                     struct status *st) STATUS_MUST_USE;

/* Refuses a history that was cut off by a shallow clone, with the mend. */
bool tree_whole_history(const struct tree *tree, struct status *st) STATUS_MUST_USE;

#endif
