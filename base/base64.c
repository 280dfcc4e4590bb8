#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct str *out, struct view bytes) {
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < n ? (unsigned char)bytes.at[i + k] : 0U);
        for (size_t k = 0; k < 4; k++) str_putc(out, k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
}

bool base64_decode(struct str *out, struct view text) {
    uint32_t bits = 0;
    unsigned n = 0;
    size_t length = text.n;
    while (length && text.n - length < 2 && text.at[length - 1] == '=') length--;
    for (size_t i = 0; i < length; i++) {
        const char *digit = text.at[i] ? strchr(digits, text.at[i]) : NULL;
        if (!digit) return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        n += 6;
        if (n < 8) continue;
        n -= 8;
        str_putc(out, (char)(bits >> n));
        bits &= (1U << n) - 1;
    }
    return n < 6 && bits == 0;
}
