/* matrix_read: a checked seed as plain data.
 *
 * Owns:    nothing; rows and texts go into the caller's arena.
 * Trusts:  seed_check, which found no complaint.
 * Threads: one seed, one thread.
 */
#ifndef SOTADB_SQL_MATRIX_READ_H
#define SOTADB_SQL_MATRIX_READ_H

#include "base/arena.h"
#include "sotadb/matrix.h"
#include "sotadb/sql/seed.h"

/* Every table into its array, sorted, ranges cut. `source` ("built-in", a path) must outlive the matrix. */
bool matrix_read(struct matrix *m, struct arena *arena, const struct seed *seed, const char *source,
                 struct status *st) STATUS_MUST_USE;

/* The usual way: schema and seed files at these paths, loaded, checked against the files under `root`, read.
 * False with lines in *complaints (seed.h) when rows are not right, false with *st alone when a file cannot
 * be read. */
bool matrix_read_files(struct matrix *m, struct arena *arena, struct str *complaints, const char *root,
                       const char *schema, const char *const *seeds, size_t n_seeds, const char *source,
                       struct status *st) STATUS_MUST_USE;

#endif
