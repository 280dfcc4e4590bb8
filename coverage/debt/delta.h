/* delta: what a change did to the debt: two sets of fingerprints, compared. No number is stored anywhere, so
 * two branches that each mend a gap merge without a conflict.
 *
 * Owns:    nothing; points into the two debts, lists live in the caller's arena.
 * Trusts:  both debts to be sorted as debt_fold leaves them.
 * Threads: any.
 */
#ifndef COVERAGE_DEBT_DELTA_H
#define COVERAGE_DEBT_DELTA_H

#include "coverage/debt/debt.h"

struct delta {
    const char *since; /* as asked for: "origin/main" */
    const char *base;  /* the commit that was compared with, hexadecimal */
    bool own_matrix;   /* false: the base had no matrix, and was held to today's */
    size_t before;     /* sota_debt of the base */
    const struct debt_gap *const *added, *const *removed;
    size_t n_added, n_removed;
};

/* Fills the lists; the other members are the caller's. */
bool delta_compare(struct delta *delta, const struct debt *base, const struct debt *now, struct arena *arena,
                   struct status *st) STATUS_MUST_USE;

#endif
