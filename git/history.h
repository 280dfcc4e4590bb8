/* history: the commits of a range, and what each of them changes, in any repository, bare ones too.
 *
 * Owns:    the open readers and the list of commits; history_close.
 * Trusts:  as git/reader.h.
 * Threads: one handle, one thread.
 *
 * Which commits a range has, git says (one `git rev-list`: every spelling of a revision, dates that lie, and
 * its commit-graph are its business). What is in them the mapped files say, or libgit2, or git, as for
 * git/staged.h; history_fallback says why. An object that is missing (shallow, partial clone) is an error,
 * never a change.
 */
#ifndef GIT_HISTORY_H
#define GIT_HISTORY_H

#include "git/reader.h"

struct history;

struct history_options {
    bool without_index; /* do not read the files ourselves */
    /* Gives the libgit2 reader; NULL, or false: the git program is used. */
    bool (*load)(const struct reader **reader, struct status *st);
};

struct history_range {
    const char *revisions[8]; /* as for git rev-list: "A..B", "A...B", "B", "^A"; unused ones NULL */
    const char *path;         /* only commits that touch it (a pathspec), or NULL */
    bool first_parent;
    size_t limit; /* at most so many commits, 0: all */
};

struct history_commit {
    const char *oid;
    const char *const *parents; /* as history sees them: none at the edge of a shallow clone */
    size_t n_parents;
    bool cut; /* it has parents, but the clone is shallow and ends here */
};

struct history_list {
    struct history_commit *at; /* children before their parents */
    size_t n;
};

bool history_open(struct history **out, const struct history_options *options,
                  struct status *st) STATUS_MUST_USE;
void history_close(struct history *history);

/* *out lives as long as *history. A revision that git does not know is STATUS_NOT_FOUND. */
bool history_range(struct history_list *out, struct history *history, const struct history_range *range,
                   struct status *st) STATUS_MUST_USE;

/* Appends to *out, sorted by path, what `after` has otherwise than `before` (oids of commits; "": nothing).
 */
bool history_between(struct change_list *out, struct history *history, const char *before, const char *after,
                     struct arena *arena, struct status *st) STATUS_MUST_USE;

/* What a commit changes against its first parent, or, with `all_parents`, against every one of its parents:
 * for a merge, only what the merge itself changed. */
bool history_changes(struct change_list *out, struct history *history, const struct history_commit *commit,
                     bool all_parents, struct arena *arena, struct status *st) STATUS_MUST_USE;

/* Appends the message of a commit, or the content of a blob. */
bool history_message(struct str *out, struct history *history, const char *oid,
                     struct status *st) STATUS_MUST_USE;
bool history_text(struct str *out, struct history *history, const char *oid, size_t limit,
                  struct status *st) STATUS_MUST_USE;

const char *history_reader(const struct history *history);   /* "index", "libgit2" or "git" */
const char *history_fallback(const struct history *history); /* why not the first, or "" */

#endif
