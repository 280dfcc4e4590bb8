#include "base/markdown.h"

#include <string.h>

void markdown_text(struct str *out, const char *text) {
    for (; *text; text++) {
        if (strchr("\\`*_[]<>|", *text)) str_putc(out, '\\');
        str_putc(out, *text == '\n' ? ' ' : *text);
    }
}

void markdown_code(struct str *out, const char *text) {
    const char *fence = strchr(text, '`') ? "`` " : "`";
    const char *close = strchr(text, '`') ? " ``" : "`";
    str_puts(out, fence);
    for (; *text; text++) {
        if (*text == '|') str_putc(out, '\\'); /* a bar ends a cell even within code */
        str_putc(out, *text == '\n' ? ' ' : *text);
    }
    str_puts(out, close);
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
