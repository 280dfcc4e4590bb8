/* jinja_text: texts whose every byte knows where it came from. */
#include "base/utf8.h"
#include "engine/token/jinja.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- building ------------------------------------------------------------------------------------------ */

static bool reserve(struct jinja_builder *b, size_t more) {
    if (b->failed) return false;
    if (more <= b->room - b->n) return true;
    b->failed = true;
    if (more > TEMPLATE_OUTPUT - b->n)
        return jinja_fail(b->j, TEMPLATE_LIMIT, "a text grows beyond %d MiB", TEMPLATE_OUTPUT >> 20);
    size_t room = 2 * (b->n + more) < 64 ? 64 : 2 * (b->n + more);
    char *at = jinja_alloc(b->j, room, 1);
    uint8_t *from = at && b->from ? jinja_alloc(b->j, room, 1) : NULL;
    if (!at || (b->from && !from)) return false;
    if (b->n) memcpy(at, b->at, b->n);
    if (b->n && from) memcpy(from, b->from, b->n);
    b->at = at;
    b->from = from;
    b->room = room;
    b->failed = false;
    return true;
}

static bool marking(struct jinja_builder *b) {
    if (!b->from) b->from = jinja_alloc(b->j, b->room, 1);
    if (!b->from) b->failed = true;
    return b->from;
}

void jinja_add(struct jinja_builder *b, const char *at, const uint8_t *from, size_t n) {
    if (n == 0 || !reserve(b, n) || (from && !marking(b))) return;
    if (n >= 64 && !jinja_work(b->j, n)) {
        b->failed = true;
        return;
    }
    memcpy(b->at + b->n, at, n);
    if (from) memcpy(b->from + b->n, from, n);
    b->n += n;
}

void jinja_add_text(struct jinja_builder *b, const struct text *text) {
    jinja_add(b, text->at, text->from, text->n);
}

void jinja_add_part(struct jinja_builder *b, const struct text *text, size_t start, size_t end) {
    if (start < end) jinja_add(b, text->at + start, text->from ? text->from + start : NULL, end - start);
}

void jinja_puts(struct jinja_builder *b, const char *text) { jinja_add(b, text, NULL, strlen(text)); }

void jinja_put_repeated(struct jinja_builder *b, char c, size_t n) {
    if (n == 0 || !reserve(b, n)) return;
    memset(b->at + b->n, c, n);
    b->n += n;
}

void jinja_printf(struct jinja_builder *b, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    jinja_add(b, text, NULL, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void jinja_add_for(struct jinja_builder *b, const struct text *text, size_t i, const char *at, size_t n) {
    static const uint8_t marked[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    jinja_add(b, at, text->from && text->from[i] ? marked : NULL, n < sizeof marked ? n : sizeof marked);
}

bool jinja_built_text(const struct text **out, struct jinja_builder *b, bool safe) {
    struct text *text = b->failed ? NULL : jinja_alloc(b->j, 1, sizeof *text);
    if (!text) return false;
    *text = (struct text){.at = b->at ? b->at : "", .from = b->from, .n = b->n, .safe = safe};
    *out = text;
    return true;
}

bool jinja_built(struct value *out, struct jinja_builder *b, bool safe) {
    *out = (struct value){.kind = VALUE_TEXT};
    return jinja_built_text(&out->text, b, safe);
}

bool jinja_text_value(struct jinja *j, struct value *out, const char *text) {
    struct jinja_builder b = {.j = j};
    jinja_puts(&b, text);
    return jinja_built(out, &b, false);
}

bool jinja_text_part(struct jinja *j, struct value *out, const struct text *text, size_t start, size_t end) {
    struct text *part = jinja_alloc(j, 1, sizeof *part);
    if (!part) return false;
    if (start > end) start = end;
    *part = (struct text){text->at + start, text->from ? text->from + start : NULL, end - start, text->safe};
    *out = (struct value){.kind = VALUE_TEXT, .text = part};
    return true;
}

/* --- looking ------------------------------------------------------------------------------------------- */

bool jinja_text_equal(const struct text *a, const struct text *b) {
    return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n) == 0);
}

bool jinja_text_is(const struct text *a, const char *b) {
    return a->n == strlen(b) && (a->n == 0 || memcmp(a->at, b, a->n) == 0);
}

size_t jinja_text_length(const struct text *text) {
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++) n += ((unsigned char)text->at[i] & 0xC0) != 0x80;
    return n;
}

size_t jinja_text_find(const struct text *text, const struct text *part, size_t from) {
    if (from > text->n || part->n > text->n - from) return SIZE_MAX;
    if (part->n == 0) return from;
    /* By windows: a search that finds soon must not cost as much as the whole text (AddressSanitizer checks
     * all that memmem is given, and `replace` asks for one match after the other). */
    size_t window = 4096 + 2 * part->n;
    for (size_t n; text->n - from >= part->n; from += n - part->n + 1) {
        n = text->n - from < window ? text->n - from : window;
        const char *at = memmem(text->at + from, n, part->at, part->n);
        if (at) return (size_t)(at - text->at);
    }
    return SIZE_MAX;
}

uint32_t jinja_text_char(const struct text *text, size_t i, size_t *length) {
    uint32_t c = utf8_decode(text->at + i, text->n - i, length);
    if (*length == 0) *length = 1;
    return c;
}

bool jinja_is_space(uint32_t c) {
    return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

static bool strips(const struct text *text, size_t i, size_t n, const struct text *chars) {
    size_t length;
    if (!chars) return jinja_is_space(jinja_text_char(text, i, &length));
    return jinja_text_find(chars, &(struct text){.at = text->at + i, .n = n}, 0) != SIZE_MAX;
}

void jinja_text_strip(const struct text *text, const struct text *chars, bool left, bool right, size_t *start,
                      size_t *end) {
    *start = 0;
    *end = text->n;
    for (size_t n; left && *start < *end; *start += n) {
        jinja_text_char(text, *start, &n);
        if (!strips(text, *start, n, chars)) break;
    }
    while (right && *start < *end) {
        size_t last = *end - 1;
        while (last > *start && ((unsigned char)text->at[last] & 0xC0) == 0x80) last--;
        if (!strips(text, last, *end - last, chars)) break;
        *end = last;
    }
}

bool jinja_escape(struct jinja *j, const struct text **out, const struct text *text) {
    static const struct {
        char c;
        const char *name;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\'', "&#39;"}, {'"', "&#34;"}};
    if (text->safe) {
        *out = text;
        return true;
    }
    struct jinja_builder b = {.j = j};
    for (size_t i = 0; i < text->n; i++) {
        const char *name = NULL;
        for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++)
            if (text->at[i] == escapes[k].c) name = escapes[k].name;
        if (name) jinja_add_for(&b, text, i, name, strlen(name));
        else jinja_add_part(&b, text, i, i + 1);
    }
    return jinja_built_text(out, &b, true);
}
