#include "base/markdown.h"

#include <string.h>

void markdown_text(struct str *out, const char *text) {
    for (; *text; text++) {
        if (strchr("\\`*_[]<>|", *text)) str_putc(out, '\\');
        str_putc(out, *text == '\n' ? ' ' : *text);
    }
}

void markdown_paragraphs(struct str *out, const char *text) {
    struct view line, rest = view_of(text);
    while (view_line(&line, &rest)) {
        struct str paragraph = {0};
        str_add(&paragraph, line.at, line.n);
        out->failed |= paragraph.failed;
        markdown_text(out, str_c(&paragraph));
        str_puts(out, "\n\n");
        str_free(&paragraph);
    }
}

/* The backticks that stand longest together. */
static int longest_run(const char *text) {
    int longest = 0;
    for (int n = 0; *text; text++) {
        n = *text == '`' ? n + 1 : 0;
        if (n > longest) longest = n;
    }
    return longest;
}

static void put_fence(struct str *out, int n) {
    while (n-- > 0) str_putc(out, '`');
}

void markdown_code(struct str *out, const char *text) {
    int run = longest_run(text);
    put_fence(out, run + 1);
    if (run) str_putc(out, ' ');
    for (; *text; text++) {
        if (*text == '|') str_putc(out, '\\'); /* a bar ends a cell even within code */
        str_putc(out, *text == '\n' ? ' ' : *text);
    }
    if (run) str_putc(out, ' ');
    put_fence(out, run + 1);
}

void markdown_link(struct str *out, const char *text, const char *url) {
    if (!*url) {
        markdown_text(out, text);
        return;
    }
    str_putc(out, '[');
    markdown_text(out, text);
    str_puts(out, "](");
    for (; *url; url++) {
        if (strchr(" ()<>", *url)) str_printf(out, "%%%02X", (unsigned char)*url);
        else str_putc(out, *url);
    }
    str_putc(out, ')');
}
