/* annotation: a report as workflow commands on stdout, which GitHub shows beside the lines they name.
 *
 * Owns, trusts: as diagnostic.h. Any thread.
 *
 *   ::warning file=kernels/a.cu,line=12,endLine=20,title=fak%3A prior-art-missing::what is wrong
 *
 * GitHub keeps ten of a type a step and drops the rest without a word (GitHub, "Workflow commands"): where
 * there are more, nine are written and the tenth says how many more there are. Line breaks and '%', and in
 * properties ':' and ',', are percent-encoded, so that no text can end a command or start another.
 */
#ifndef BASE_FINDINGS_ANNOTATION_H
#define BASE_FINDINGS_ANNOTATION_H

#include "base/findings/diagnostic.h"

enum { ANNOTATIONS = 10, ANNOTATION_TITLE = 255, ANNOTATION_MESSAGE = 4096 };

/* Errors, then warnings, then notices; a note of the report is a notice; report->result ends it as a plain
 * line. */
void annotation_write(struct str *out, const struct diagnostic_report *report);

#endif
