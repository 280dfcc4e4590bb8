/* scan: the kernels of one source file: what they are called, where they begin and end.
 *
 * Owns:    nothing; results live in the caller's arena. Nothing is kept between two calls.
 * Trusts:  nothing. Text may be hostile: time, memory and depth per file are bounded (struct scan_limits).
 * Threads: reentrant; one arena, one thread.
 *
 * Two readers look at every file. The token scan (comments, strings and preprocessor lines told apart from
 * code) decides that a kernel exists. The syntax tree (tree-sitter, coverage/scan/trees.h) gives extent and
 * name, over the union of the raw text and of a copy in which preprocessor lines and all but the first live
 * branch of each #if chain are blanked, offsets unchanged. No grammar parses real kernels reliably, so a tree
 * that failed changes only how exact an extent is: whatever the token scan saw stays, and a failed parse
 * never lowers sota_debt.
 *
 * What is a kernel:
 *   CUDA, HIP   a definition that `__global__` dresses, directly or through a macro of the file, or a macro
 * call that makes one. A declaration without a body is a reference. An explicit instantiation is an instance,
 * and so is each call in a file that holds nothing but includes and macro calls. Metal       `kernel T
 * name(...) {...}`, `[[kernel]]`; `[[host_name("x")]]` names it and makes an instance of a template, also
 * through macros. A file of statements that ask for their place in the grid is one kernel. OpenCL `kernel
 * void` or `__kernel void` with a body. SYCL        what a queue or handler is given by parallel_for or
 * single_task: after its kernel name, else after the function around it. GLSL        main() of a compute
 * shader (.comp, or a file that sets local_size_*), named after its file. A .comp file that holds nothing but
 * includes is an instance. HLSL        the function that [numthreads(...)] stands before. Triton      a def
 * under @triton.jit or Gluon's jit, plain or called, or an imported alias of it; also jit(f). One that
 * returns a value, or that another jitted function calls, is a helper unless it is launched with
 *               f[grid](...).
 *   CuTe DSL, cuTile   a def under cute.kernel, cuda.tile.kernel. Their jit is host code or part of a kernel.
 *   C, C++      a function with SIMD in it: intrinsics (x86, NEON, SVE, RVV, AltiVec, LoongArch,
 * WebAssembly), a target or target_clones attribute, a vector_size type, directly or through a macro or
 * typedef of the file. In a source that is named after an instruction set (fold_avx2.c) also each external
 * function with a loop. Inline ones, and those that take or return a vector, are helpers. In a *kernel place*
 * (see scan_request) every function with external linkage is a kernel, plain C that compilers vectorise, and
 *               static ones are helpers.
 *   assembly    coverage/scan/assembly.h.
 *   templates   "a.cu.jinja", "a.cu.in": what they make, `{{ name }}` as written.
 */
#ifndef COVERAGE_SCAN_SCAN_H
#define COVERAGE_SCAN_SCAN_H

#include "base/arena.h"
#include "base/str.h"
#include "coverage/scan/scan_language.h"

#include <stdbool.h>
#include <stddef.h>

enum scan_kind {
    SCAN_KERNEL,   /* a definition that a host can start */
    SCAN_INSTANCE, /* an instantiation of a kernel that is defined elsewhere */
    SCAN_HELPER,   /* part of a kernel; asks for no row of its own */
};

struct scan_kernel {
    const char *name; /* never NULL; the file's stem where the source gives none */
    enum scan_kind kind;
    enum scan_language language;
    size_t begin, end;  /* bytes [begin, end): decorators and template header to closing brace */
    int begin_line;     /* 1-based, of `begin` */
    int line;           /* of the name: where an editor should jump to */
    int end_line;       /* of the last byte */
    const char *engine; /* what gave the extent: "token", or the grammar */
};

struct scan_file {
    const char *path; /* as given */
    enum scan_language language;
    const char *engine; /* "cuda", "cpp", "c", "python", "glsl", "hlsl"; "token" when no tree was of use */
    double
        error_share; /* part of the parsed bytes under error nodes in the better of the two trees, 0 to 1 */
    bool generated;  /* its first comment says so */
    const char *not_analysed; /* NULL, or why: "binary", "UTF-16 text", "not readable: ..." */
    bool is_link;             /* a symbolic link: its kernels count where they lie */
    int n_lines;              /* 0 where the text was not analysed */
    const char *tree_note;    /* NULL, or why the syntax tree was not used: "stopped after 1000 ms" */
    const struct scan_kernel *kernels;
    size_t n_kernels; /* by begin */
    const char *const
        *includes; /* quoted includes, as written: an instance file inherits their rows. None where a
                      C file holds no word that could make a kernel: it is not read further */
    size_t n_includes;
};

/* Bounds per file. Zero members take the value named. */
struct scan_limits {
    size_t bytes;      /* 16 MiB: larger files are not analysed */
    size_t tree_bytes; /* 1 MiB to parse (coverage/scan/trees.h): above it, the token scan alone */
    unsigned tree_ms;  /* 1000: both trees of a file together */
};

/* Where the texts of headers come from, when the file that includes them does not lie on disk: appends the
 * header at `path`, from the repository root ("a/../b.h" as written), and is true; false where there is
 * none. */
struct scan_headers {
    bool (*read)(void *context, struct str *out, const char *path);
    void *context;
};

struct scan_request {
    const char *path;  /* for the record, the language and the name of a GLSL kernel */
    bool kernel_place; /* C and C++: the matrix names this file as a kernel, or it lies in a `kernels` folder
                          in which such a file lies (coverage/scan/kernel_place.h). scan_path then reads
                          the macros of its headers too */
    const char *root;  /* folder that includes may start from, besides the file's own; or NULL */
    const struct scan_headers *headers; /* NULL: on disk, for scan_path alone */
    struct scan_limits limits;
};

const char *scan_kind_name(enum scan_kind kind); /* "kernel", "instance", "helper" */

/* Scans text. False only when a grammar does not load or memory is out; anything wrong with the text is
 * said in out->not_analysed or out->tree_note. */
bool scan_text(struct scan_file *out, struct view text, const struct scan_request *request,
               struct arena *arena, struct status *st) STATUS_MUST_USE;

/* Reads the regular file `at` (symbolic links are not followed) and scans it. An unreadable file is a
 * record with not_analysed, not a failure. */
bool scan_path(struct scan_file *out, const char *at, const struct scan_request *request, struct arena *arena,
               struct status *st) STATUS_MUST_USE;

/* The innermost kernel whose lines hold `line`, or NULL. */
const struct scan_kernel *scan_kernel_at(const struct scan_file *file, int line);

/* Every kernel, instance and helper of which a hunk over the lines first to last touches one, by begin: how
 * many, and the first `room` of them in out. */
size_t scan_kernels_touched(const struct scan_kernel **out, size_t room, const struct scan_file *file,
                            int first, int last);

/* Does the file hold a kernel or an instance (helpers ask for no row), or might it: a device language that
 * could not be analysed? */
bool scan_is_kernel_file(const struct scan_file *file);

#endif
