#include "engine/token/template.h"

#include "engine/token/jinja_ast.h"

#include <stdlib.h>
#include <string.h>

struct template {
    struct arena arena;
    struct jinja_names *names;
    const struct node *root;
};

const char *template_kind_name(enum template_kind kind) {
    static const char *const names[] = {
        [TEMPLATE_NO_FAULT] = "none",       [TEMPLATE_RAISED] = "raise",
        [TEMPLATE_SYNTAX] = "syntax",       [TEMPLATE_UNDEFINED] = "undefined",
        [TEMPLATE_TYPE] = "type",           [TEMPLATE_SECURITY] = "security",
        [TEMPLATE_RUNTIME] = "runtime",     [TEMPLATE_VALUE] = "value",
        [TEMPLATE_OVERFLOW] = "overflow",   [TEMPLATE_ZERO_DIVISION] = "zero-division",
        [TEMPLATE_RECURSION] = "recursion", [TEMPLATE_ARGUMENT] = "argument",
        [TEMPLATE_LIMIT] = "limit",
    };
    return names[kind];
}

static bool tell(struct status *st, const struct template_fault *fault) {
    if (fault->kind == TEMPLATE_RAISED)
        return status_fail(st, STATUS_BAD_INPUT, "the chat template refuses, in line %d: %s", fault->line,
                           fault->message);
    if (fault->line == 0) return status_fail(st, STATUS_BAD_INPUT, "%s", fault->message);
    return status_fail(st, STATUS_BAD_INPUT, "the chat template, line %d (%s): %s", fault->line,
                       template_kind_name(fault->kind), fault->message);
}

/* --- opening ------------------------------------------------------------------------------------------- */

bool template_open(struct template **out, struct view source, struct template_fault *fault,
                   struct status *st) {
    *fault = (struct template_fault){0};
    struct template *t = *out = calloc(1, sizeof *t);
    if (!t) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a template");
    struct jinja j = {.arena = &t->arena, .fault = fault};
    struct token *tokens;
    struct node *root;
    size_t n;
    bool ok =
        source.n <= TEMPLATE_SOURCE ||
        jinja_fail(&j, TEMPLATE_LIMIT, "the chat template is longer than %d MiB", TEMPLATE_SOURCE >> 20);
    ok = ok && jinja_lex(&j, &tokens, &n, source) && jinja_parse(&j, &root, tokens);
    if (ok) {
        t->root = root;
        t->names = j.names;
        return true;
    }
    template_close(t);
    *out = NULL;
    return tell(st, fault);
}

void template_close(struct template *t) {
    if (!t) return;
    arena_release(&t->arena);
    free(t);
}

/* --- variables ----------------------------------------------------------------------------------------- */

static bool define(struct jinja *j, const char *name, const struct value *v) {
    const struct text *interned = jinja_intern(j, view_of(name));
    return interned && jinja_bind_name(j, j->root, interned, v);
}

static const struct value *member(const struct dict *d, const char *name) {
    for (size_t i = 0; i < d->n; i++)
        if (d->entries[i].key.kind == VALUE_TEXT && jinja_text_is(d->entries[i].key.text, name))
            return &d->entries[i].value;
    return NULL;
}

static bool put_member(struct jinja *j, struct dict *d, const char *name, const struct value *v) {
    struct value key;
    return jinja_text_value(j, &key, name) && jinja_dict_set(j, d, &key, v);
}

/* As transformers does before it renders: members that are null are not there, and reasoning goes by one
 * name. */
static bool normalise(struct jinja *j, struct value *message) {
    static const char *const names[] = {"reasoning_content", "thinking", "reasoning"};
    if (message->kind != VALUE_DICT) return true;
    struct dict *d = message->dict;
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->entries[i].value.kind != VALUE_NONE) d->entries[n++] = d->entries[i];
    d->n = n;
    const struct value *found = NULL;
    for (size_t i = 0; i < 3 && !found; i++) found = member(d, names[i]);
    if (!found) return true;
    struct value reasoning = *found;
    return put_member(j, d, "reasoning_content", &reasoning) &&
           (member(d, "thinking") || put_member(j, d, "thinking", &reasoning));
}

/* Stands behind the content of the message that is to be continued, so that the text can be cut there. */
static const char final_mark[] = "CONTINUE_FINAL_MESSAGE_TAG ";

static bool mark_text(struct jinja *j, struct value *content) {
    struct jinja_builder b = {.j = j};
    jinja_add_text(&b, content->text);
    jinja_puts(&b, final_mark);
    return jinja_built(content, &b, false);
}

/* The content of the last message, or its last part that is text. */
static bool mark_final(struct jinja *j, const struct list *messages) {
    struct value *content = NULL;
    if (messages->n && messages->items[messages->n - 1].kind == VALUE_DICT)
        content = (struct value *)(uintptr_t)member(messages->items[messages->n - 1].dict, "content");
    if (content && content->kind == VALUE_TEXT) return mark_text(j, content);
    for (size_t i = content && content->kind == VALUE_LIST ? content->list->n : 0; i-- > 0;) {
        struct value *part = &content->list->items[i];
        struct value *text =
            part->kind == VALUE_DICT ? (struct value *)(uintptr_t)member(part->dict, "text") : NULL;
        if (text && text->kind == VALUE_TEXT) return mark_text(j, text);
    }
    return jinja_fail(j, TEMPLATE_ARGUMENT, "there is no final message with a text to continue");
}

static bool define_messages(struct jinja *j, const struct template_input *input) {
    struct value v;
    if (input->messages.n == 0) {
        struct list *none;
        if (!jinja_list_new(j, &none, 0)) return false;
        v = jinja_list(none);
    } else if (!jinja_from_json(j, &v, input->messages, true, "messages")) return false;
    if (v.kind != VALUE_LIST) return jinja_fail(j, TEMPLATE_ARGUMENT, "the messages have to be a JSON array");
    for (size_t i = 0; i < v.list->n; i++)
        if (!normalise(j, &v.list->items[i])) return false;
    if (input->continue_final_message && !mark_final(j, v.list)) return false;
    return define(j, "messages", &v);
}

static bool define_json(struct jinja *j, const char *name, struct view json) {
    struct value v = jinja_none();
    return (json.n == 0 || jinja_from_json(j, &v, json, true, name)) && define(j, name, &v);
}

static bool define_text(struct jinja *j, const char *name, struct view text) {
    struct jinja_builder b = {.j = j};
    struct value v;
    jinja_add(&b, text.at, NULL, text.n);
    return jinja_built(&v, &b, false) && define(j, name, &v);
}

static bool define_context(struct jinja *j, struct view json) {
    struct value v;
    if (json.n == 0) return true;
    if (!jinja_from_json(j, &v, json, false, "further variables")) return false;
    if (v.kind != VALUE_DICT)
        return jinja_fail(j, TEMPLATE_ARGUMENT, "the further variables have to be a JSON object");
    for (size_t i = 0; i < v.dict->n; i++) {
        const struct text *key = v.dict->entries[i].key.text;
        const struct text *name = jinja_intern(j, (struct view){key->at, key->n});
        if (!name || !jinja_bind_name(j, j->root, name, &v.dict->entries[i].value)) return false;
    }
    return true;
}

static bool define_all(struct jinja *j, const struct template_input *input) {
    struct value prompt = jinja_bool(input->add_generation_prompt);
    return define_messages(j, input) && define_json(j, "tools", input->tools) &&
           define_json(j, "documents", input->documents) && define(j, "add_generation_prompt", &prompt) &&
           define_text(j, "bos_token", input->bos) && define_text(j, "eos_token", input->eos) &&
           define_context(j, input->context);
}

/* --- rendering ----------------------------------------------------------------------------------------- */

/* Cuts the text before the last mark; a template that trims may have taken the mark's blank, and then the
 * text in front of it is trimmed as well. */
static bool cut_final(struct jinja *j, struct text *text) {
    size_t n = sizeof final_mark - 1, at = SIZE_MAX;
    struct text mark = {.at = final_mark, .n = n - 1};
    for (size_t i = 0; (i = jinja_text_find(text, &mark, i)) != SIZE_MAX; i++) at = i;
    if (at == SIZE_MAX)
        return jinja_fail(j, TEMPLATE_ARGUMENT,
                          "the final message does not appear in what the chat template writes");
    bool kept = at + n <= text->n && text->at[at + n - 1] == ' ';
    text->n = at;
    size_t start;
    if (!kept) jinja_text_strip(text, NULL, false, true, &start, &text->n);
    return true;
}

static bool give(struct template_text *out, const struct text *text, struct status *st) {
    out->at = malloc(text->n + 1);
    out->marks = text->from ? malloc(text->n + 1) : NULL;
    if (!out->at || (text->from && !out->marks)) {
        template_text_free(out);
        return status_fail(st, STATUS_NO_MEMORY, "out of memory for a rendered text");
    }
    if (text->n) memcpy(out->at, text->at, text->n);
    if (text->n && text->from) memcpy(out->marks, text->from, text->n);
    out->at[text->n] = 0;
    out->n = text->n;
    return true;
}

static struct tm local_time(void) {
    struct tm now = {0};
    time_t seconds = time(NULL);
    localtime_r(&seconds, &now);
    return now;
}

bool template_render(struct template_text *out, const struct template *t, const struct template_input *input,
                     struct template_fault *fault, struct status *st) {
    struct arena arena = {0};
    struct scope root = {0};
    struct value text;
    *out = (struct template_text){0};
    *fault = (struct template_fault){0};
    struct jinja j = {.arena = &arena, .fault = fault, .scope = &root, .root = &root};
    struct jinja_builder built = {.j = &j};
    j.out = &built;
    j.now = input->now ? *input->now : local_time();
    bool told = jinja_names_copy(&j, t->names) && define_all(&j, input) && jinja_run(&j, t->root) &&
                jinja_built(&text, &built, false);
    if (told && input->continue_final_message) {
        struct text cut = *text.text;
        j.line = 0;
        told = cut_final(&j, &cut) && give(out, &cut, st);
    } else if (told) told = give(out, text.text, st);
    if (!told && fault->kind != TEMPLATE_NO_FAULT) tell(st, fault);
    arena_release(&arena);
    return told;
}

void template_text_free(struct template_text *text) {
    free(text->at);
    free(text->marks);
    *text = (struct template_text){0};
}
