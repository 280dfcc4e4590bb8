/* confhook: hooks that live in git's configuration, which git runs itself since 2.54.
 *
 * Owns:    the sections [hook "fak-commit-msg"] and [hook "fak-prepare-commit-msg"] of the repository's own
 *          configuration; every byte around them stays git's and the user's.
 * Trusts:  git's own answers. What is configured is from outside.
 * Threads: one call at a time.
 *
 * Source: git-hook(1) and config/hook of git 2.54 and 2.55, and the program itself
 * (tests/e2e/test_git254.sh). A configured hook runs before the file of the same event, whatever
 * core.hooksPath says; git puts the hook's arguments behind the command. An older git ignores the sections.
 */
#ifndef HOOKS_INSTALL_CONFHOOK_H
#define HOOKS_INSTALL_CONFHOOK_H

#include "base/arena.h"
#include "base/str.h"

struct confhook {
    const char *name, *command, *scope; /* scope as git names it: "local", "global", "worktree" ... */
    bool enabled;                       /* hook.<name>.enabled is not false */
    bool ours;                          /* its command runs us in this event */
    const char *gone; /* the program that our command calls, when it is not there any more */
};

struct confhooks {
    struct confhook *at; /* in the order of their first mention */
    size_t n;
    bool event_off; /* hook.<event>.enabled = false: nothing of this event runs, files included */
};

/* Does this git run configured hooks? Its version ("2.39.5") is appended to *version. */
bool confhook_supported(bool *out, struct str *version, struct status *st) STATUS_MUST_USE;

/* What is configured for an event, whether or not this git runs it. */
bool confhook_list(struct confhooks *out, const char *event, struct arena *arena,
                   struct status *st) STATUS_MUST_USE;

/* Does one of them that is enabled run us, by a program that is there? */
bool confhook_fires(const struct confhooks *hooks);

/* Can the configuration be restored byte for byte afterwards? Not when its last line has no end: git adds it.
 */
bool confhook_can_restore(bool *out, struct status *st) STATUS_MUST_USE;

/* Writes our section for an event anew; *removed says whether there was one to remove. */
bool confhook_add(const char *event, const char *program, struct status *st) STATUS_MUST_USE;
bool confhook_remove(bool *removed, const char *event, struct status *st) STATUS_MUST_USE;

/* What a configured hook of ours sets in the environment of the call, so that the call knows who it is. */
#define CONFHOOK_ENV "FAK_CONFIGURED"

#endif
