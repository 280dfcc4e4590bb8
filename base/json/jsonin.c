#include "base/json/jsonin.h"

#include <math.h>
#include <string.h>

/* jansson recurses; this text does not get that far. Brackets inside strings do not count. */
static bool within_depth(const struct jsonin *doc, const char *what, struct status *st) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < doc->text.n; i++) {
        char c = doc->text.at[i];
        if (quoted) {
            if (c == '\\') i++;
            else if (c == '"') quoted = false;
            continue;
        }
        if (c == '"') quoted = true;
        else if (c == '[' || c == '{') depth++;
        else if (c == ']' || c == '}') depth--;
        if (depth > JSONIN_DEPTH)
            return status_fail(
                st, STATUS_BAD_INPUT,
                "%.120s: byte %zu: the JSON of the %s is nested more than %d deep; no tool writes "
                "such a file: fetch it again",
                doc->path, doc->offset + i, what, JSONIN_DEPTH);
    }
    return true;
}

bool jsonin_open(struct jsonin *out, const char *path, struct view text, size_t offset, const char *what,
                 struct status *st) {
    json_error_t error;
    *out = (struct jsonin){.path = path, .text = text, .offset = offset};
    if (!within_depth(out, what, st)) return false;
    out->root = json_loadb(text.at ? text.at : "", text.n, JSON_REJECT_DUPLICATES, &error);
    if (!out->root)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: byte %zu: the %s is no JSON that can be read: %.100s; the file is damaged: "
            "fetch it again",
            path, offset + (size_t)(error.position > 0 ? error.position : 0), what, error.text);
    if (json_is_object(out->root)) return true;
    jsonin_close(out);
    return status_fail(st, STATUS_BAD_INPUT, "%.120s: byte %zu: the %s is JSON, but no object", path, offset,
                       what);
}

void jsonin_close(struct jsonin *doc) {
    json_decref(doc->root);
    doc->root = NULL;
}

size_t jsonin_offset(const struct jsonin *doc, struct view key) {
    const char *at = doc->text.at, *end = at + doc->text.n;
    while (key.n && at && (size_t)(end - at) >= key.n + 2) {
        at = memchr(at, '"', (size_t)(end - at) - key.n - 1);
        if (!at) break;
        if (memcmp(at + 1, key.at, key.n) == 0 && at[key.n + 1] == '"')
            return doc->offset + (size_t)(at - doc->text.at);
        at++;
    }
    return doc->offset;
}

/* --- typed reads ---------------------------------------------------------------------------------------- */

static bool wrong(const struct jsonin *doc, const char *key, const char *wanted, struct status *st) {
    return status_fail(st, STATUS_BAD_INPUT, "%.120s: byte %zu: '%.60s' has to be %s", doc->path,
                       jsonin_offset(doc, view_of(key)), key, wanted);
}

/* NULL where it is absent or null. */
static const json_t *member(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

bool jsonin_size(size_t *out, const struct jsonin *doc, const json_t *object, const char *key,
                 size_t otherwise, struct status *st) {
    const json_t *value = member(object, key);
    *out = otherwise;
    if (!value) return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return wrong(doc, key, "a whole number, 0 or more", st);
    *out = (size_t)json_integer_value(value);
    return true;
}

bool jsonin_number(double *out, const struct jsonin *doc, const json_t *object, const char *key,
                   double otherwise, struct status *st) {
    const json_t *value = member(object, key);
    *out = otherwise;
    if (!value) return true;
    if (!json_is_number(value)) return wrong(doc, key, "a number", st);
    *out = json_number_value(value);
    return isfinite(*out) || wrong(doc, key, "a finite number", st);
}

bool jsonin_bool(bool *out, const struct jsonin *doc, const json_t *object, const char *key, bool otherwise,
                 struct status *st) {
    const json_t *value = member(object, key);
    *out = otherwise;
    if (!value) return true;
    if (!json_is_boolean(value)) return wrong(doc, key, "true or false", st);
    *out = json_is_true(value);
    return true;
}

bool jsonin_string(struct view *out, const struct jsonin *doc, const json_t *object, const char *key,
                   const char *otherwise, struct status *st) {
    const json_t *value = member(object, key);
    *out = view_of(otherwise);
    if (!value) return true;
    if (!json_is_string(value)) return wrong(doc, key, "a string", st);
    *out = (struct view){json_string_value(value), json_string_length(value)};
    return true;
}

bool jsonin_child(json_t **out, const struct jsonin *doc, const json_t *object, const char *key,
                  json_type type, struct status *st) {
    json_t *value = json_object_get(object, key);
    *out = json_is_null(value) ? NULL : value;
    if (!*out || json_typeof(*out) == type) return true;
    *out = NULL;
    return wrong(doc, key, type == JSON_OBJECT ? "an object" : "an array", st);
}
