/* triton: the kernels that the token scan sees in a Python file: Triton, Gluon, CuTe DSL, cuTile.
 *
 * Owns nothing; adds to the caller's sites, names in the arena. Trusts nothing; linear. Any thread. */
#ifndef COVERAGE_SCAN_TRITON_H
#define COVERAGE_SCAN_TRITON_H

#include "coverage/scan/site.h"

/* Cheap: does the text name one of them at all? */
bool triton_is_likely(struct view text);

/* site.body is the byte of the `def` that a kernel is defined by. *full: more than LEX_TOKENS tokens, nothing
 * found. */
bool triton_find(struct sites *out, bool *full, struct view text, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

#endif
