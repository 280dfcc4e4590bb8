/* syntax: the functions that a tree-sitter grammar sees in parts of a text, error nodes entered.
 *
 * Owns struct syntax its array. Trusts the grammars it is linked with, not the text: the walk is iterative,
 * parsing stops at a deadline. One struct, one thread; a parser lives for one call. */
#ifndef COVERAGE_SCAN_SYNTAX_H
#define COVERAGE_SCAN_SYNTAX_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syntax_grammar {
    const char *name;              /* "cuda": what struct scan_file calls the engine */
    const void *(*language)(void); /* const TSLanguage *, without its header */
    bool by_definition; /* the key of a function is where its definition begins (Python), not its body */
};

/* "c", "cpp", "cuda", "python", "glsl", "hlsl"; NULL for any other. */
const struct syntax_grammar *syntax_grammar(const char *name);

struct syntax_function {
    size_t key;        /* byte of the '{', or of `def` */
    size_t begin, end; /* of the definition, template header and decorators not included */
    size_t name, name_end;
    bool clean; /* no error within */
};

/* Bytes [begin, end) of the text; what lies between two ranges does not exist for the grammar. */
struct syntax_range {
    size_t begin, end;
};

struct syntax {
    struct syntax_function *at; /* by key */
    size_t n, room;
    size_t error_bytes; /* under outermost error nodes, of those that were parsed */
    bool stopped;       /* the deadline passed: no functions */
};

/* ranges: in order, disjoint, none empty. deadline: milliseconds of CLOCK_MONOTONIC (syntax_now). A grammar
 * that does not load is STATUS_UNSUPPORTED and named in the message; never "no functions". */
bool syntax_parse(struct syntax *out, struct view text, const struct syntax_range *ranges, size_t n_ranges,
                  const struct syntax_grammar *grammar, uint64_t deadline, struct status *st) STATUS_MUST_USE;
void syntax_free(struct syntax *syntax);

const struct syntax_function *syntax_find(const struct syntax *syntax, size_t key);

uint64_t syntax_now(void);

#endif
