/* rangereport: a judged range for people, for programs, and as diagnostics for a CI (base/findings).
 *
 * Owns:    nothing; struct rangereport's texts live in the arena of whoever asked.
 * Trusts:  the range. Subjects and paths are from outside: for people, control characters are shown, not
 * sent. Threads: pure; any thread.
 */
#ifndef HOOKS_RANGE_RANGEREPORT_H
#define HOOKS_RANGE_RANGEREPORT_H

#include "base/findings/diagnostic.h"
#include "base/term.h"
#include "hooks/range/revrange.h"

/* One block a commit that needs a trailer; the last line says how many do, and what to run. */
void rangereport_text(struct str *out, const struct term *term, const struct revrange *range);

/* One JSON object: ends, counts, and every commit that touches a kernel with its state. */
void rangereport_json(struct str *out, const struct matrix *m, const struct revrange *range);

/* One finding for each commit and operation that needs a trailer, at the first line that changed. `required`
 * makes them errors. The fingerprint is that of rule, operation, file and subject: it survives a rebase. */
bool rangereport_diagnostics(struct diagnostic_report *out, const struct matrix *m,
                             const struct revrange *range, bool required, struct arena *arena,
                             struct status *st) STATUS_MUST_USE;

/* "3 commits, 2 touch kernels: 1 stamped, 1 without a trailer" */
void rangereport_result(struct str *out, const struct revrange *range);

#endif
