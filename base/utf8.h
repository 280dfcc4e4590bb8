/* utf8: the few byte-level questions that need no Unicode tables (Unicode 15, section 3.9, table 3-7).
 *
 * Owns nothing. Trusts nothing. Any thread.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length (1 to 4) of the well-formed character at `at`, or 0 when the bytes there are ill-formed or cut. */
size_t utf8_valid_length(const char *at, size_t n);

/* Length (at least 1) of the maximal ill-formed part at `at`, which one U+FFFD replaces. n > 0. */
size_t utf8_maximal_ill_formed(const char *at, size_t n);

/* Decodes the well-formed character at `at`; *length as utf8_valid_length. */
uint32_t utf8_decode(const char *at, size_t n, size_t *length);

/* Writes c (a scalar value) as 1 to 4 bytes; returns how many. */
size_t utf8_encode(char out[4], uint32_t c);

/* How many bytes at the end of the text are a cut but so far well-formed character: 0 to 3. */
size_t utf8_cut_tail(const char *at, size_t n);

#endif
