#include "git/index/objid.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

void objid_to_text(char out[OID_TEXT], const uint8_t *id, size_t n) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[id[i] >> 4];
        out[2 * i + 1] = digits[id[i] & 15];
    }
    out[2 * n] = '\0';
}

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool objid_from_text(uint8_t id[OBJID_MAX], struct view text, size_t n) {
    if (text.n != 2 * n) return false;
    for (size_t i = 0; i < n; i++) {
        int high = digit(text.at[2 * i]), low = digit(text.at[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        id[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool objid_is_zero(const uint8_t *id, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (id[i]) return false;
    return true;
}

static void hash_two(uint8_t out[OBJID_MAX], size_t n, const void *a, size_t n_a, const void *b, size_t n_b) {
    if (n == OBJID_SHA1) hash_sha1_of_two(out, a, n_a, b, n_b);
    else hash_sha256_of_two(out, a, n_a, b, n_b);
}

void objid_hash(uint8_t out[OBJID_MAX], size_t n, const void *bytes, size_t size) {
    hash_two(out, n, "", 0, bytes, size);
}

void objid_name(uint8_t out[OBJID_MAX], size_t n, const char *type, const void *bytes, size_t size) {
    char header[48];
    int length = snprintf(header, sizeof header, "%s %zu", type, size);
    hash_two(out, n, header, (size_t)length + 1, size ? bytes : "", size);
}
