/* base64: bytes as text of 64 characters (RFC 4648, section 4). Owns nothing, trusts nothing, any thread. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/str.h"

void base64_encode(struct str *out, struct view bytes); /* with padding */

/* Appends the bytes; false: a character that is none of the 64, a cut group, or bits left over. Padding may
 * be missing. */
bool base64_decode(struct str *out, struct view text) STATUS_MUST_USE;

#endif
