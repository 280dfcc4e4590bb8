#include "engine/token/template_batch.h"

#include "base/json/jsonraw.h"
#include "base/jsonout.h"

#include <jansson.h>
#include <string.h>

void template_batch_error(struct str *out, const char *kind, const char *message) {
    struct jsonout j;
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_key(&j, "error");
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "kind", kind);
    jsonout_pair_string(&j, "message", message);
    jsonout_end_object(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

void template_batch_text(struct str *out, struct view text) {
    struct jsonout j;
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_key(&j, "text");
    jsonout_view(&j, text);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

bool template_batch_time(struct tm *out, const char *text, struct status *st) {
    static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                          "%Y-%m-%d"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        *out = (struct tm){.tm_isdst = -1};
        const char *end = strptime(text, formats[i], out);
        if (end && !*end) return true;
    }
    return status_fail(st, STATUS_USAGE, "'%.40s' is no time like 2024-07-26T14:30:05", text);
}

/* --- a line -------------------------------------------------------------------------------------------- */

/* A case, its texts decoded. Values that a template sees stay as they are written. */
struct parts {
    json_t *source, *bos, *eos, *now; /* strings, or NULL */
    struct tm clock;
    struct template_input input;
};

static bool is_null(struct view raw) { return raw.n == 0 || view_is(raw, "null"); }

static bool read_string(json_t **out, struct view line, const char *name, struct status *st) {
    struct view raw = jsonraw_member(line, name);
    if (is_null(raw)) return true;
    *out = json_loadb(raw.at, raw.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    return json_is_string(*out) || status_fail(st, STATUS_BAD_INPUT, "'%s' is no JSON string", name);
}

static struct view text_of(const json_t *string) {
    return string ? (struct view){json_string_value(string), json_string_length(string)} : (struct view){0};
}

static bool read_flag(bool *out, struct view line, const char *name, struct status *st) {
    struct view raw = jsonraw_member(line, name);
    *out = view_is(raw, "true");
    return *out || is_null(raw) || view_is(raw, "false") ||
           status_fail(st, STATUS_BAD_INPUT, "'%s' is neither true nor false", name);
}

static struct view value_of(struct view line, const char *name) {
    struct view raw = jsonraw_member(line, name);
    return is_null(raw) ? (struct view){0} : raw;
}

static bool check_object(struct view line, struct status *st) {
    struct view name, value;
    size_t at = 0;
    while (jsonraw_next(&name, &value, line, &at)) continue;
    return jsonraw_ended(line, at) ||
           status_fail(st, STATUS_BAD_INPUT, "byte %zu: the line is no JSON object", at);
}

static bool read_parts(struct parts *p, struct view line, struct status *st) {
    struct template_input *in = &p->input;
    if (!check_object(line, st) || !read_string(&p->source, line, "template_text", st) ||
        !read_string(&p->bos, line, "bos_token", st) || !read_string(&p->eos, line, "eos_token", st) ||
        !read_string(&p->now, line, "now", st) ||
        !read_flag(&in->add_generation_prompt, line, "add_generation_prompt", st) ||
        !read_flag(&in->continue_final_message, line, "continue_final_message", st))
        return false;
    if (!p->source) return status_fail(st, STATUS_BAD_INPUT, "the line needs 'template_text', a string");
    if (p->now && !template_batch_time(&p->clock, json_string_value(p->now), st)) return false;
    in->now = p->now ? &p->clock : NULL;
    in->messages = value_of(line, "messages");
    in->tools = value_of(line, "tools");
    in->documents = value_of(line, "documents");
    in->context = value_of(line, "context");
    in->bos = text_of(p->bos);
    in->eos = text_of(p->eos);
    return true;
}

static void free_parts(struct parts *p) {
    json_decref(p->source);
    json_decref(p->bos);
    json_decref(p->eos);
    json_decref(p->now);
}

void template_batch(struct str *out, struct view line) {
    struct parts p = {0};
    struct status st;
    struct template *t = NULL;
    struct template_text text = {0};
    struct template_fault fault = {0};
    bool ok = read_parts(&p, line, &st) && template_open(&t, text_of(p.source), &fault, &st) &&
              template_render(&text, t, &p.input, &fault, &st);
    if (ok) template_batch_text(out, (struct view){text.at, text.n});
    else if (fault.kind != TEMPLATE_NO_FAULT)
        template_batch_error(out, template_kind_name(fault.kind), fault.message);
    else template_batch_error(out, "argument", st.message);
    template_text_free(&text);
    template_close(t);
    free_parts(&p);
}
