/* stage: what we do in each git hook. One function a hook, one advice a commit.
 *
 * Owns:    nothing that outlives a call, but the message file that prepare-commit-msg is given to edit.
 * Trusts:  the matrix. Repository, message and arguments are from outside.
 * Threads: one call at a time (the environment says which repository is meant).
 *
 * commit-msg sees message and index: it decides and prints. prepare-commit-msg offers the trailer in the
 * editor. pre-commit sees no message: it says one line, and only where our commit-msg does not run. Nothing
 * here blocks a commit: false means that nothing was checked and *st says why in one line.
 */
#ifndef HOOKS_STAGE_STAGE_H
#define HOOKS_STAGE_STAGE_H

#include "base/term.h"
#include "git/staged.h"
#include "hooks/gate/advice.h"

struct stage_input {
    const struct matrix *matrix;
    const struct term *term; /* of the stream that the advice goes to */
    struct staged_options repository;
    /* Gives the scanner, which names the kernels that change; NULL, or false: none are named. */
    bool (*load_scan)(touched_scan **scan, struct status *st);
    const char *message_file; /* NULL: there is no message */
    const char *source;       /* prepare-commit-msg: git's second argument, or "" */
    bool editor;              /* an editor will be opened */
    bool configured;          /* git called us from its configuration, not from a hook file */
};

/* What a hook has to say: `advice` for the user, `note` (one line, or "") on how the repository was read. */
struct stage_output {
    struct str advice, note;
};

bool stage_commit_msg(struct stage_output *out, const struct stage_input *in,
                      struct status *st) STATUS_MUST_USE;
bool stage_prepare_commit_msg(struct stage_output *out, const struct stage_input *in,
                              struct status *st) STATUS_MUST_USE;
bool stage_pre_commit(struct stage_output *out, const struct stage_input *in,
                      struct status *st) STATUS_MUST_USE;

void stage_output_free(struct stage_output *out);

#endif
