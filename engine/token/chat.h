/* chat: messages to ids by a model's chat template.
 *
 * Owns:    a chat its template. The tokenizer must outlive it.
 * Trusts:  nothing: what a message says can never become a special token (tokenizer_encode_marked), and the
 *          template is bounded (engine/token/template.h).
 * Threads: constant after open.
 */
#ifndef ENGINE_TOKEN_CHAT_H
#define ENGINE_TOKEN_CHAT_H

#include "engine/token/template.h"

struct chat;

/* `template` is Jinja text; an empty one (the file has none) is refused. */
bool chat_open(struct chat **out, const struct tokenizer *t, struct view template,
               struct status *st) STATUS_MUST_USE;
void chat_close(struct chat *c);

/* Appends the ids of the messages (a JSON array), up to where the model's reply begins. The token that the
 * model wants in front is put there when the template has not written it. */
bool chat_encode(struct token_list *out, const struct chat *c, struct view messages,
                 struct status *st) STATUS_MUST_USE;

/* Ends a reply: the tokenizer's end tokens, and those with which the template ends a message. */
bool chat_is_end(const struct chat *c, int32_t id);

#endif
