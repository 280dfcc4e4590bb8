/* seed_scan: cuts a seed file into rows, before SQLite sees any of it.
 *
 * Owns:    nothing; rows are views into the text.
 * Trusts:  nothing; the text may come from a foreign repository.
 * Threads: one scan, one thread.
 *
 * A seed file is a sequence of `INSERT INTO table (columns) VALUES (...), (...);` with SQL comments, and
 * nothing else: no other statement, no OR REPLACE, no ON CONFLICT, no SELECT. Cutting it by rows gives each
 * row its line and lets the database run one row at a time.
 */
#ifndef SOTADB_SQL_SEED_SCAN_H
#define SOTADB_SQL_SEED_SCAN_H

#include "base/str.h"

struct seed_row {
    struct view head;  /* "INSERT INTO op (slug, title) VALUES" */
    struct view table; /* "op" */
    struct view tuple; /* "('rms-norm', 'RMS norm')" */
    int line;          /* on which the tuple starts */
};

struct seed_scan {
    const char *file; /* for messages */
    const char *at, *end;
    int line;
    struct seed_row row; /* of the statement being read */
    bool in_values;
};

void seed_scan_init(struct seed_scan *scan, const char *file, struct view text);

/* The next row; row->tuple.at is NULL after the last one. False: "file:line: reason, what to do". */
bool seed_scan_next(struct seed_row *row, struct seed_scan *scan, struct status *st) STATUS_MUST_USE;

/* The first value of a tuple when it is a text ('rms-norm', its quotes removed), for messages; else empty. */
void seed_scan_first_text(struct str *out, struct view tuple);

#endif
