/* code: is a change only in comments and blanks?
 *
 * Owns:    nothing; two growing texts while it works.
 * Trusts:  nothing. In doubt the texts differ: what is no language we know is compared as it is, but for
 *          blanks at the ends of lines, empty lines and the kind of line end.
 * Threads: pure; any thread.
 */
#ifndef HOOKS_GATE_CODE_H
#define HOOKS_GATE_CODE_H

#include "base/str.h"

/* *same: do both versions of the file say the same to a compiler? The language follows from the path. */
bool code_same(bool *same, const char *path, struct view before, struct view after,
               struct status *st) STATUS_MUST_USE;

/* Does the head of the text say that a generator wrote it? */
bool code_generated(struct view text);

#endif
