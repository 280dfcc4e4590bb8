/* junit: a report as JUnit XML, which every CI shows.
 *
 * Owns, trusts: as diagnostic.h. Any thread.
 *
 * One suite. A finding is a test case that failed, whose class is its rule and whose `file` and `line`
 * GitLab, Jenkins and others link; its text carries mend and link. A note is a case that was skipped: seen,
 * and nothing to mend. What was looked at and is right is a case that passed, so that a clean run is not an
 * empty one.
 */
#ifndef BASE_FINDINGS_JUNIT_H
#define BASE_FINDINGS_JUNIT_H

#include "base/findings/diagnostic.h"

enum { JUNIT_CHARACTERS = 4096 };

void junit_write(struct str *out, const struct diagnostic_report *report);

#endif
