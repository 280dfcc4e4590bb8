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

/* The template itself has written the token; a message that begins with its letters has not. */
static bool begins_with(const struct template_text *text, struct view bos) {
    if (text->n < bos.n || memcmp(text->at, bos.at, bos.n) != 0) return false;
    for (size_t i = 0; text->marks && i < bos.n; i++)
        if (text->marks[i]) return false;
    return true;
}

static bool encode(struct token_list *out, const struct chat *c, const struct template_text *text,
                   struct view bos, struct status *st) {
    const struct tokenizer *t = c->tokenizer;
    const struct tokenizer_options options = {.parse_special = true};
    if (bos.n && tokenizer_adds_bos(t) && !begins_with(text, bos) &&
        !token_list_add(out, tokenizer_bos(t), st))
        return false;
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
    bool ok = template_render(&text, c->template, &input, &fault, st) && encode(out, c, &text, input.bos, st);
    template_text_free(&text);
    return ok;
}

bool chat_is_end(const struct chat *c, int32_t id) {
    for (int i = 0; i < c->n_ends; i++)
        if (c->ends[i] == id) return true;
    return tokenizer_is_end(c->tokenizer, id);
}
