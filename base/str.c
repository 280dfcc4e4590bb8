#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view view_of(const char *text) {
    return (struct view){text, text ? strlen(text) : 0};
}

bool view_equal(struct view a, struct view b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

bool view_is(struct view a, const char *text) { return view_equal(a, view_of(text)); }

bool view_starts(struct view a, const char *prefix) {
    size_t n = strlen(prefix);
    return a.n >= n && (n == 0 || memcmp(a.at, prefix, n) == 0);
}

bool view_ends(struct view a, const char *suffix) {
    size_t n = strlen(suffix);
    return a.n >= n && (n == 0 || memcmp(a.at + a.n - n, suffix, n) == 0);
}

bool view_line(struct view *line, struct view *rest) {
    if (rest->n == 0) return false;
    const char *end = memchr(rest->at, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->at) : rest->n;
    *line = (struct view){rest->at, n};
    size_t taken = end ? n + 1 : n;
    rest->at += taken;
    rest->n -= taken;
    return true;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct view view_trim(struct view a) {
    while (a.n && is_blank(a.at[0])) a.at++, a.n--;
    while (a.n && is_blank(a.at[a.n - 1])) a.n--;
    return a;
}

const char *view_shown(char out[VIEW_SHOWN], struct view name) {
    enum { MOST = VIEW_SHOWN - 4 };
    size_t n = name.n < MOST ? name.n : MOST;
    for (size_t i = 0; i < n; i++) out[i] = name.at[i] >= ' ' && name.at[i] <= '~' ? name.at[i] : '?';
    memcpy(out + n, name.n > MOST ? "..." : "", name.n > MOST ? 4 : 1);
    return out;
}

static bool grow(struct str *s, size_t more) {
    if (more >= SIZE_MAX / 2 - s->n) return !(s->failed = true);
    size_t need = s->n + more + 1;
    if (need <= s->room) return true;
    size_t room = s->room ? s->room : 64;
    while (room < need) room *= 2;
    char *at = realloc(s->at, room);
    if (!at) return !(s->failed = true);
    s->at = at;
    s->room = room;
    return true;
}

void str_add(struct str *s, const char *bytes, size_t n) {
    if (!grow(s, n)) return;
    if (n) memcpy(s->at + s->n, bytes, n);
    s->n += n;
    s->at[s->n] = '\0';
}

void str_puts(struct str *s, const char *text) { str_add(s, text, strlen(text)); }

void str_putc(struct str *s, char c) { str_add(s, &c, 1); }

void str_vprintf(struct str *s, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0) s->failed = true;
    else if (grow(s, (size_t)n)) {
        vsnprintf(s->at + s->n, (size_t)n + 1, format, again);
        s->n += (size_t)n;
    }
    va_end(again);
}

void str_printf(struct str *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(s, format, args);
    va_end(args);
}

void str_clear(struct str *s) {
    s->n = 0;
    if (s->at) s->at[0] = '\0';
}

void str_free(struct str *s) {
    free(s->at);
    *s = (struct str){0};
}

const char *str_c(const struct str *s) { return s->at ? s->at : ""; }

bool str_ok(const struct str *s, struct status *st) {
    if (!s->failed) return true;
    return status_fail(st, STATUS_NO_MEMORY, "out of memory while writing a text of %zu bytes", s->n);
}
