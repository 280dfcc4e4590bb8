/* mergemade: does a merge say something that none of its parents says?
 *
 * Owns, trusts: nothing. Pure; any thread.
 *
 * A file that both sides changed differs from every parent even where git merged it without a hand. What the
 * merge itself made are lines that no parent has, and lines that all parents have and it has not. Lines are
 * compared as sets: where they stand does not matter, only whether somebody wrote them in the merge.
 */
#ifndef HOOKS_RANGE_MERGEMADE_H
#define HOOKS_RANGE_MERGEMADE_H

#include "base/str.h"

/* *line: the first line of the result (from 1) that is the merge's own; 1 when it only took lines away, 0
 * when it made nothing. */
bool mergemade(int *line, struct view result, const struct view *parents, size_t n_parents,
               struct status *st) STATUS_MUST_USE;

#endif
