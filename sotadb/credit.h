/* credit: the Prior-art trailer that a commit on an operation carries, the same wherever it is suggested.
 * Owns nothing. Trusts the matrix. Any thread.
 *
 *   Prior-art: fused-attention; FlashInfer (flashinfer-ai/flashinfer)
 *
 * The operation comes first, as a name that the gate can check; the reference is for the reader of the log.
 */
#ifndef SOTADB_CREDIT_H
#define SOTADB_CREDIT_H

#include "sotadb/matrix.h"

#define CREDIT_KEY "Prior-art"

/* The reference that an operation is credited to: the primary one, or the first; NULL when it has none. */
const struct reference *credit_reference(const struct matrix *m, const struct op *op);

/* Without a reference the operation stands alone. A GitHub link is told by owner and name. */
void credit_line(struct str *out, const struct op *op, const struct reference *reference);

/* Of several operations in one line: all names first, then each reference, once. */
void credit_lines(struct str *out, const struct op *const *ops, const struct reference *const *references,
                  size_t n);

#endif
