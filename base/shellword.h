/* shellword: any text as one word of a POSIX shell. Owns nothing. Trusts nothing. Any thread. */
#ifndef BASE_SHELLWORD_H
#define BASE_SHELLWORD_H

#include "base/str.h"

/* Appends 'text', in single quotes; a quote within becomes '\''. */
void shellword_put(struct str *out, const char *text);

/* The text of the word that shellword_put wrote at the start of 'word'; nothing is appended for any other. */
void shellword_take(struct str *out, struct view word);

#endif
