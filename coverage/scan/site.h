/* site: the kernels that the token scan sees in a C-like file.
 *
 * Owns struct sites its array; names live in the arena. Trusts nothing. One struct, one thread. */
#ifndef COVERAGE_SCAN_SITE_H
#define COVERAGE_SCAN_SITE_H

#include "base/arena.h"
#include "coverage/scan/lex.h"
#include "coverage/scan/macro.h"
#include "coverage/scan/scan.h"

struct site {
    size_t begin, end; /* bytes [begin, end) */
    size_t name_at;    /* byte where an editor should jump to */
    size_t body;       /* byte of the '{', or of Python's `def`, or SIZE_MAX */
    size_t tail;       /* byte of the '}' when more follows it before `end`; else 0 */
    size_t inner;      /* Python: byte of the body's first token, on a line of its own; else SIZE_MAX */
    const char *name;  /* "" when the tokens give none */
    enum scan_kind kind;
    enum scan_language language; /* SCAN_NONE: the file's */
    bool exact;                  /* false: brackets did not close, the extent is a guess */
};

struct sites {
    struct site *at;
    size_t n, room;
};

bool sites_add(struct sites *sites, struct site site, struct status *st) STATUS_MUST_USE;
void sites_free(struct sites *sites);

/* One file being read. */
struct site_reader {
    const struct lex *lex;
    enum scan_language language;
    bool place;                         /* as scan_request.kernel_place */
    bool isa_named;                     /* the file is named after an instruction set (set by site_open) */
    const char *path;                   /* a GLSL kernel is named after it */
    const char *folder, *root;          /* where quoted includes are looked for; NULL: not followed */
    const struct scan_headers *headers; /* as scan_request.headers */
    size_t expanded;                    /* bytes of macro bodies that were read for their uses: bounded */
    struct macros macros;
    struct arena *arena;
    struct sites *out;
    struct status *st;
};

/* May a macro body of n bytes be read for one more use? Hostile text uses large macros often. */
bool site_may_expand(struct site_reader *r, size_t n);

bool site_open(struct site_reader *r,
               struct status *st) STATUS_MUST_USE; /* the members above `macros`, arena and out are set */
void site_close(struct site_reader *r);

/* Adds every kernel, instance and helper to r->out. */
bool site_find(struct site_reader *r) STATUS_MUST_USE;

/* C and C++: judges a function that only the syntax tree saw, given by byte offsets. */
bool site_judge(struct site_reader *r, size_t begin, size_t body, size_t end) STATUS_MUST_USE;

/* Is any name of the file marked: is there something for the syntax tree to find? */
bool site_is_marked(const struct site_reader *r);

/* Is there `__global__` among the tokens: a header or C++ file that is CUDA or HIP? [[kernel]]: one that is
 * Metal? */
bool site_has_global(const struct lex *lex);
bool site_has_metal(const struct lex *lex);

/* "mul_mat" of "a/b/mul_mat.comp". */
struct view site_stem(const char *path);

#endif
