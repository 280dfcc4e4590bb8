/* shown: bytes and numbers from a file as people read them. Owns nothing, trusts nothing. */
#ifndef CMD_FAK_ENGINE_SHOWN_H
#define CMD_FAK_ENGINE_SHOWN_H

#include "base/str.h"

#include <stdint.h>

/* "98,362,432" */
void shown_count(struct str *out, uint64_t n);
/* The same, at the right end of `width` columns. */
void shown_count_right(struct str *out, uint64_t n, int width);

/* The text in double quotes. Control characters, quotes, bytes that are no UTF-8 and characters that turn the
 * direction of a line or take no room are escaped as in C, so that a piece of a vocabulary cannot steer the
 * terminal. At most `columns` characters with the quotes: what is cut ends in three dots. */
void shown_quoted(struct str *out, struct view text, int columns);

#endif
