/* propose: a first matrix for a repository that has none: which operations of a known matrix its kernels seem
 * to perform, as a seed file to review.
 *
 * Owns:    nothing; appends to the caller's text.
 * Trusts:  the known matrix; not names and paths of the repository, which are quoted.
 * Threads: any.
 *
 * An operation is proposed for a kernel whose name says its slug or one of its names ("rms_norm", "RMSNorm"),
 * the longest that fits; else for a file whose own name says it; else for a file whose text says it often.
 * What is written about an operation is what the known matrix says (title, links, papers). What only the
 * repository's people can know is left open and marked REVIEW, and every operation is `planned`.
 */
#ifndef COVERAGE_DEBT_PROPOSE_H
#define COVERAGE_DEBT_PROPOSE_H

#include "coverage/debt/survey.h"

struct proposal {
    size_t n_files, n_kernels; /* that there are */
    size_t n_covered, n_ops;   /* files that a row covers now; operations */
};

/* Appends the seed. The survey is of `tree`, against any matrix; blobs reads texts as in tree_text. */
bool propose_seed(struct str *out, struct proposal *proposal, const struct survey *survey,
                  const struct tree *tree, const struct matrix *known, struct catfile *blobs,
                  struct status *st) STATUS_MUST_USE;

#endif
