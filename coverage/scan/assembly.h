/* assembly: the kernels of an assembly file, by rule.
 *
 * Owns nothing; adds to the caller's sites. Trusts nothing; linear. Any thread.
 *
 * A file whose instructions name vector registers (xmm1, ymm1, zmm1, v0.4s, z0.s), set a vector length
 * (vsetvli) or that marks device kernels itself (.entry of PTX, .amdhsa_kernel) holds kernels; start-up code
 * and system calls do not. Of such a file every label that it exports is a kernel, up to the next one; a file
 * that exports none is one kernel, called after it. */
#ifndef COVERAGE_SCAN_ASSEMBLY_H
#define COVERAGE_SCAN_ASSEMBLY_H

#include "coverage/scan/site.h"

bool assembly_find(struct sites *out, struct view text, const char *path, struct arena *arena,
                   struct status *st) STATUS_MUST_USE;

#endif
