/* seedfiles: the matrix that a repository keeps for itself, from its seed on disk.
 *
 * Owns:    nothing; paths, texts and rows live in the caller's arena.
 * Trusts:  the schema, which is ours; the seed is data (seed.h).
 * Threads: one call, one thread.
 */
#ifndef SOTADB_SQL_SEEDFILES_H
#define SOTADB_SQL_SEEDFILES_H

#include "base/arena.h"
#include "sotadb/matrix.h"

enum { SEEDFILES_MAX = 1000 };

#define SEEDFILES_FOLDER "sotadb/seed" /* where a seed lies unless `git config fak.matrix` says otherwise */

struct seedfile {
    const char *path; /* as it is shown: from the root, or absolute */
    struct view text;
};

struct seedfiles {
    struct seedfile *at; /* by name */
    size_t n;
};

/* `where` is a folder, whose *.sql are read, or one such file; from `root` unless absolute. A folder that is
 * not there holds none. */
bool seedfiles_read(struct seedfiles *out, const char *root, const char *where, struct arena *arena,
                    struct status *st) STATUS_MUST_USE;

/* Loads them into the tables of `schema` and checks what the rows say of each other; files that they name are
 * not looked for. False with lines in *complaints (seed.h) when rows are not right. `source` is what the
 * matrix calls itself and outlives it. */
bool seedfiles_load(struct matrix *m, const struct seedfiles *files, struct str *complaints,
                    struct view schema, const char *source, struct arena *arena,
                    struct status *st) STATUS_MUST_USE;

#endif
