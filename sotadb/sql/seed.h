/* seed: a matrix being read into SQLite, in memory.
 *
 * Owns:    the database, which lives until seed_close.
 * Trusts:  the schema (ours). Seed text is data, maybe of a foreign repository: it is cut into rows, each row
 *          runs alone, an authorizer admits inserts of plain values into the tables of the schema and nothing
 *          else, and text, rows and steps are limited.
 * Threads: one seed, one thread.
 *
 * What is wrong with the rows goes to `complaints`, a line "file:line: reason, what to do" each, so that all
 * of it is seen at once; a function is false only when it could not do its work.
 */
#ifndef SOTADB_SQL_SEED_H
#define SOTADB_SQL_SEED_H

#include "base/str.h"

enum {
    SEED_MAX_FILE = 4 << 20,
    SEED_MAX_TEXT = 64 << 10,
    SEED_MAX_ROWS = 100000,
    SEED_MAX_REFUSED = 20, /* rows of a file before the rest of it is left unread */
};

struct sqlite3;

struct seed {
    struct sqlite3 *db;
    const char *file; /* where the row that runs now is written */
    int line;
    int n_rows;
    const char *root; /* of the repository whose files the rows name; set by seed_check */
};

/* An empty database with the tables of `schema`; `file` names it in messages. */
bool seed_open(struct seed *seed, const char *file, struct view schema, struct status *st) STATUS_MUST_USE;
void seed_close(struct seed *seed);

/* Runs every row of one seed file; `file` goes into messages. */
bool seed_add(struct str *complaints, struct seed *seed, const char *file, struct view text,
              struct status *st) STATUS_MUST_USE;

/* What only the whole matrix can show: an operation without a primary reference, a name that no row has, a
 * ladder with a gap, `shipped` without a witness on disk under `root` ... in order of file and line. The
 * matrix is right when nothing was appended. Without a root only its form is checked: what it lacks (links,
 * oracles, witnesses, what backs a rung) is then for coverage/debt to count. */
bool seed_check(struct str *complaints, struct seed *seed, const char *root,
                struct status *st) STATUS_MUST_USE;

#endif
