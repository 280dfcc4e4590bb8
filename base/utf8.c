#include "base/utf8.h"

#include <stdbool.h>

/* What may follow a lead byte: its total length and the range of the second byte. */
struct lead {
    size_t length;
    unsigned char low, high;
};

static struct lead lead_of(unsigned char c) {
    if (c < 0x80) return (struct lead){1, 0, 0};
    if (c < 0xC2) return (struct lead){0, 0, 0};
    if (c < 0xE0) return (struct lead){2, 0x80, 0xBF};
    if (c == 0xE0) return (struct lead){3, 0xA0, 0xBF};
    if (c == 0xED) return (struct lead){3, 0x80, 0x9F};
    if (c < 0xF0) return (struct lead){3, 0x80, 0xBF};
    if (c == 0xF0) return (struct lead){4, 0x90, 0xBF};
    if (c < 0xF4) return (struct lead){4, 0x80, 0xBF};
    if (c == 0xF4) return (struct lead){4, 0x80, 0x8F};
    return (struct lead){0, 0, 0};
}

/* How many bytes from `at` on agree with one character; *length is what the lead byte promises. */
static size_t agreeing(const char *at, size_t n, size_t *length) {
    struct lead lead = lead_of((unsigned char)at[0]);
    *length = lead.length;
    if (lead.length <= 1) return lead.length;
    size_t good = 1;
    while (good < lead.length && good < n) {
        unsigned char c = (unsigned char)at[good];
        unsigned char low = good == 1 ? lead.low : 0x80, high = good == 1 ? lead.high : 0xBF;
        if (c < low || c > high) break;
        good++;
    }
    return good;
}

size_t utf8_valid_length(const char *at, size_t n) {
    if (n == 0) return 0;
    size_t length, good = agreeing(at, n, &length);
    return good == length ? length : 0;
}

size_t utf8_maximal_ill_formed(const char *at, size_t n) {
    size_t length, good = agreeing(at, n, &length);
    return good ? good : 1;
}

uint32_t utf8_decode(const char *at, size_t n, size_t *length) {
    *length = utf8_valid_length(at, n);
    const unsigned char *b = (const unsigned char *)at;
    switch (*length) {
    case 1: return b[0];
    case 2: return (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
    case 3: return (b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    case 4: return (b[0] & 7u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 | (b[3] & 0x3Fu);
    default: return 0xFFFD;
    }
}

size_t utf8_encode(char out[4], uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[n] | c);
    return n;
}

size_t utf8_cut_tail(const char *at, size_t n) {
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        const char *start = at + n - back;
        if (((unsigned char)*start & 0xC0) == 0x80) continue;
        size_t length, good = agreeing(start, back, &length);
        return good == back && length > back ? back : 0;
    }
    return 0;
}
