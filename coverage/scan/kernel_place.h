/* kernel_place: which C and C++ files the matrix takes for kernels (scan_request.kernel_place).
 * Owns nothing; trusts the matrix; any thread.
 *
 * A file is a kernel place when a row of role `kernel` names it; or when no row names it, it lies in a folder
 * in which such a row lies, and that folder is, or is below, one called `kernels`. So a new file beside known
 * kernels is asked for its row; a host file beside them is named once with role `host`, and is left alone. */
#ifndef COVERAGE_SCAN_KERNEL_PLACE_H
#define COVERAGE_SCAN_KERNEL_PLACE_H

#include "sotadb/matrix.h"

/* path: from the repository root */
bool kernel_place(const struct matrix *m, const char *path);

#endif
