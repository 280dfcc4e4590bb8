/* sheets: what ledger_open does first: a sheet for every commit, from the cache or by folding its tree.
 *
 * Owns:    nothing of its own: all of it lives in the ledger's arena.
 * Trusts:  as ledger.h.
 * Threads: as ledger.h.
 *
 * One walk over the forest of first parents, changes applied on the way down and taken back on the way up:
 * the state of any commit is there when it is looked at, and the work is that of all changes together.
 */
#ifndef COVERAGE_HISTORY_SHEETS_H
#define COVERAGE_HISTORY_SHEETS_H

#include "coverage/history/ledger.h"

/* Fills the sheet of every entry and the gaps that they number. */
bool sheets_fill(struct ledger *ledger, const struct tree *tree, const struct ledger_options *options,
                 struct str *complaints, struct status *st) STATUS_MUST_USE;

#endif
