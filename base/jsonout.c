#include "base/jsonout.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void jsonout_init(struct jsonout *j, struct str *out, int indent) {
    *j = (struct jsonout){.out = out, .indent = indent};
}

static void new_line(struct jsonout *j) {
    if (j->indent == 0) return;
    str_putc(j->out, '\n');
    for (int i = 0; i < j->depth * j->indent; i++) str_putc(j->out, ' ');
}

/* Comma and line break before a key or an array's item; nothing before a key's value. */
static void before_item(struct jsonout *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth == 0) return;
    if (j->has_item[j->depth - 1]) str_putc(j->out, ',');
    j->has_item[j->depth - 1] = true;
    new_line(j);
}

static void open_level(struct jsonout *j, char bracket, bool object) {
    before_item(j);
    assert(j->depth < JSONOUT_DEPTH);
    str_putc(j->out, bracket);
    j->has_item[j->depth] = false;
    j->in_object[j->depth] = object;
    j->depth++;
}

static void close_level(struct jsonout *j, char bracket, bool object) {
    assert(j->depth > 0 && j->in_object[j->depth - 1] == object && !j->after_key);
    j->depth--;
    if (j->has_item[j->depth]) new_line(j);
    str_putc(j->out, bracket);
    (void)object;
}

void jsonout_begin_object(struct jsonout *j) { open_level(j, '{', true); }
void jsonout_end_object(struct jsonout *j) { close_level(j, '}', true); }
void jsonout_begin_array(struct jsonout *j) { open_level(j, '[', false); }
void jsonout_end_array(struct jsonout *j) { close_level(j, ']', false); }

static void put_escaped(struct str *out, unsigned char c) {
    switch (c) {
    case '"': str_puts(out, "\\\""); break;
    case '\\': str_puts(out, "\\\\"); break;
    case '\n': str_puts(out, "\\n"); break;
    case '\t': str_puts(out, "\\t"); break;
    case '\r': str_puts(out, "\\r"); break;
    default:
        if (c < 0x20 || c == 0x7f) str_printf(out, "\\u%04x", c);
        else str_putc(out, (char)c);
    }
}

static void put_quoted(struct str *out, struct view text) {
    str_putc(out, '"');
    for (size_t i = 0; i < text.n;) {
        unsigned char c = (unsigned char)text.at[i];
        if (c < 0x80) {
            put_escaped(out, c);
            i++;
            continue;
        }
        size_t n = utf8_valid_length(text.at + i, text.n - i);
        if (n > 0) str_add(out, text.at + i, n);
        else str_puts(out, "\\ufffd");
        i += n ? n : utf8_maximal_ill_formed(text.at + i, text.n - i);
    }
    str_putc(out, '"');
}

void jsonout_key(struct jsonout *j, const char *key) {
    assert(j->depth > 0 && j->in_object[j->depth - 1] && !j->after_key);
    before_item(j);
    put_quoted(j->out, view_of(key));
    str_puts(j->out, j->indent ? ": " : ":");
    j->after_key = true;
}

void jsonout_view(struct jsonout *j, struct view text) {
    before_item(j);
    put_quoted(j->out, text);
}

void jsonout_string(struct jsonout *j, const char *text) {
    if (text) jsonout_view(j, view_of(text));
    else jsonout_null(j);
}

void jsonout_int(struct jsonout *j, int64_t value) {
    before_item(j);
    str_printf(j->out, "%lld", (long long)value);
}

void jsonout_double(struct jsonout *j, double value) {
    if (!isfinite(value)) {
        jsonout_null(j);
        return;
    }
    before_item(j);
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    str_puts(j->out, text);
}

void jsonout_bool(struct jsonout *j, bool value) {
    before_item(j);
    str_puts(j->out, value ? "true" : "false");
}

void jsonout_null(struct jsonout *j) {
    before_item(j);
    str_puts(j->out, "null");
}

void jsonout_pair_string(struct jsonout *j, const char *key, const char *text) {
    jsonout_key(j, key);
    jsonout_string(j, text);
}

void jsonout_pair_int(struct jsonout *j, const char *key, int64_t value) {
    jsonout_key(j, key);
    jsonout_int(j, value);
}

void jsonout_pair_double(struct jsonout *j, const char *key, double value) {
    jsonout_key(j, key);
    jsonout_double(j, value);
}

void jsonout_pair_bool(struct jsonout *j, const char *key, bool value) {
    jsonout_key(j, key);
    jsonout_bool(j, value);
}
