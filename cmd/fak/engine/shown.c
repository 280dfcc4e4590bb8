#include "cmd/fak/engine/shown.h"

#include "base/term.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int write_count(char out[32], uint64_t n) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return at;
}

void shown_count(struct str *out, uint64_t n) { shown_count_right(out, n, 0); }

void shown_count_right(struct str *out, uint64_t n, int width) {
    char text[32];
    int length = write_count(text, n);
    str_printf(out, "%*s%s", width > length ? width - length : 0, "", text);
}

/* Zero width, line and paragraph separators, directions (Unicode's Bidi_Control), byte order mark. */
static bool is_unseen(uint32_t c) {
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) ||
           c == 0x061C || c == 0xFEFF || (c >= 0x80 && c < 0xA0);
}

/* How the character at the start of the text is written; returns how many bytes it takes there. */
static size_t escape(char out[16], struct view text) {
    static const char letters[] = "\"\"\\\\\nn\tt\rr"; /* a character and what follows the backslash */
    size_t n;
    uint32_t c = utf8_decode(text.at, text.n, &n);
    if (n == 0) {
        snprintf(out, 16, "\\x%02X", (unsigned)(unsigned char)text.at[0]);
        return 1;
    }
    for (int i = 0; letters[i]; i += 2)
        if (c == (unsigned char)letters[i]) return snprintf(out, 16, "\\%c", letters[i + 1]), n;
    if (c < ' ' || c == 0x7F) snprintf(out, 16, "\\x%02X", (unsigned)c);
    else if (is_unseen(c)) snprintf(out, 16, "\\u%04X", (unsigned)c);
    else {
        memcpy(out, text.at, n);
        out[n] = '\0';
    }
    return n;
}

/* Escapes until `columns` are used; returns how many bytes were taken. */
static size_t escape_within(struct str *out, struct view text, int columns) {
    size_t taken = 0;
    char one[16];
    while (taken < text.n) {
        size_t n = escape(one, (struct view){text.at + taken, text.n - taken});
        columns -= term_columns(one);
        if (columns < 0) break;
        str_puts(out, one);
        taken += n;
    }
    return taken;
}

void shown_quoted(struct str *out, struct view text, int columns) {
    str_putc(out, '"');
    size_t start = out->n;
    if (escape_within(out, text, columns - 2) < text.n) {
        out->n = start;
        escape_within(out, text, columns > 5 ? columns - 5 : 0);
        str_puts(out, "...");
    }
    str_putc(out, '"');
}
