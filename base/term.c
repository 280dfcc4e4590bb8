#include "base/term.h"

#include "base/utf8.h"

#include <string.h>

static const char *const sgr[] = {
    [TERM_PLAIN] = "",   [TERM_BOLD] = "1",    [TERM_DIM] = "2",   [TERM_RED] = "31",
    [TERM_GREEN] = "32", [TERM_YELLOW] = "33", [TERM_BLUE] = "34", [TERM_CYAN] = "36",
};

struct term term_decide(bool is_terminal, const char *no_color, const char *term_name, int width) {
    bool dumb = !term_name || strcmp(term_name, "dumb") == 0;
    bool colour = is_terminal && !dumb && !(no_color && *no_color);
    bool links = colour && strcmp(term_name, "linux") != 0; /* the console shows them as noise */
    return (struct term){.colour = colour, .links = links, .width = width > 0 ? width : 80};
}

static int columns(const char *at, size_t n) {
    int count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)at[i] & 0xC0) != 0x80;
    return count;
}

int term_columns(const char *text) { return columns(text, strlen(text)); }

void term_safe(struct str *out, const char *text) {
    for (struct view rest = view_of(text); rest.n;) {
        size_t n;
        uint32_t c = utf8_decode(rest.at, rest.n, &n);
        size_t taken = utf8_valid_length(rest.at, rest.n) > 0 ? n : 1;
        if (taken == n && n > 0 && c >= 0x20 && (c < 0x7f || c > 0x9f)) str_add(out, rest.at, n);
        else
            for (size_t i = 0; i < taken; i++) str_printf(out, "\\x%02x", (unsigned char)rest.at[i]);
        rest.at += taken;
        rest.n -= taken;
    }
}

void term_put(struct str *out, const struct term *term, enum term_style style, const char *text) {
    if (!term->colour || style == TERM_PLAIN) {
        str_puts(out, text);
        return;
    }
    str_printf(out, "\033[%sm%s\033[0m", sgr[style], text);
}

void term_cell(struct str *out, const struct term *term, enum term_style style, int width, const char *text) {
    int columns = term_columns(text);
    term_put(out, term, style, text);
    if (columns < width) str_printf(out, "%*s", width - columns, "");
}

void term_link(struct str *out, const struct term *term, const char *url, const char *text) {
    if (term->links) str_printf(out, "\033]8;;%s\033\\%s\033]8;;\033\\", url, text);
    else str_puts(out, text);
}

void term_fold(struct str *out, const struct term *term, int indent, const char *text) {
    int column = indent;
    bool first = true, line_ends = false;
    while (*text) {
        size_t n = strcspn(text, " \n");
        int wide = columns(text, n);
        if (!first && (line_ends || column + 1 + wide > term->width)) {
            str_printf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            str_putc(out, ' ');
            column++;
        }
        str_add(out, text, n);
        column += wide;
        text += n;
        size_t gap = strspn(text, " \n");
        line_ends = memchr(text, '\n', gap) != NULL;
        text += gap;
        first = false;
    }
    str_putc(out, '\n');
}
