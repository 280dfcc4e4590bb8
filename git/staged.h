/* staged: what the next commit changes, in any repository, by whichever reader can read it.
 *
 * Owns:    the open readers and the arena that paths live in; staged_close.
 * Trusts:  as git/reader.h.
 * Threads: one handle, one thread.
 *
 * The mapped files are read first, which is enough wherever nothing more than the list of changes is asked.
 * Where that refuses (reftable, replace refs, a bare repository ...), libgit2 is asked; where it refuses too,
 * the git program is, and staged_fallback says why.
 */
#ifndef GIT_STAGED_H
#define GIT_STAGED_H

#include "git/reader.h"

struct staged;

struct staged_options {
    bool without_index; /* do not read the files ourselves */
    /* Gives the libgit2 reader; NULL, or false: the git program is used. */
    bool (*load)(const struct reader **reader, struct status *st);
    /* Configuration is given through the environment (GIT_CONFIG_COUNT, `git -c` ...), which libgit2 1.5 does
     * not look at: ask git. */
    bool config_by_git;
    /* A commit is being made now, and this is the time of its author as git exports it to hooks
     * ("@1700000000 +0100"), or NULL when unknown. With nothing staged against HEAD it is then an amend (and
     * is compared with HEAD's parents), unless the time shows that it is an empty commit. */
    bool committing;
    const char *author_date;
};

/* Against HEAD; in a merge, what differs from every parent. STATUS_UNSUPPORTED in a bare repository. */
bool staged_open(struct staged **out, const struct staged_options *options,
                 struct status *st) STATUS_MUST_USE;
void staged_close(struct staged *staged);

const struct change_list *staged_changes(const struct staged *staged); /* sorted by path */

const struct repo_facts *staged_facts(const struct staged *staged);
const char *staged_reader(const struct staged *staged);   /* "index", "libgit2" or "git" */
const char *staged_fallback(const struct staged *staged); /* why not libgit2, or "" */

/* Appends the content of a blob of the change. */
bool staged_text(struct str *out, struct staged *staged, const char *oid, size_t limit,
                 struct status *st) STATUS_MUST_USE;

/* Appends the value of a configuration key; *found says whether it is set. */
bool staged_config(struct str *out, bool *found, struct staged *staged, const char *key,
                   struct status *st) STATUS_MUST_USE;

#endif
