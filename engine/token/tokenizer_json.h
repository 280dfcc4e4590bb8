/* tokenizer_json: what the two files that read a tokenizer.json share: tokens and models in tokenizer_json.c,
 * the stages around them in tokenizer_stages.c.
 *
 * Owns:    the parsed JSON while a tokenizer is made of it.
 * Trusts:  nothing in it. Threads: one reader, one thread.
 */
#ifndef ENGINE_TOKEN_TOKENIZER_JSON_H
#define ENGINE_TOKEN_TOKENIZER_JSON_H

#include "engine/token/tokenizer_parts.h"

#include <jansson.h>

struct tokenizer_json {
    struct tokenizer *t;
    const char *name; /* of the file, for messages */
    json_t *root;
    const json_t *model, *added;
    bool unigram, byte_level, byte_fallback;
    struct view space; /* what decoding turns into a space; empty: nothing */
    struct str scratch, left, right;
    struct status *st;
};

/* Normaliser, pre-tokenizer and decoder, before the model is read; what is put around a text, after it. */
bool tokenizer_json_stages(struct tokenizer_json *l);
bool tokenizer_json_around(struct tokenizer_json *l);

const char *tokenizer_json_type(const json_t *object); /* "" when there is none */
struct view tokenizer_json_text(const json_t *string); /* empty when it is no text */
/* A copy in the tokenizer's arena. */
bool tokenizer_json_keep(struct view *out, const struct tokenizer_json *l, struct view text);

bool tokenizer_json_refuse(const struct tokenizer_json *l, enum status_code code, const char *field,
                           const char *why);
bool tokenizer_json_unknown(const struct tokenizer_json *l, const char *field, const char *type,
                            const char *known);

#endif
