/* blank: a copy of a C-like text that grammars parse better, every offset unchanged.
 *
 * Owns nothing; writes n bytes where the caller says. Trusts the lex to be of this text. Any thread.
 *
 * Becomes blanks: preprocessor lines, all but the first live branch of each #if chain, and words that no
 * grammar of ours knows (macros in capitals before a name, address spaces, [[attributes]] and kernel marks of
 * Metal and OpenCL, launch bounds). Newlines stay. */
#ifndef COVERAGE_SCAN_BLANK_H
#define COVERAGE_SCAN_BLANK_H

#include "coverage/scan/lex.h"
#include "coverage/scan/scan.h"

void blank_copy(char *out, const struct lex *lex, enum scan_language language);

/* A template of Jinja as the language that it makes: {% %} and {# #} become blanks, {{ k.name }} one name
 * (jjjkjnamejjj). In place, offsets unchanged. */
void blank_template(char *text, size_t n);

#endif
