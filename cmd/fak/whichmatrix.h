/* whichmatrix: the matrix that a command looks into: that of the repository it runs in, or the built-in one.
 *
 * Owns:    the rows of a loaded matrix; whichmatrix_close.
 * Trusts:  the environment, as git does. Nothing in the repository: its seed is data.
 * Threads: the main thread.
 *
 * A repository's own matrix is what `git config fak.matrix` names, or the *.sql in its sotadb/seed. fak's own
 * repository (which has sotadb/schema.sql) has its seed compiled in. Loading takes SQLite and one git
 * process, so a few small files are looked at first, without either: where no configuration that git would
 * read speaks of a matrix and there is no seed, the built-in matrix is the answer after some system calls.
 */
#ifndef CMD_FAK_WHICHMATRIX_H
#define CMD_FAK_WHICHMATRIX_H

#include "base/arena.h"
#include "sotadb/matrix.h"

struct whichmatrix {
    const struct matrix *m; /* &sota_matrix, or &loaded */
    struct matrix loaded;
    struct arena arena;
};

/* False when there is a matrix of this repository's own and it cannot be taken: the built-in one would answer
 * for other files. */
bool whichmatrix_open(struct whichmatrix *out, struct status *st) STATUS_MUST_USE;
void whichmatrix_close(struct whichmatrix *which);

#endif
