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

#include "base/status.h"
#include "base/str.h"

#define INSTALL_MARK "# fak-hooks"

enum install_state {
    INSTALL_NONE,    /* no hook of this name */
    INSTALL_FOREIGN, /* somebody else's, which does not call us */
    INSTALL_OURS,    /* written by us alone */
    INSTALL_LINE,    /* somebody else's, with our line in it */
    INSTALL_CALLS,   /* somebody else's, which calls us (.githooks in this repository) */
};

struct install {
    struct str dir; /* where hooks live, absolute */
    bool husky;
    bool shared; /* core.hooksPath is set for all repositories of the user, or of the machine */
};

/* Asks git. Fails outside of a repository. */
bool install_find(struct install *out, struct status *st) STATUS_MUST_USE;
void install_close(struct install *place);

bool install_look(enum install_state *out, const struct install *place, const char *hook,
                  struct status *st) STATUS_MUST_USE;
bool install_fires(enum install_state state); /* does git run us through it? */

/* Puts `program` (absolute) in front. What is there of ours already is brought up to date. */
bool install_add(const struct install *place, const char *hook, const char *program,
                 struct status *st) STATUS_MUST_USE;

/* Takes away what install_add put there; *removed says whether there was anything. */
bool install_remove(bool *removed, const struct install *place, const char *hook,
                    struct status *st) STATUS_MUST_USE;

#endif
