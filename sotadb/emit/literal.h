/* literal: a matrix as C source.
 *
 * Owns:    nothing; the text goes to a struct str.
 * Trusts:  the matrix (matrix_read). Its texts may hold any byte but NUL.
 * Threads: any.
 */
#ifndef SOTADB_EMIT_LITERAL_H
#define SOTADB_EMIT_LITERAL_H

#include "sotadb/matrix.h"

/* `const struct matrix sota_matrix = {...};`: one literal, the same bytes for the same matrix, clean under
 * every warning that the build asks for. */
void literal_write(struct str *out, const struct matrix *m);

/* One text as a C expression of type const char *. ISO C promises 4095 characters in a string literal, so a
 * longer text becomes an array of characters. */
void literal_text(struct str *out, const char *text);

#endif
