/* hash: SHA-256 of bytes, by nettle. Owns nothing; one struct, one thread. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

enum { HASH_HEX = 65 };

/* hex = the 64 lower-case digits of the SHA-256 of n bytes, NUL-terminated. */
void hash_sha256(char hex[HASH_HEX], const void *bytes, size_t n);

#endif
