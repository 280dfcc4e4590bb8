/* macro: which macros of a file stand for a mark (`__global__`, an intrinsic, a target attribute), and which
 * ones make a whole kernel.
 *
 * Owns its tables. Trusts nothing. One struct, one thread. Nothing is expanded but a name. */
#ifndef COVERAGE_SCAN_MACRO_H
#define COVERAGE_SCAN_MACRO_H

#include "coverage/scan/decl.h"
#include "coverage/scan/lex.h"
#include "coverage/scan/names.h"

/* What a name says by itself; 0 is nothing. A macro gets the highest of its replacement. */
typedef int macro_mark(struct view name);

struct macro {
    struct view name, params; /* params: between its parentheses */
    struct view body;
    int mark;
    bool makes; /* the replacement has a function body: a use is a definition */
    bool
        instances; /* it instantiates templates, itself or through other macros: a use is as many instances */
    bool alias;    /* it is another name and nothing else */
};

struct macros {
    struct macro *at;
    size_t n, room;
    struct names names; /* macro -> index */
    struct names marks; /* further names (typedefs) -> mark */
    struct names inlines;
    macro_mark *mark;
};

void macros_init(struct macros *macros, macro_mark *mark);
void macros_free(struct macros *macros);

/* Takes the macros that a file defines, after those that were taken before. The file's text must outlive
 * them. */
bool macros_read(struct macros *macros, const struct lex *lex, struct status *st) STATUS_MUST_USE;

/* A typedef or alias with a token marked `least` or more gives its new name `mark`. */
bool macros_learn_type(struct macros *macros, const struct lex *lex, const struct decl *decl, int least,
                       int mark, struct status *st) STATUS_MUST_USE;

/* What a name stands for when macros only rename it: `N` of `#define N n` is n; itself otherwise. */
struct view macros_alias(const struct macros *macros, struct view name);

const struct macro *macros_find(const struct macros *macros, struct view name);

/* The mark of a name: its own, or that of the macro of this name; also of names that were added. */
int macros_mark(const struct macros *macros, struct view name);

/* Does the name make what it dresses inline: `inline` and its kin, or a macro that holds one? */
bool macros_inline(const struct macros *macros, struct view name);

/* The name that the use `macro(args)` gives to the function it declares, parameters and ## replaced. */
void macros_name(struct str *out, const struct macro *macro, struct view args);

/* The argument of `args` that stands for the parameter `word`, or word itself. */
struct view macros_argument(const struct macro *macro, struct view args, struct view word);

#endif
