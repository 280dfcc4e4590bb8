/* reposeed: the matrix that a repository keeps for itself. Lives in lib/fak-sql.so, because it needs SQLite;
 * cmd/fak/whichmatrix.c loads it through the table "fak_reposeed", and only where there is such a matrix.
 *
 * Owns:    nothing; rows live in the caller's arena.
 * Trusts:  git on PATH for its configuration; the seed is data.
 * Threads: the main thread.
 */
#ifndef CMD_FAK_SQL_REPOSEED_H
#define CMD_FAK_SQL_REPOSEED_H

#include "base/arena.h"
#include "sotadb/matrix.h"

struct reposeed_table {
    /* The seed that `git config fak.matrix` names or, without one and where it is `seeded`, that lies in
     * ROOT/sotadb/seed. *found is false when there is neither. A row that is not right: false, and *st says
     * which. */
    bool (*load)(struct matrix *m, bool *found, const char *root, bool seeded, struct arena *arena,
                 struct status *st);
};

#endif
