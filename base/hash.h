/* hash: SHA-256 and SHA-1 of bytes, by nettle. Owns nothing; one struct, one thread. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_HEX = 65 };

/* hex = the 64 lower-case digits of the SHA-256 of n bytes, NUL-terminated. */
void hash_sha256(char hex[HASH_HEX], const void *bytes, size_t n);

/* out = the 20 or 32 bytes of the SHA-1 or SHA-256 of a and then b: for names that are hashes of a header and
 * a content (git). SHA-1 proves nothing against who means harm. */
void hash_sha1_of_two(uint8_t out[20], const void *a, size_t n_a, const void *b, size_t n_b);
void hash_sha256_of_two(uint8_t out[32], const void *a, size_t n_a, const void *b, size_t n_b);

#endif
