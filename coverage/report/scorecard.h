/* scorecard: what sota-coverage says, for people and as JSON.
 *
 * Owns:    nothing; appends to the caller's text.
 * Trusts:  the report's parts, not the paths and names in them: control characters are shown, not sent.
 * Threads: any.
 */
#ifndef COVERAGE_REPORT_SCORECARD_H
#define COVERAGE_REPORT_SCORECARD_H

#include "base/term.h"
#include "coverage/debt/debt.h"
#include "coverage/debt/origin.h"

struct report {
    const struct matrix *matrix;
    const struct tree *tree;
    const struct survey *survey;
    const struct debt *debt;
    struct origins origins;
};

/* Grade, kernels by operation, gaps with their mends, ladders, recorded floors; last line "sota_debt=N". With
 * `all`, long lists are not folded. */
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
