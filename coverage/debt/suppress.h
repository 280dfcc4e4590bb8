/* suppress: gaps that somebody decided to live with, and said why: in a comment of the file that a gap is
 * about, or in a row of the matrix (table suppression).
 *
 * `sota-coverage: suppress uncovered: a test double, never linked into the product`
 * `sota-coverage: suppress several-ops helper_k: it serves both, and neither row owns it`
 *
 * The words stand right behind what begins the comment, or the line of one. The word after `suppress` is the
 * class of the gap, the next, if there is one before the ':', its detail (the kernel's name). What follows
 * the
 * ':' is the reason, to the end of the line. Without a reason nothing is suppressed.
 *
 * Owns:    nothing; texts live in the caller's arena.
 * Trusts:  nothing.
 * Threads: any.
 */
#ifndef COVERAGE_DEBT_SUPPRESS_H
#define COVERAGE_DEBT_SUPPRESS_H

#include "base/arena.h"
#include "base/str.h"

struct suppress {
    const char *class, *detail, *reason; /* "" where it says none */
    int line;
};

/* The suppressions of a source text, in order: *out lives in the arena. At most SUPPRESS_LIMIT of a file. */
enum { SUPPRESS_LIMIT = 1000 };
bool suppress_find(const struct suppress **out, size_t *n, struct view text, struct arena *arena,
                   struct status *st) STATUS_MUST_USE;

#endif
