/* own_matrix: the matrix of the repository that is looked at, from its seed files.
 *
 * Owns:    nothing; rows and texts live in the caller's arena.
 * Trusts:  the schema, which is ours; the seed is data (sotadb/sql/seed.h).
 * Threads: one at a time.
 *
 * `git config fak.matrix` names a folder of *.sql or one such file, from the root; else sotadb/seed/ is
 * taken. They are read from the tree that is looked at: a commit has the matrix that it holds. In the working
 * tree files count that git does not know yet. What the matrix lacks is not refused here but counted
 * (debt.h).
 */
#ifndef COVERAGE_DEBT_OWN_MATRIX_H
#define COVERAGE_DEBT_OWN_MATRIX_H

#include "coverage/debt/origin.h"

struct own_matrix {
    struct view schema; /* sotadb/schema.sql */
    const char
        *path;  /* a file or folder on disk that is taken instead, from the working directory; or NULL */
    bool found; /* out: false with a false result: there is no matrix, which is not a wrong one */
    struct str complaints; /* out: "file:line: reason" lines; str_free */
};

/* None there, or a row that is not right: false, with the mend. */
bool own_matrix(struct matrix *m, struct origins *origins, struct own_matrix *own, const struct tree *tree,
                struct arena *arena, struct status *st) STATUS_MUST_USE;

/* The same from texts that were read already. `source` names the matrix and outlives it. */
bool own_matrix_load(struct matrix *m, const struct origins *origins, struct own_matrix *own,
                     const char *source, struct arena *arena, struct status *st) STATUS_MUST_USE;

/* Where the tree's matrix is written: *where is the value of fak.matrix or "sotadb/seed". */
bool own_matrix_where(const char **where, bool *configured, const struct tree *tree, struct arena *arena,
                      struct status *st) STATUS_MUST_USE;

/* Is `path` one of the seed files of a matrix at `where`? */
bool own_matrix_holds(const char *where, const char *path);

#endif
