/* install: puts our hooks where git looks for them, in front of what is there, and takes them away again.
 *
 * Owns:    the lines and files it wrote, which end in INSTALL_MARK; everything else stays byte for byte.
 * Trusts:  git's own answer on where hooks live (core.hooksPath, linked worktrees, GIT_DIR ...).
 * Threads: one call at a time.
 *
 * A hook that is a shell script gets one line of ours below its first: it keeps its name, arguments, stdin
 * and exit status, whatever it is. Anything else (Python, a binary, a symbolic link, a file that may not run)
 * moves to fak-previous/NAME beside it and is called by ours. Husky's own folder is written anew at every
 * `npm install`, so there the user's file in .husky/ is the place.
 */
#ifndef HOOKS_INSTALL_INSTALL_H
#define HOOKS_INSTALL_INSTALL_H

#include "base/str.h"
#include "hooks/install/runner.h"

#define INSTALL_MARK "# fak-hooks"

enum install_state {
    INSTALL_NONE,    /* no hook of this name */
    INSTALL_FOREIGN, /* somebody else's, which does not call us */
    INSTALL_OURS,    /* written by us alone */
    INSTALL_LINE,    /* somebody else's, with our line in it */
    INSTALL_CALLS,   /* somebody else's, which calls us (.githooks in this repository) */
    INSTALL_RUNNER,  /* a runner's, whose own configuration calls us */
};

/* One hook file, as git finds it. */
struct install_seen {
    enum install_state state;
    struct str path;
    bool exists, runs;  /* `runs`: git executes it */
    enum runner runner; /* who wrote it */
    struct str config;  /* INSTALL_RUNNER: where the runner is told to call us */
    struct str program; /* INSTALL_OURS, INSTALL_LINE: the fak that our line calls */
    bool gone;          /* that program is not there any more, and our line passes over it */
};

struct install {
    struct str dir; /* where hooks live, absolute */
    bool husky;     /* .husky/, whose files husky calls: they need not be executable */
};

/* Asks git. Fails outside of a repository. */
bool install_find(struct install *out, struct status *st) STATUS_MUST_USE;
void install_close(struct install *place);

/* The same for who knows already: core.hooksPath, or NULL, and the folder that all worktrees share. For a
 * hook, which git runs at the top of the working tree; asks git only where a value starts with '~' or '%'. */
bool install_known(struct install *out, const char *hooks_path, const char *common_dir,
                   struct status *st) STATUS_MUST_USE;

/* Who set core.hooksPath: git's scope ("local", "global" ...) and file; nothing is appended when nobody did.
 */
bool install_set_by(struct str *scope, struct str *origin, struct status *st) STATUS_MUST_USE;

/* install_seen_free in any case. */
bool install_look(struct install_seen *out, const struct install *place, const char *hook,
                  struct status *st) STATUS_MUST_USE;
void install_seen_free(struct install_seen *seen);
bool install_fires(const struct install_seen *seen); /* does git run us through it? */

/* Puts `program` (absolute) in front. What is there of ours already is brought up to date. */
bool install_add(const struct install *place, const char *hook, const char *program,
                 struct status *st) STATUS_MUST_USE;

/* Takes away what install_add put there; *removed says whether there was anything. */
bool install_remove(bool *removed, const struct install *place, const char *hook,
                    struct status *st) STATUS_MUST_USE;

#endif
