/* decl: the declarations and definitions of a C-like file, one after the other.
 *
 * Owns nothing; walks the tokens of a lex. Trusts nothing: unbalanced braces end somewhere, never a loop.
 * One struct, one thread.
 *
 * Goes into namespaces, extern "C" and classes; passes over function bodies and initializers. Linear. */
#ifndef COVERAGE_SCAN_DECL_H
#define COVERAGE_SCAN_DECL_H

#include "coverage/scan/lex.h"

/* Tokens [head, open) are what stands before the body; `close` is the '}' (or n_tokens). Without a body,
 * open == close is the ';' (or the end of the scope). */
struct decl {
    size_t head, open, close;
    bool has_body;
};

struct decl_walk {
    const struct lex *lex;
    size_t i;
};

bool decl_next(struct decl_walk *walk, struct decl *out);

/* The token that names the function a head declares: the last one before a parameter list, attributes and
 * macros in capitals passed over; SIZE_MAX when there is none. */
size_t decl_name(const struct lex *lex, size_t head, size_t end);

/* After the balanced <...> that opens at `i` (a '<'), or i when nothing closes it before `end`. */
size_t decl_skip_angles(const struct lex *lex, size_t i, size_t end);

#endif
