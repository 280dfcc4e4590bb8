#include "base/hash.h"

#include <nettle/sha1.h>
#include <nettle/sha2.h>

void hash_sha256(char hex[HASH_HEX], const void *bytes, size_t n) {
    static const char digits[] = "0123456789abcdef";
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, n, bytes);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * sizeof digest] = '\0';
}

void hash_sha1_of_two(uint8_t out[20], const void *a, size_t n_a, const void *b, size_t n_b) {
    struct sha1_ctx context;
    sha1_init(&context);
    sha1_update(&context, n_a, a);
    sha1_update(&context, n_b, b);
    sha1_digest(&context, SHA1_DIGEST_SIZE, out);
}

void hash_sha256_of_two(uint8_t out[32], const void *a, size_t n_a, const void *b, size_t n_b) {
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, n_a, a);
    sha256_update(&context, n_b, b);
    sha256_digest(&context, SHA256_DIGEST_SIZE, out);
}
