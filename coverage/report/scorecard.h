/* scorecard: what sota-coverage says, for people and as JSON.
 *
 * Owns:    nothing; appends to the caller's text.
 * Trusts:  the report's parts, not the paths and names in them: control characters are shown, not sent.
 * Threads: any.
 */
#ifndef COVERAGE_REPORT_SCORECARD_H
#define COVERAGE_REPORT_SCORECARD_H

#include "base/findings/diagnostic.h"
#include "base/term.h"
#include "coverage/debt/delta.h"
#include "coverage/debt/origin.h"

struct report {
    const struct matrix *matrix;
    const struct tree *tree;
    const struct survey *survey;
    const struct debt *debt;
    struct origins origins;
    const struct delta *delta; /* NULL: nothing was compared */
    const char *today;         /* "2026-11-30": links read longer ago than `window` days are told; or NULL */
    int window;
    const char *version; /* of this program */
};

/* Days from 1970 to an ISO date; false when it is none. */
bool scorecard_day(long *day, const char *date);

/* A reference whose link was not looked at within the window before today, or never (days: -1). */
struct scorecard_stale {
    const struct reference *reference;
    long days;
};

/* Fills at most `room` in the order of the matrix and returns how many there are; 0 without report->today. */
size_t scorecard_stale(struct scorecard_stale *out, size_t room, const struct report *report);

/* The mends that free most, at most `room`: what is wrong before what is not there yet, and among those the
 * gaps that most kernels wait for. Returns how many. */
struct scorecard_mend {
    const struct debt_gap *gap;
    size_t kernels;
};
size_t scorecard_mends(struct scorecard_mend *out, size_t room, const struct report *report);

/* The same report for the formats of base/findings: gaps are its findings; with a delta, those added are
 * warnings and the others notes. Texts live in the arena. */
bool scorecard_diagnostics(struct diagnostic_report *out, const struct report *report, struct arena *arena,
                           struct status *st) STATUS_MUST_USE;

/* Grade, the next mends, what changed, kernels by operation, gaps, ladders, recorded floors; last line
 * "sota_debt=N". With `all`, long lists are not folded. */
void scorecard_text(struct str *out, const struct term *term, const struct report *report, bool all);

/* The same as one JSON object. */
void scorecard_json(struct str *out, const struct report *report);

/* One gap: class and why it counts, where it is written, its mend. */
void scorecard_explain(struct str *out, const struct term *term, const struct report *report,
                       const struct debt_gap *gap);
void scorecard_gap_json(struct str *out, const struct report *report, const struct debt_gap *gap);

/* One row a kernel count: operations of the matrix in order, then `NULL` for files that several operations
 * share, then uncovered. */
struct scorecard_tally {
    size_t *by_op; /* n_ops */
    size_t shared, uncovered;
};

bool scorecard_tally(struct scorecard_tally *tally, const struct report *report); /* false: no memory */
void scorecard_tally_free(struct scorecard_tally *tally);

#endif
