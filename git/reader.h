/* reader: one way of reading a repository, as a table of functions. There are three: `index_reader` (mapped
 * files, in git/index), `repo_reader` (libgit2, in git/repo, loaded on demand) and `plumbing_reader` (the git
 * program, in git/plumbing), and git/staged.h chooses. Each answers what git itself would, or refuses with a
 * reason; none writes anything.
 *
 * Owns:    a handle belongs to its reader and ends with close().
 * Trusts:  nothing in the repository. The environment (GIT_DIR, GIT_INDEX_FILE, GIT_WORK_TREE ...) decides
 *          which repository and which index are meant, as for any git command.
 * Threads: one handle, one thread.
 */
#ifndef GIT_READER_H
#define GIT_READER_H

#include "base/str.h"
#include "git/change.h"

#include <stdint.h>

enum { COMMIT_PARENTS = 16 }; /* of an octopus merge, the first 16 are looked at */

struct commit {
    int64_t author_time; /* seconds since 1970 */
    char parents[COMMIT_PARENTS][OID_TEXT];
    size_t n_parents;
};

struct repo_facts {
    char *git_dir;    /* absolute; in a linked worktree that worktree's own */
    char *common_dir; /* what all worktrees share */
    bool bare;
    bool own_config; /* the worktree has a configuration file that libgit2 1.5 does not see */
};

struct reader {
    const char *name; /* "index", "libgit2" or "git" */
    bool (*open)(void **handle, struct status *st);
    void (*close)(void *handle);
    bool (*facts)(struct repo_facts *out, void *handle, struct arena *arena, struct status *st);
    /* oid = the commit HEAD names, or "" when the branch has no commit yet. */
    bool (*head)(char oid[OID_TEXT], void *handle, struct status *st);
    bool (*commit)(struct commit *out, void *handle, const char *oid, struct status *st);
    /* What the index changes against a commit ("": against nothing). Entries of `add -N` and unmerged
     * ones are left out. */
    bool (*staged)(struct change_list *out, void *handle, const char *commit, struct arena *arena,
                   struct status *st);
    /* What one commit ("": nothing) has otherwise than another. */
    bool (*between)(struct change_list *out, void *handle, const char *before, const char *after,
                    struct arena *arena, struct status *st);
    /* Appends the message of a commit, as it is stored. */
    bool (*message)(struct str *out, void *handle, const char *oid, struct status *st);
    /* Appends a blob of at most `limit` bytes. */
    bool (*text)(struct str *out, void *handle, const char *oid, size_t limit, struct status *st);
    /* Appends the value of a configuration key ("core.commentChar"); *found says whether there is one. */
    bool (*config)(struct str *out, bool *found, void *handle, const char *key, struct status *st);
};

extern const struct reader index_reader;    /* git/index/index_reader.c; config() always refuses */
extern const struct reader plumbing_reader; /* git/plumbing/plumbing.c */

/* git/repo/repo.c, in lib/fak-git.so. What links that room uses it at once. */
#define READER_EXPORT __attribute__((visibility("default")))
extern READER_EXPORT const struct reader repo_reader;

#endif
