/* own_matrix: the matrix of the repository that is looked at, from its seed files.
 *
 * Owns:    nothing; rows and texts live in the caller's arena.
 * Trusts:  the schema, which is ours and part of this program; the seed is data (sotadb/sql/seed.h).
 * Threads: the main thread.
 */
#ifndef CMD_SOTA_COVERAGE_OWN_MATRIX_H
#define CMD_SOTA_COVERAGE_OWN_MATRIX_H

#include "coverage/debt/origin.h"

/* `git config fak.matrix` names a folder of *.sql or one such file, from the root; else sotadb/seed/ is
 * taken. None there, or a row that is not right: false, with the mend. *complaints gets "file:line: reason"
 * lines. */
bool own_matrix(struct matrix *m, struct origins *origins, struct str *complaints, const struct tree *tree,
                struct arena *arena, struct status *st) STATUS_MUST_USE;

#endif
