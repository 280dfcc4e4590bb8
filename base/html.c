#include "base/html.h"

#include "base/term.h"

#include <string.h>

static const char *entity(char c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void html_text(struct str *out, const char *text) {
    struct str safe = {0};
    term_safe(&safe, text);
    for (const char *at = str_c(&safe); *at; at++) {
        const char *name = entity(*at);
        if (name) str_puts(out, name);
        else str_putc(out, *at);
    }
    out->failed |= safe.failed;
    str_free(&safe);
}

void html_lines(struct str *out, const char *text) {
    struct view line, rest = view_of(text);
    for (bool first = true; view_line(&line, &rest); first = false) {
        struct str one = {0};
        str_add(&one, line.at, line.n);
        if (!first) str_puts(out, "<br>");
        html_text(out, str_c(&one));
        out->failed |= one.failed;
        str_free(&one);
    }
}

void html_element(struct str *out, const char *name, const char *class, const char *text) {
    str_printf(out, *class ? "<%s class=\"%s\">" : "<%s>", name, class);
    html_text(out, text);
    str_printf(out, "</%s>", name);
}

void html_link(struct str *out, const char *text, const char *url) {
    bool web = strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
    if (web) {
        str_puts(out, "<a href=\"");
        html_text(out, url);
        str_puts(out, "\">");
    }
    html_text(out, text);
    if (web) str_puts(out, "</a>");
}
