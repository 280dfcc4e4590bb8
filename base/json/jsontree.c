#include "base/json/jsontree.h"

#include <jansson.h>

bool jsontree_parse(struct json_t **out, struct view text, struct status *st) {
    json_error_t error;
    *out = json_loadb(text.at ? text.at : "", text.n, JSON_DECODE_ANY, &error);
    if (*out) return true;
    return status_fail(st, STATUS_BAD_INPUT, "no valid JSON at byte %d: %s", error.position, error.text);
}

void jsontree_free(struct json_t *root) { json_decref(root); }

enum jsontree_kind jsontree_kind(const struct json_t *node) {
    if (!node) return JSONTREE_ABSENT;
    switch (json_typeof(node)) {
    case JSON_OBJECT: return JSONTREE_OBJECT;
    case JSON_ARRAY: return JSONTREE_ARRAY;
    case JSON_STRING: return JSONTREE_TEXT;
    case JSON_INTEGER:
    case JSON_REAL: return JSONTREE_NUMBER;
    case JSON_TRUE:
    case JSON_FALSE: return JSONTREE_BOOL;
    case JSON_NULL: break;
    }
    return JSONTREE_NULL;
}

const struct json_t *jsontree_get(const struct json_t *object, const char *key) {
    return json_object_get(object, key);
}

size_t jsontree_count(const struct json_t *array) { return json_array_size(array); }

const struct json_t *jsontree_at(const struct json_t *array, size_t i) { return json_array_get(array, i); }

const char *jsontree_text(const struct json_t *node) { return json_string_value(node); }

bool jsontree_int(int64_t *out, const struct json_t *node) {
    if (!json_is_integer(node)) return false;
    *out = json_integer_value(node);
    return true;
}

void jsontree_echo(struct jsonout *out, const struct json_t *node) {
    if (json_is_string(node)) jsonout_string(out, json_string_value(node));
    else if (json_is_integer(node)) jsonout_int(out, json_integer_value(node));
    else if (json_is_real(node)) jsonout_double(out, json_real_value(node));
    else if (json_is_boolean(node)) jsonout_bool(out, json_is_true(node));
    else jsonout_null(out);
}
