/* gitdir: which repository and which index are meant.
 *
 * Owns:    its paths; gitdir_close.
 * Trusts:  the environment, as every git command does (GIT_DIR, GIT_COMMON_DIR, GIT_WORK_TREE,
 * GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY, GIT_ALTERNATE_OBJECT_DIRECTORIES, GIT_CEILING_DIRECTORIES and
 *          GIT_DISCOVERY_ACROSS_FILESYSTEM). Nothing in the repository; one that another user owns is
 * refused, so that git decides. Threads: one struct, one thread.
 *
 * Found as git finds it (git, setup.c; gitrepository-layout). What is rare is refused, so that another reader
 * answers: a working tree that starts above the folder with .git, grafts in another place, quoted alternates.
 */
#ifndef GIT_INDEX_GITDIR_H
#define GIT_INDEX_GITDIR_H

#include "git/change.h"
#include "git/index/repoformat.h"

struct gitdir {
    struct str dir, common;   /* absolute; in a linked worktree its own and the one it shares */
    struct str index;         /* the index file */
    struct str objects;       /* the folder of the objects */
    struct str alternates;    /* more of these, one a line */
    struct repoformat format; /* .bare: there is no working tree */
};

enum { GITDIR_SMALL = 1 << 20 }; /* a file with a line or two, or a configuration, is not longer */

bool gitdir_open(struct gitdir *out, struct status *st) STATUS_MUST_USE;
void gitdir_close(struct gitdir *git);

/* Is there a DIR/NAME? */
bool gitdir_has(const struct str *dir, const char *name);

/* Appends the content of DIR/NAME; *missing when there is no such file. */
bool gitdir_read(struct str *out, bool *missing, const struct str *dir, const char *name, size_t limit,
                 struct status *st) STATUS_MUST_USE;

#endif
