#include "engine/token/chatml.h"

#include "engine/token/token_list.h"

#include <string.h>

static bool has(struct view text, const char *part) { return memmem(text.at, text.n, part, strlen(part)); }

/* Whose template it is, by a token that no other family writes. */
static const char *family_of(struct view template) {
    static const struct {
        const char *mark, *family;
    } families[] = {
        {"<|start_header_id|>", "Llama 3's"},
        {"[INST]", "Llama 2's or Mistral's"},
        {"<start_of_turn>", "Gemma's"},
        {"<|im_sep|>", "Phi 4's"},
        {"<|channel|>", "gpt-oss's"},
        {"<|assistant|>", "Zephyr's, Phi 3's or GLM's"},
        {"<\xef\xbd\x9c"
         "Assistant\xef\xbd\x9c>",
         "DeepSeek's"},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (has(template, families[i].mark)) return families[i].family;
    return "not ChatML";
}

static bool is_chatml(struct view template) {
    return has(template, "<|im_start|>") && has(template, "<|im_end|>") && !has(template, "<|im_sep|>");
}

static bool special(struct token_list *out, const struct tokenizer *t, const char *text, struct status *st) {
    return tokenizer_encode(out, t, view_of(text), (struct tokenizer_options){.parse_special = true}, st);
}

static bool special_id(int32_t *id, const struct tokenizer *t, const char *text, struct status *st) {
    struct token_list ids = {0};
    bool ok = special(&ids, t, text, st);
    if (ok && ids.n != 1)
        ok = status_fail(st, STATUS_UNSUPPORTED, "the chat template is ChatML, but the vocabulary has no %s",
                         text);
    if (ok) *id = ids.ids[0];
    token_list_free(&ids);
    return ok;
}

bool chatml_open(struct chatml *out, const struct tokenizer *t, struct view template, struct status *st) {
    *out = (struct chatml){.tokenizer = t};
    if (template.n == 0)
        return status_fail(st, STATUS_UNSUPPORTED,
                           "this model has no chat template: it continues text; leave --chat out");
    if (!is_chatml(template))
        return status_fail(st, STATUS_UNSUPPORTED,
                           "the model's chat template is %s; --chat knows ChatML only: write the whole text "
                           "with its tokens yourself and leave --chat out",
                           family_of(template));
    return special_id(&out->start, t, "<|im_start|>", st) && special_id(&out->end, t, "<|im_end|>", st);
}

bool chatml_begin(struct token_list *out, const struct chatml *c, struct status *st) {
    /* Where <|im_start|> itself is the begin token, the first message brings it. */
    if (!tokenizer_adds_bos(c->tokenizer) || tokenizer_bos(c->tokenizer) == c->start) return true;
    return token_list_add(out, tokenizer_bos(c->tokenizer), st);
}

/* The tokens that frame a conversation or end it. */
static bool is_frame(const struct chatml *c, int32_t id) {
    return id == c->start || id == c->end || id == tokenizer_bos(c->tokenizer) ||
           tokenizer_is_end(c->tokenizer, id);
}

/* Role and text are encoded in one piece, so that newlines merge as in the rendered template. */
static bool body(struct token_list *out, const struct chatml *c, const char *role, struct view text,
                 struct status *st) {
    struct str piece = {0};
    size_t before = out->n;
    str_puts(&piece, role);
    str_putc(&piece, '\n');
    str_add(&piece, text.at, text.n);
    bool ok = str_ok(&piece, st) && tokenizer_encode(out, c->tokenizer, (struct view){piece.at, piece.n},
                                                     (struct tokenizer_options){0}, st);
    str_free(&piece);
    char shown[VIEW_SHOWN];
    for (size_t i = before; ok && i < out->n; i++)
        if (is_frame(c, out->ids[i]))
            ok = status_fail(st, STATUS_BAD_INPUT,
                             "the %s text contains %s, which this vocabulary always reads as a token; take "
                             "it out",
                             role, view_shown(shown, tokenizer_piece(c->tokenizer, out->ids[i])));
    return ok;
}

bool chatml_message(struct token_list *out, const struct chatml *c, const char *role, struct view text,
                    struct status *st) {
    return special(out, c->tokenizer, "<|im_start|>", st) && body(out, c, role, text, st) &&
           special(out, c->tokenizer, "<|im_end|>", st) &&
           tokenizer_encode(out, c->tokenizer, view_of("\n"), (struct tokenizer_options){0}, st);
}

bool chatml_reply(struct token_list *out, const struct chatml *c, struct status *st) {
    return special(out, c->tokenizer, "<|im_start|>", st) && body(out, c, "assistant", (struct view){0}, st);
}
