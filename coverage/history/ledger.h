/* ledger: the debt of every commit of a history: how much there was, who added and who paid what, and since
 * when each gap is there.
 *
 * Owns:    everything, in its arena; ledger_close.
 * Trusts:  nothing in the repository.
 * Threads: files are scanned on as many threads as asked for; the rest on the caller's.
 *
 * A commit is held to the matrix that it holds itself, when the revision that is asked for holds one, else
 * every commit to the one matrix that is given. A gap is added by the commit that has it while none of its
 * parents has, and paid by the one that has it no more while all of its parents had: a merge is charged only
 * for what it did itself. Where no parent had a matrix, the first one is a beginning and nobody is charged.
 *
 * Files are scanned once each content, commits folded once each tree; both are kept in the cache.
 */
#ifndef COVERAGE_HISTORY_LEDGER_H
#define COVERAGE_HISTORY_LEDGER_H

#include "coverage/debt/debt.h"
#include "coverage/debt/own_matrix.h"
#include "coverage/history/gitlog.h"

struct ledger_sheet { /* of one tree */
    bool known;       /* false: there was no matrix yet, or none that can be read */
    uint32_t n_kernels, n_clean;
    uint32_t *gaps; /* numbers, ascending */
    uint32_t n_gaps;
};

struct ledger_entry { /* of one commit, as in gitlog.commits */
    const struct ledger_sheet *sheet;
    bool begins;            /* no parent had a matrix: nobody is charged */
    uint32_t *added, *paid; /* numbers of gaps, ascending */
    uint32_t n_added, n_paid;
};

struct ledger_gap {
    char fingerprint[DEBT_FINGERPRINT];
    const char *class, *op, *path, *detail;
    uint32_t first; /* the commit that brought it first */
    bool open;      /* it is there at the revision that was asked for */
};

struct ledger_person {
    const char *name;
    uint32_t n_commits; /* that changed the debt */
    uint32_t added, paid;
};

struct ledger {
    struct arena arena;
    struct gitlog log;
    struct ledger_entry *entries; /* of each commit */
    struct ledger_gap *gaps;
    size_t n_gaps;                /* by fingerprint */
    struct ledger_person *people; /* most paid first, then least added, then by name */
    size_t n_people;
    const uint32_t *mainline; /* the commits from the first to the one asked for, along first parents */
    size_t n_mainline;
    bool own_matrices; /* each commit was held to its own */
};

struct ledger_options {
    struct survey_options scan; /* cache, threads, progress, stop */
    struct view schema;         /* as own_matrix.schema */
    const char *matrix;         /* as own_matrix.path */
};

/* The history of the commit that `tree` is. */
bool ledger_open(struct ledger *ledger, const struct tree *tree, const struct ledger_options *options,
                 struct str *complaints, struct status *st) STATUS_MUST_USE;
void ledger_close(struct ledger *ledger);

#endif
