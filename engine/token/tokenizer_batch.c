#include "engine/token/tokenizer_batch.h"

#include "base/base64.h"
#include "base/jsonout.h"
#include "engine/token/token_list.h"

#include <jansson.h>

static void put_error(struct str *out, const char *why) {
    struct jsonout j;
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "error", why);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

static json_t *parse(struct view line, struct status *st) {
    json_error_t error;
    json_t *row = json_loadb(line.at, line.n, JSON_ALLOW_NUL, &error);
    if (json_is_object(row)) return row;
    status_fail(st, STATUS_BAD_INPUT, "byte %d: %s", row ? 0 : error.position,
                row ? "the line is no JSON object" : error.text);
    json_decref(row);
    return NULL;
}

static bool read_flag(bool *out, const json_t *row, const char *key, struct status *st) {
    const json_t *flag = json_object_get(row, key);
    if (flag && !json_is_boolean(flag))
        return status_fail(st, STATUS_BAD_INPUT, "'%s' is neither true nor false", key);
    if (flag) *out = json_is_true(flag);
    return true;
}

static bool read_text(struct str *out, const json_t *row, struct status *st) {
    const json_t *text = json_object_get(row, "text"), *encoded = json_object_get(row, "text_b64");
    if (json_is_string(text) == json_is_string(encoded))
        return status_fail(st, STATUS_BAD_INPUT, "the line needs one of 'text' and 'text_b64', a string");
    const json_t *given = text ? text : encoded;
    struct view view = {json_string_value(given), json_string_length(given)};
    if (text) str_add(out, view.at, view.n);
    else if (!base64_decode(out, view)) return status_fail(st, STATUS_BAD_INPUT, "'text_b64' is no base64");
    return str_ok(out, st);
}

/* --- text to ids --------------------------------------------------------------------------------------- */

static void put_ids(struct str *out, const struct tokenizer *t, const struct token_list *ids) {
    struct jsonout j;
    struct str encoded = {0};
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_key(&j, "ids");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < ids->n; i++) jsonout_int(&j, ids->ids[i]);
    jsonout_end_array(&j);
    jsonout_key(&j, "pieces_b64");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < ids->n; i++) {
        str_clear(&encoded);
        base64_encode(&encoded, tokenizer_piece(t, ids->ids[i]));
        jsonout_string(&j, str_c(&encoded));
    }
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
    str_free(&encoded);
}

void tokenizer_batch_encode(struct str *out, const struct tokenizer *t, struct view line,
                            struct tokenizer_options options) {
    struct status st;
    struct str text = {0};
    struct token_list ids = {0};
    json_t *row = parse(line, &st);
    bool ok = row && read_flag(&options.add_special, row, "add_special", &st) &&
              read_flag(&options.parse_special, row, "parse_special", &st) && read_text(&text, row, &st) &&
              tokenizer_encode(&ids, t, (struct view){str_c(&text), text.n}, options, &st);
    if (ok) put_ids(out, t, &ids);
    else put_error(out, st.message);
    token_list_free(&ids);
    str_free(&text);
    json_decref(row);
}

/* --- ids to text --------------------------------------------------------------------------------------- */

static bool read_ids(struct token_list *ids, const struct tokenizer *t, const json_t *row,
                     struct status *st) {
    const json_t *given = json_object_get(row, "ids"), *id;
    size_t i;
    if (!json_is_array(given)) return status_fail(st, STATUS_BAD_INPUT, "the line needs 'ids', an array");
    json_array_foreach(given, i, id) {
        json_int_t value = json_is_integer(id) ? json_integer_value(id) : -1;
        if (value < 0 || (size_t)value >= tokenizer_n_vocab(t))
            return status_fail(st, STATUS_BAD_INPUT, "ids[%zu] is no whole number from 0 to %zu", i,
                               tokenizer_n_vocab(t) - 1);
        if (!token_list_add(ids, (int32_t)value, st)) return false;
    }
    return true;
}

void tokenizer_batch_text(struct str *out, struct view text) {
    struct jsonout j;
    struct str encoded = {0};
    base64_encode(&encoded, text);
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_key(&j, "text");
    jsonout_view(&j, text);
    jsonout_pair_string(&j, "text_b64", str_c(&encoded));
    jsonout_end_object(&j);
    str_putc(out, '\n');
    str_free(&encoded);
}

void tokenizer_batch_decode(struct str *out, const struct tokenizer *t, struct view line, bool keep_special) {
    struct status st;
    struct str text = {0};
    struct token_list ids = {0};
    json_t *row = parse(line, &st);
    bool ok = row && read_flag(&keep_special, row, "keep_special", &st) && read_ids(&ids, t, row, &st);
    if (ok) tokenizer_decode(&text, t, ids.ids, ids.n, keep_special);
    if (ok && str_ok(&text, &st)) tokenizer_batch_text(out, (struct view){str_c(&text), text.n});
    else put_error(out, st.message);
    token_list_free(&ids);
    str_free(&text);
    json_decref(row);
}
