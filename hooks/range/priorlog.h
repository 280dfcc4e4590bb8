/* priorlog: what prior art the commits of a history say they consulted.
 *
 * Owns:    nothing; everything lives in the caller's arena.
 * Trusts:  the matrix, and git on PATH. Messages are from outside.
 * Threads: one call at a time (a process is waited for).
 *
 * One `git log`, which looks for the trailer's name itself, reads a history of five thousand commits in less
 * than a tenth of a second; what it finds is parsed by the rules for trailers with git's defaults. A trailer
 * that names several operations is one entry for each.
 */
#ifndef HOOKS_RANGE_PRIORLOG_H
#define HOOKS_RANGE_PRIORLOG_H

#include "base/arena.h"
#include "sotadb/matrix.h"

struct priorlog_entry {
    const struct op *op; /* NULL: free text, or a name that the matrix does not have */
    const char *oid;
    const char *date; /* of the commit, "2026-11-30" */
    struct view subject;
    struct view consulted; /* what the trailer says behind the names; of free text all of it */
    int line;              /* of the trailer in the message, from 1 */
};

struct priorlog {
    struct priorlog_entry *at; /* by operation, free text last; within one the newest first */
    size_t n;
    size_t n_commits; /* that carry a trailer */
    size_t n_ops;
    bool shallow; /* older history is not in this clone */
};

/* `range`: as `git log` takes it, "HEAD" by default. `only`: entries of this operation, or NULL. */
bool priorlog_read(struct priorlog *out, const struct matrix *m, const char *range, const struct op *only,
                   struct arena *arena, struct status *st) STATUS_MUST_USE;

#endif
