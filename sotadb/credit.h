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

/* Without a reference the operation stands alone. A GitHub link is told by owner and name. */
void credit_line(struct str *out, const struct op *op, const struct reference *reference);

#endif
