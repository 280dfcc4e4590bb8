#include "engine/token/chat.h"

#include "engine/token/token_list.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ENDS = 8 };

struct chat {
    const struct tokenizer *tokenizer;
    struct template *template;
    int32_t ends[MAX_ENDS];
    int n_ends;
};

/* The id of a text that is one token, or -1. */
static int32_t single(const struct tokenizer *t, const char *text) {
    struct token_list ids = {0};
    int32_t id = -1;
    if (tokenizer_encode(&ids, t, view_of(text), (struct tokenizer_options){.parse_special = true}, NULL) &&
        ids.n == 1)
        id = ids.ids[0];
    token_list_free(&ids);
    return id;
}

/* Some vocabularies do not call the token special that ends a message; the template that writes it says so.
 */
static void find_ends(struct chat *c, struct view template) {
    static const char *const names[] = {"<|im_end|>",    "<|eot_id|>",      "<|end|>",   "<|end_of_text|>",
                                        "<end_of_turn>", "<|end_of_turn|>", "<|return|>"};
    for (size_t i = 0; i < sizeof names / sizeof *names && c->n_ends < MAX_ENDS; i++) {
        if (!memmem(template.at, template.n, names[i], strlen(names[i]))) continue;
        int32_t id = single(c->tokenizer, names[i]);
        if (id >= 0) c->ends[c->n_ends++] = id;
    }
}

bool chat_open(struct chat **out, const struct tokenizer *t, struct view template, struct status *st) {
    struct template_fault fault;
    *out = NULL;
    if (template.n == 0)
        return status_fail(st, STATUS_UNSUPPORTED,
                           "this model has no chat template: it continues text; leave --chat out");
    struct chat *c = calloc(1, sizeof *c);
    if (!c) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a chat");
    c->tokenizer = t;
    if (!template_open(&c->template, template, &fault, st)) {
        free(c);
        return false;
    }
    find_ends(c, template);
    *out = c;
    return true;
}

void chat_close(struct chat *c) {
    if (!c) return;
    template_close(c->template);
    free(c);
}

/* Does the text begin with the pieces of these ids, written by the template itself? A message that begins
 * with their letters does not count. */
static bool begins_with(const struct tokenizer *t, const struct template_text *text, const int32_t *ids,
                        size_t n) {
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        struct view piece = tokenizer_piece(t, ids[i]);
        if (text->n - at < piece.n || memcmp(text->at + at, piece.at, piece.n) != 0) return false;
        for (size_t k = 0; text->marks && k < piece.n; k++)
            if (text->marks[at + k]) return false;
        at += piece.n;
    }
    return true;
}

static bool encode(struct token_list *out, const struct chat *c, const struct template_text *text,
                   struct status *st) {
    const struct tokenizer *t = c->tokenizer;
    const struct tokenizer_options options = {.parse_special = true};
    size_t n;
    const int32_t *front = tokenizer_front(&n, t);
    bool written = begins_with(t, text, front, n);
    for (size_t i = 0; !written && i < n; i++)
        if (!token_list_add(out, front[i], st)) return false;
    return tokenizer_encode_marked(out, t, (struct view){text->at, text->n}, text->marks, options, st);
}

bool chat_encode(struct token_list *out, const struct chat *c, struct view messages, struct status *st) {
    const struct tokenizer *t = c->tokenizer;
    struct template_input input = {
        .messages = messages,
        .bos = tokenizer_piece(t, tokenizer_bos(t)),
        .eos = tokenizer_piece(t, tokenizer_eos(t)),
        .add_generation_prompt = true,
    };
    struct template_text text;
    struct template_fault fault;
    bool ok = template_render(&text, c->template, &input, &fault, st) && encode(out, c, &text, st);
    template_text_free(&text);
    return ok;
}

bool chat_is_end(const struct chat *c, int32_t id) {
    for (int i = 0; i < c->n_ends; i++)
        if (c->ends[i] == id) return true;
    return tokenizer_is_end(c->tokenizer, id);
}
