/* look: one look at the staged change and the message, cheapest questions first. */
#ifndef HOOKS_STAGE_LOOK_H
#define HOOKS_STAGE_LOOK_H

#include "hooks/stage/stage.h"

enum look_silence {
    LOOK_SPEAK,
    LOOK_FIXUP,     /* fixup!, squash!, amend!: the commit will be folded into another */
    LOOK_UNTOUCHED, /* no row covers what is staged, or only its comments change */
    LOOK_OFF,       /* git config fak.priorart false */
    LOOK_STAMPED,   /* a valid trailer is there */
};

struct look {
    struct staged *staged; /* NULL when the answer did not need the repository */
    enum look_silence silence;
    struct gate_report report;
    struct trailer_rules rules;
    struct str message, comment, separators;
    struct change_list covered;
    struct touched *touched; /* of each covered change; NULL until looked for */
    struct arena arena;
};

/* Fills *look; look_close in any case. */
bool look_open(struct look *look, const struct stage_input *in, struct status *st) STATUS_MUST_USE;
void look_close(struct look *look);

/* Appends the one line that says why git was asked instead of libgit2, if it was. */
void look_note(struct str *out, const struct look *look);

/* *found: the key is set; the value is appended. */
bool look_config(struct str *out, bool *found, struct look *look, const char *key,
                 struct status *st) STATUS_MUST_USE;

/* Is `git config fak.priorart` false here, by git's own word? For who has not opened the repository. */
bool look_off_by_git(void);

/* Does git run this hook of ours from its configuration too (hooks/install/confhook.h)? Then that call
 * speaks, and one that comes through a file has nothing to add. */
bool look_configured(bool *out, struct look *look, const char *hook, struct status *st) STATUS_MUST_USE;

#endif
