/* jobsummary: a report as Markdown, for `>>"$GITHUB_STEP_SUMMARY"` or a comment on a pull request.
 *
 * Owns, trusts: as diagnostic.h. Any thread.
 *
 * Heading, the whole in one sentence, a table of findings, what to know about the run. GitHub refuses a
 * step's summary of more than 1 MiB as a whole (GitHub, "Workflow commands"): the table ends before that, and
 * a line says how many findings are left out.
 */
#ifndef BASE_FINDINGS_JOBSUMMARY_H
#define BASE_FINDINGS_JOBSUMMARY_H

#include "base/findings/diagnostic.h"

enum { JOBSUMMARY_BYTES = 1 << 20, JOBSUMMARY_CELL = 400 };

void jobsummary_write(struct str *out, const struct diagnostic_report *report);

#endif
