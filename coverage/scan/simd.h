/* simd: what a single name of C or C++ says about SIMD. Owns nothing, trusts nothing, any thread.
 *
 * Sources: Intel Intrinsics Guide; Arm C Language Extensions; RISC-V vector intrinsics; Hexagon HVX; GCC and
 * Clang manuals
 * ("Using Vector Instructions", "Common Function Attributes", target and target_clones). */
#ifndef COVERAGE_SCAN_SIMD_H
#define COVERAGE_SCAN_SIMD_H

#include "base/str.h"

#include <stdbool.h>

enum simd_mark {
    SIMD_NONE,
    SIMD_ATTRIBUTE, /* `target`: says something only as an attribute of a function */
    SIMD_CODE,      /* an intrinsic, a builtin, target_clones */
    SIMD_TYPE,      /* a vector type */
};

int simd_mark(struct view name); /* enum simd_mark, as a macro_mark */

/* Could the text hold anything that simd_mark marks, or another word that makes a C or C++ file one of
 * kernels
 * (__global__, [[kernel]], parallel_for)? Comments and strings count, so "no" is certain. One pass. */
bool simd_is_likely(struct view text);

/* Is the file a source (no header) whose name says for which instruction set it is: "quant_avx2.c",
 * "neon.cpp"? */
bool simd_names_isa(const char *path);

#endif
