/* chatml: messages in the ChatML frame, "<|im_start|>role\ntext<|im_end|>\n".
 *
 * Owns:    nothing.
 * Trusts:  nothing: a text can never become a special token. Where a vocabulary would read one in it all the
 *          same, the text is refused.
 * Threads: any.
 */
#ifndef ENGINE_TOKEN_CHATML_H
#define ENGINE_TOKEN_CHATML_H

#include "engine/token/tokenizer.h"

struct chatml {
    const struct tokenizer *tokenizer;
    int32_t start, end; /* ids of <|im_start|> and <|im_end|> */
};

/* For a model whose chat template (Jinja text; empty: the file has none) writes ChatML. Another template is
 * refused by the family it is recognised as. */
bool chatml_open(struct chatml *out, const struct tokenizer *t, struct view template,
                 struct status *st) STATUS_MUST_USE;

/* Appends the leading token that the model asks for, if it asks for one. */
bool chatml_begin(struct token_list *out, const struct chatml *c, struct status *st) STATUS_MUST_USE;

/* Appends a whole message, of role "system", "user" or "assistant". */
bool chatml_message(struct token_list *out, const struct chatml *c, const char *role, struct view text,
                    struct status *st) STATUS_MUST_USE;

/* Appends the opening of the assistant's turn; what the model says next is the reply. */
bool chatml_reply(struct token_list *out, const struct chatml *c, struct status *st) STATUS_MUST_USE;

#endif
