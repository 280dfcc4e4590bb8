/* advice: findings as text for people, and as JSON.
 *
 * Owns:    nothing; text is appended to the caller's.
 * Trusts:  the report. Paths are from outside and are escaped.
 * Threads: pure; any thread.
 */
#ifndef HOOKS_GATE_ADVICE_H
#define HOOKS_GATE_ADVICE_H

#include "base/jsonout.h"
#include "base/term.h"
#include "hooks/gate/gate_priorart.h"

/* What the reader can do next; it decides the last line, which is the one to paste. */
enum advice_moment {
    ADVICE_COMMITTED, /* the commit is made right after this: git commit --amend */
    ADVICE_STAGED,    /* it is still to be made: git commit --trailer */
    ADVICE_MESSAGE,   /* there is a message to append to: the trailer itself */
};

/* One block an operation (from four operations on, one line each), what is wrong with the trailer that is
 * there, and the line to paste. Nothing when there are no findings. */
void advice_text(struct str *out, const struct term *term, const struct matrix *m,
                 const struct gate_report *report, enum advice_moment moment);

/* The same in one line: for a runner that cannot see the message, and for who saw it in the editor. */
void advice_line(struct str *out, const struct gate_report *report, enum advice_moment moment);

/* "findings" and "stamp", as members of the object that is open. */
void advice_json(struct jsonout *json, const struct matrix *m, const struct gate_report *report);

/* A comment block for the editor: `comment` starts every line. */
void advice_comment(struct str *out, const struct gate_report *report, const char *comment);

#endif
