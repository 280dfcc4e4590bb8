/* importance: an importance matrix: for each column of each weight, the mean square of what it is multiplied
 * with on some text (llama.cpp's llama-imatrix, as GGUF or in its older form).
 *
 * Owns:    its tables. Trusts:  nothing: counts are checked against the file, values have to be finite and
 * not negative. Threads: constant after open.
 */
#ifndef ENGINE_FILE_IMPORTANCE_H
#define ENGINE_FILE_IMPORTANCE_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

struct importance;

bool importance_open(struct importance **out, const char *path, struct status *st) STATUS_MUST_USE;
void importance_close(struct importance *m); /* NULL is fine */

/* The values of a weight: [n_matrices][n_cols], or NULL: it has none. A weight of another shape is refused.
 */
bool importance_find(const float **out, const struct importance *m, struct view name, size_t n_cols,
                     size_t n_matrices, struct status *st) STATUS_MUST_USE;

size_t importance_count(const struct importance *m); /* weights that have values */

#endif
