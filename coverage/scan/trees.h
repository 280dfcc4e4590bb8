/* trees: what the grammars say about the kernels that the tokens found in one file.
 *
 * Owns struct trees its two syntaxes. Trusts the sites to be of this text and in order. One struct, one
 * thread.
 *
 * A grammar needs to see only what it is asked about. Of a kernel whose brackets close that is its head and
 * the brackets of its body: the tokens know where those are, and what stands between them says nothing about
 * name or extent. Of one whose brackets do not close it is everything. That makes a file of 260 kB a text of
 * 20 kB.
 *
 * Two copies are read, offsets unchanged: one in which preprocessor lines, all but the first live branch of
 * each #if chain and words of no grammar are blanked, and, where that one leaves a kernel unclear, the raw
 * text. */
#ifndef COVERAGE_SCAN_TREES_H
#define COVERAGE_SCAN_TREES_H

#include "coverage/scan/lex.h"
#include "coverage/scan/scan.h"
#include "coverage/scan/site.h"
#include "coverage/scan/syntax.h"

struct trees {
    const struct syntax_grammar *grammar; /* NULL: no tree is of use */
    struct syntax raw, blanked;
    bool too_large, stopped; /* why no tree is of use */
    double error_share;      /* of the bytes that were parsed, in the better of the two */
};

/* What is parsed: the sites, or the whole text when there are none. lex is NULL for Python. */
struct trees_work {
    struct view text;
    const struct lex *lex;
    enum scan_language language;
    const char *grammar; /* a name that syntax_grammar knows */
    const struct sites *sites;
    size_t bytes; /* more than this is not parsed */
    unsigned ms;  /* both copies together */
};

bool trees_parse(struct trees *trees, const struct trees_work *work, struct status *st) STATUS_MUST_USE;
void trees_free(struct trees *trees);

/* The function of this key that parsed cleanly in one of the copies, else the one that is there, or NULL. */
const struct syntax_function *trees_find(const struct trees *trees, size_t key);

#endif
