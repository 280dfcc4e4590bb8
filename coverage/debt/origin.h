/* origin: where a row of the matrix is written. The compiled matrix keeps no line numbers, so the seed is
 * searched: the tuple that begins with the row's keys, in an INSERT INTO of the row's table.
 *
 * Owns:    nothing; texts live in the caller's arena.
 * Trusts:  the seed only as text.
 * Threads: any.
 */
#ifndef COVERAGE_DEBT_ORIGIN_H
#define COVERAGE_DEBT_ORIGIN_H

#include "coverage/debt/debt.h"

struct origin_file {
    const char *path; /* as it is shown */
    struct view text;
};

struct origins {
    const struct origin_file *files;
    size_t n;
};

struct origin {
    const char *path; /* "" when the row was not found */
    int line;
};

/* The row that a gap is about; of an uncovered file, its first kernel. */
struct origin origin_of(const struct origins *origins, const struct debt_gap *gap);

#endif
