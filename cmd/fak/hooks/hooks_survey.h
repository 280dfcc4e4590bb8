/* hooks_survey: what git would run in this worktree, hook by hook, and through which of its two ways.
 *
 * Owns:    its texts; hooks_survey_close.
 * Trusts:  git's answers. Files and configuration are from outside.
 * Threads: the main thread.
 */
#ifndef CMD_FAK_HOOKS_HOOKS_SURVEY_H
#define CMD_FAK_HOOKS_HOOKS_SURVEY_H

#include "hooks/install/confhook.h"
#include "hooks/install/install.h"

enum { HOOKS_INSTALLED = 2, HOOKS_WATCHED = 3 };
extern const char *const hooks_names[HOOKS_WATCHED]; /* the first HOOKS_INSTALLED are those we install */

struct hooks_seen {
    const char *hook;
    struct install_seen file;
    struct confhooks configured;
};

struct hooks_survey {
    struct str git_version;
    bool configures;          /* this git runs hooks from its configuration */
    struct install place;     /* of hook files */
    struct str scope, origin; /* of core.hooksPath, or empty */
    struct hooks_seen seen[HOOKS_WATCHED];
    struct arena arena;
};

/* hooks_survey_close in any case. */
bool hooks_survey_open(struct hooks_survey *out, struct status *st) STATUS_MUST_USE;
void hooks_survey_close(struct hooks_survey *survey);

bool hooks_by_config(const struct hooks_survey *survey, const struct hooks_seen *seen);
bool hooks_by_file(const struct hooks_survey *survey, const struct hooks_seen *seen);
bool hooks_shared(const struct hooks_survey *survey); /* core.hooksPath is global or of the system */

/* The program that git's configuration or our line calls and that is not there any more, or NULL. */
const char *hooks_gone(const struct hooks_survey *survey, const struct hooks_seen *seen);

/* How the hook comes to us, or why it does not: "installed, in front of the hook that was there". */
void hooks_state_text(struct str *out, const struct hooks_survey *survey, const struct hooks_seen *seen);

/* The absolute path of this program. */
bool hooks_program(char *out, size_t room, struct status *st) STATUS_MUST_USE;

#endif
