/* scan_language: the languages that kernels are written in. Owns nothing, trusts nothing, any thread. */
#ifndef COVERAGE_SCAN_SCAN_LANGUAGE_H
#define COVERAGE_SCAN_SCAN_LANGUAGE_H

#include <stdbool.h>

enum scan_language {
    SCAN_NONE, /* not a language that kernels are written in */
    SCAN_C,
    SCAN_CPP,
    SCAN_CUDA,
    SCAN_HIP,
    SCAN_METAL,
    SCAN_OPENCL,
    SCAN_SYCL, /* C++ whose lambdas run on a device */
    SCAN_GLSL,
    SCAN_HLSL,
    SCAN_ASM,
    SCAN_PYTHON, /* a file of the language without a kernel; with one it is called after the dialect */
    SCAN_TRITON,
    SCAN_CUTE,   /* CuTe DSL */
    SCAN_CUTILE, /* cuda.tile */
    SCAN_WGSL,
    SCAN_LANGUAGES /* how many */
};

/* What the path says: extension only, that of what it makes for a template ("a.cu.jinja", "a.cu.in"). Content
 * can still make a .h or .cpp file CUDA, HIP, Metal or SYCL. */
enum scan_language scan_language_of(const char *path);
bool scan_language_of_template(const char *path);               /* does the file only make one, as those? */
const char *scan_language_name(enum scan_language language);    /* "cuda" ... */
const char *scan_language_grammar(enum scan_language language); /* as syntax_grammar names it, or NULL */

/* Every file of this kind that is not analysed must still be covered by a row: CUDA, HIP, Metal, OpenCL. */
bool scan_language_is_device(enum scan_language language);

#endif
