/* jinja_json: values to JSON as Python's json.dumps writes it, and JSON to values. */
#include "base/utf8.h"
#include "engine/token/jinja.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- writing ------------------------------------------------------------------------------------------- */

struct writer {
    struct jinja_builder *b;
    bool ascii, sorted;
    const struct text *indent; /* one level of it; NULL: all on one line */
    const struct text *comma, *colon;
    int depth;
};

static void put_escape(struct writer *w, const struct text *text, size_t i, uint32_t c) {
    char code[16];
    if (c >= 0x10000)
        snprintf(code, sizeof code, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10), 0xDC00 + (c & 0x3FF));
    else snprintf(code, sizeof code, "\\u%04x", c);
    jinja_add_for(w->b, text, i, code, strlen(code));
}

static void put_text(struct writer *w, const struct text *text) {
    static const char from[] = "\"\\\n\r\t\b\f";
    static const char *const to[] = {"\\\"", "\\\\", "\\n", "\\r", "\\t", "\\b", "\\f"};
    jinja_puts(w->b, "\"");
    size_t plain = 0;
    for (size_t i = 0, n; i < text->n; i += n) {
        uint32_t c = jinja_text_char(text, i, &n);
        const char *simple = c && c < 0x80 ? strchr(from, (int)c) : NULL;
        if (!simple && c >= ' ' && (c < 0x7F || !w->ascii || c == 0x7F)) continue;
        jinja_add_part(w->b, text, plain, i);
        if (simple) jinja_add_for(w->b, text, i, to[simple - from], 2);
        else put_escape(w, text, i, c);
        plain = i + n;
    }
    jinja_add_part(w->b, text, plain, text->n);
    jinja_puts(w->b, "\"");
}

static void put_float(struct writer *w, double f) {
    if (isfinite(f)) jinja_print_float(w->b, f);
    else jinja_puts(w->b, isnan(f) ? "NaN" : f < 0 ? "-Infinity" : "Infinity");
}

static void put_break(struct writer *w) {
    if (!w->indent) return;
    jinja_puts(w->b, "\n");
    for (int i = 0; i < w->depth && !w->b->failed; i++) jinja_add_text(w->b, w->indent);
}

static bool put(struct writer *w, const struct value *v);

static bool put_list(struct writer *w, const struct list *list) {
    if (list->n == 0) return jinja_puts(w->b, "[]"), true;
    jinja_puts(w->b, "[");
    w->depth++;
    for (size_t i = 0; i < list->n; i++) {
        if (i) jinja_add_text(w->b, w->comma);
        put_break(w);
        if (!put(w, &list->items[i])) return false;
    }
    w->depth--;
    put_break(w);
    jinja_puts(w->b, "]");
    return true;
}

static bool put_key(struct writer *w, const struct value *key) {
    const struct text *text;
    if (key->kind == VALUE_TEXT) return put_text(w, key->text), true;
    if (key->kind != VALUE_INT && key->kind != VALUE_FLOAT && key->kind != VALUE_BOOL &&
        key->kind != VALUE_NONE)
        return jinja_fail(w->b->j, TEMPLATE_TYPE, "keys must be str, int, float, bool or None, not %s",
                          jinja_type(key));
    struct jinja_builder b = {.j = w->b->j};
    struct writer inner = {.b = &b};
    if (!put(&inner, key) || !jinja_built_text(&text, &b, false)) return false;
    put_text(w, text);
    return true;
}

static bool sorted_entries(struct jinja *j, struct dict *out, const struct dict *d) {
    struct value *keys = jinja_alloc(j, d->n, sizeof *keys), *order = jinja_alloc(j, d->n, sizeof *order);
    if (!keys || !order) return false;
    for (size_t i = 0; i < d->n; i++) {
        keys[i] = d->entries[i].key;
        order[i] = jinja_integer((jinja_int)i);
    }
    if (!jinja_sort(j, order, keys, d->n, false)) return false;
    out->entries = jinja_alloc(j, d->n, sizeof *out->entries);
    out->n = d->n;
    for (size_t i = 0; out->entries && i < d->n; i++) out->entries[i] = d->entries[(size_t)order[i].i];
    return out->entries;
}

static bool put_dict(struct writer *w, const struct dict *d) {
    struct dict sorted;
    if (d->n == 0) return jinja_puts(w->b, "{}"), true;
    if (w->sorted && !sorted_entries(w->b->j, &sorted, d)) return false;
    if (w->sorted) d = &sorted;
    jinja_puts(w->b, "{");
    w->depth++;
    for (size_t i = 0; i < d->n; i++) {
        if (i) jinja_add_text(w->b, w->comma);
        put_break(w);
        if (!put_key(w, &d->entries[i].key)) return false;
        jinja_add_text(w->b, w->colon);
        if (!put(w, &d->entries[i].value)) return false;
    }
    w->depth--;
    put_break(w);
    jinja_puts(w->b, "}");
    return true;
}

static bool put(struct writer *w, const struct value *v) {
    struct jinja *j = w->b->j;
    bool ok = false;
    switch (v->kind) {
    case VALUE_NONE: return jinja_puts(w->b, "null"), true;
    case VALUE_BOOL: return jinja_puts(w->b, v->b ? "true" : "false"), true;
    case VALUE_INT: return jinja_print_int(w->b, v->i), true;
    case VALUE_FLOAT: return put_float(w, v->f), true;
    case VALUE_TEXT: return put_text(w, v->text), true;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
        if (w->b->failed || !jinja_enter(j)) return false;
        ok = v->kind == VALUE_DICT ? put_dict(w, v->dict) : put_list(w, v->list);
        j->depth--;
        return ok;
    default: return jinja_fail(j, TEMPLATE_TYPE, "Object of type %s is not JSON serializable", jinja_type(v));
    }
}

/* options: ensure_ascii, indent, separators, sort_keys, as bound. */
static bool read_options(struct jinja *j, struct writer *w, const struct value *options) {
    static const struct text comma = {.at = ", ", .n = 2}, colon = {.at = ": ", .n = 2},
                             bare = {.at = ",", .n = 1};
    struct value indent = options[1];
    w->ascii = jinja_truth(&options[0]);
    w->sorted = jinja_truth(&options[3]);
    w->comma = &comma;
    w->colon = &colon;
    if (indent.kind == VALUE_TEXT) w->indent = indent.text;
    else if (indent.kind == VALUE_INT || indent.kind == VALUE_BOOL) {
        struct jinja_builder b = {.j = j};
        jinja_int n = jinja_as_int(&indent);
        if (n > 0) jinja_put_repeated(&b, ' ', n > TEMPLATE_OUTPUT ? (size_t)TEMPLATE_OUTPUT + 1 : (size_t)n);
        if (!jinja_built_text(&w->indent, &b, false)) return false;
    } else if (indent.kind != VALUE_ABSENT && indent.kind != VALUE_NONE)
        return jinja_fail(j, TEMPLATE_TYPE, "indent must be a number or text, not %s", jinja_type(&indent));
    if (w->indent) w->comma = &bare;
    if (options[2].kind == VALUE_ABSENT || options[2].kind == VALUE_NONE) return true;
    struct list pair;
    if (!jinja_items(j, &pair, &options[2])) return false;
    if (pair.n != 2 || pair.items[0].kind != VALUE_TEXT || pair.items[1].kind != VALUE_TEXT)
        return jinja_fail(j, TEMPLATE_VALUE, "separators must be two texts");
    w->comma = pair.items[0].text;
    w->colon = pair.items[1].text;
    return true;
}

bool jinja_tojson(struct jinja *j, struct value *out, const struct value *v, const struct value *options) {
    struct jinja_builder b = {.j = j};
    struct writer w = {.b = &b};
    return read_options(j, &w, options) && put(&w, v) && jinja_built(out, &b, false);
}

/* --- reading ------------------------------------------------------------------------------------------- */

/* jansson holds integers of 64 bits and refuses longer ones; Python has no such limit. Longer ones are given
 * to jansson as a text that begins with this character; a text that begins with it anyway gets it twice. */
static const char wide_mark[] = "\\u0000";

static size_t string_end(struct view json, size_t i) {
    for (i++; i < json.n && json.at[i] != '"'; i++) i += json.at[i] == '\\';
    return i < json.n ? i + 1 : json.n;
}

static size_t number_end(struct view json, size_t i, bool *whole) {
    *whole = true;
    for (; i < json.n && strchr("0123456789+-.eE", json.at[i]) && json.at[i]; i++)
        if (strchr(".eE", json.at[i])) *whole = false;
    return i;
}

static void quote_wide(struct str *out, struct view json) {
    enum { SAFE_DIGITS = 18 };
    for (size_t i = 0, end; i < json.n; i = end) {
        bool whole = false;
        char c = json.at[i];
        end = c == '"'                             ? string_end(json, i)
              : c == '-' || (c >= '0' && c <= '9') ? number_end(json, i, &whole)
                                                   : i + 1;
        if (end == i) end = i + 1;
        bool wide = whole && end - i > SAFE_DIGITS;
        if (wide) str_printf(out, "\"%s", wide_mark);
        if (c == '"' && end - i > sizeof wide_mark &&
            memcmp(json.at + i + 1, wide_mark, sizeof wide_mark - 1) == 0) {
            str_printf(out, "\"%s", wide_mark);
            i++;
        }
        str_add(out, json.at + i, end - i);
        if (wide) str_putc(out, '"');
    }
}

struct reader {
    struct jinja *j;
    bool mark;
};

static bool read_value(struct reader *r, struct value *out, const json_t *json);

static bool read_text(struct reader *r, struct value *out, const char *at, size_t n) {
    struct jinja_builder b = {.j = r->j};
    jinja_add(&b, at, NULL, n);
    if (n && r->mark && !b.failed) {
        b.from = jinja_alloc(r->j, b.room, 1);
        if (!b.from) return false;
        memset(b.from, 1, n);
    }
    return jinja_built(out, &b, false);
}

static bool read_string(struct reader *r, struct value *out, const json_t *json) {
    struct view text = {json_string_value(json), json_string_length(json)};
    if (text.n > 1 && text.at[0] == 0 && text.at[1] == 0) return read_text(r, out, text.at + 1, text.n - 1);
    if (text.n && text.at[0] == 0) {
        *out = (struct value){.kind = VALUE_INT};
        return jinja_parse_int(&out->i, (struct view){text.at + 1, text.n - 1}, 10) ||
               jinja_fail(r->j, TEMPLATE_OVERFLOW, "an integer of more than 127 bits");
    }
    return read_text(r, out, text.at, text.n);
}

static bool read_array(struct reader *r, struct value *out, const json_t *json) {
    struct list *list;
    if (!jinja_list_new(r->j, &list, json_array_size(json))) return false;
    for (size_t i = 0; i < list->n; i++)
        if (!read_value(r, &list->items[i], json_array_get(json, i))) return false;
    *out = jinja_list(list);
    return true;
}

static bool read_object(struct reader *r, struct value *out, const json_t *json) {
    struct dict *d = jinja_alloc(r->j, 1, sizeof *d);
    size_t n = json_object_size(json);
    if (!d || !(d->entries = jinja_alloc(r->j, n, sizeof *d->entries))) return false;
    d->room = n;
    for (void *at = json_object_iter((json_t *)(uintptr_t)json); at && d->n < n;
         at = json_object_iter_next((json_t *)(uintptr_t)json, at)) {
        struct entry *e = &d->entries[d->n++];
        const char *key = json_object_iter_key(at);
        if (!read_text(r, &e->key, key, strlen(key)) || !read_value(r, &e->value, json_object_iter_value(at)))
            return false;
    }
    *out = (struct value){.kind = VALUE_DICT, .dict = d};
    return true;
}

static bool read_value(struct reader *r, struct value *out, const json_t *json) {
    bool ok = true;
    switch (json_typeof(json)) {
    case JSON_NULL: *out = jinja_none(); return true;
    case JSON_TRUE:
    case JSON_FALSE: *out = jinja_bool(json_is_true(json)); return true;
    case JSON_INTEGER: *out = jinja_integer(json_integer_value(json)); return true;
    case JSON_REAL: *out = jinja_float(json_real_value(json)); return true;
    case JSON_STRING: return read_string(r, out, json);
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (!jinja_enter(r->j)) return false;
        ok = json_is_array(json) ? read_array(r, out, json) : read_object(r, out, json);
        r->j->depth--;
        return ok;
    }
    return false;
}

bool jinja_from_json(struct jinja *j, struct value *out, struct view json, bool mark, const char *what) {
    struct reader r = {j, mark};
    struct str text = {0};
    json_error_t error;
    quote_wide(&text, json);
    json_t *root =
        text.failed ? NULL : json_loadb(str_c(&text), text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    bool ok = root;
    if (ok) ok = read_value(&r, out, root);
    else if (text.failed) jinja_fail(j, TEMPLATE_LIMIT, "out of memory for the %s", what);
    else
        jinja_fail(j, TEMPLATE_ARGUMENT, "the %s are not JSON: line %d, column %d: %s", what, error.line,
                   error.column, error.text);
    json_decref(root);
    str_free(&text);
    return ok;
}
