/* sota: what the `fak sota` commands share.
 * Owns nothing. Trusts the matrix; names are from outside. The main thread. */
#ifndef CMD_FAK_SOTA_H
#define CMD_FAK_SOTA_H

#include "cmd/fak/commands.h"
#include "cmd/fak/whichmatrix.h"

enum { SOTA_MATCHES = 64 }; /* rows that one file or kernel can match; more are counted, not shown */

/* What every one of them begins with: its arguments, the form that they ask for, and the matrix. */
struct sota_call {
    struct cli_args args;
    enum cli_format format;
    const struct matrix *m;
    struct whichmatrix which;
};

/* From `low` to `high` arguments. sota_end in any case. */
bool sota_begin(struct sota_call *call, struct cli *cli, int argc, char **argv, int low, int high,
                struct status *st) STATUS_MUST_USE;

/* Ends it, whichever way it went: prints what was collected and returns `code`, or says why not. */
int sota_end(struct sota_call *call, struct cli *cli, bool ok, int code, const struct status *st);

/* The operation of this slug or alias; STATUS_USAGE with the nearest names when there is none. */
bool sota_find_op(const struct op **op, const struct matrix *m, const char *name,
                  struct status *st) STATUS_MUST_USE;

/* "there is no WHAT 'NAME'; did you mean ...?": the nearest slugs, aliases and titles, and with `commands`
 * the sub-commands of sota. Is false. */
bool sota_unknown(const struct matrix *m, const char *what, const char *name, bool commands,
                  struct status *st);

/* The same for the axis of a ladder. */
bool sota_find_ladder(const struct ladder **ladder, const struct matrix *m, const char *axis,
                      struct status *st) STATUS_MUST_USE;

#endif
