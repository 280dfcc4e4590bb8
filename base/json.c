#include "base/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *j, struct str *out, int indent) {
    *j = (struct json){.out = out, .indent = indent};
}

static void new_line(struct json *j) {
    if (j->indent == 0) return;
    str_putc(j->out, '\n');
    for (int i = 0; i < j->depth * j->indent; i++) str_putc(j->out, ' ');
}

/* Comma and line break before a key or an array's item; nothing before a key's value. */
static void before_item(struct json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth == 0) return;
    if (j->has_item[j->depth - 1]) str_putc(j->out, ',');
    j->has_item[j->depth - 1] = true;
    new_line(j);
}

static void open_level(struct json *j, char bracket, bool object) {
    before_item(j);
    assert(j->depth < JSON_DEPTH);
    str_putc(j->out, bracket);
    j->has_item[j->depth] = false;
    j->in_object[j->depth] = object;
    j->depth++;
}

static void close_level(struct json *j, char bracket, bool object) {
    assert(j->depth > 0 && j->in_object[j->depth - 1] == object && !j->after_key);
    j->depth--;
    if (j->has_item[j->depth]) new_line(j);
    str_putc(j->out, bracket);
    (void)object;
}

void json_begin_object(struct json *j) { open_level(j, '{', true); }
void json_end_object(struct json *j) { close_level(j, '}', true); }
void json_begin_array(struct json *j) { open_level(j, '[', false); }
void json_end_array(struct json *j) { close_level(j, ']', false); }

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

void json_key(struct json *j, const char *key) {
    assert(j->depth > 0 && j->in_object[j->depth - 1] && !j->after_key);
    before_item(j);
    put_quoted(j->out, view_of(key));
    str_puts(j->out, j->indent ? ": " : ":");
    j->after_key = true;
}

void json_view(struct json *j, struct view text) {
    before_item(j);
    put_quoted(j->out, text);
}

void json_string(struct json *j, const char *text) {
    if (text) json_view(j, view_of(text));
    else json_null(j);
}

void json_int(struct json *j, int64_t value) {
    before_item(j);
    str_printf(j->out, "%lld", (long long)value);
}

void json_double(struct json *j, double value) {
    if (!isfinite(value)) {
        json_null(j);
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

void json_bool(struct json *j, bool value) {
    before_item(j);
    str_puts(j->out, value ? "true" : "false");
}

void json_null(struct json *j) {
    before_item(j);
    str_puts(j->out, "null");
}

void json_pair_string(struct json *j, const char *key, const char *text) {
    json_key(j, key);
    json_string(j, text);
}

void json_pair_int(struct json *j, const char *key, int64_t value) {
    json_key(j, key);
    json_int(j, value);
}

void json_pair_double(struct json *j, const char *key, double value) {
    json_key(j, key);
    json_double(j, value);
}

void json_pair_bool(struct json *j, const char *key, bool value) {
    json_key(j, key);
    json_bool(j, value);
}
