/* pretokenize: cuts a text into the pieces within which byte-level BPE merges.
 *
 * Owns:    compiled regexes. Trusts: text is well-formed UTF-8. Patterns are Oniguruma's with Ruby syntax, as
 *          tokenizer.json means them; every search has a step limit, so that none runs for ever.
 * Threads: constant after open.
 */
#ifndef ENGINE_TOKEN_PRETOKENIZE_H
#define ENGINE_TOKEN_PRETOKENIZE_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

/* What a pre-tokenizer's name says beside the cuts. */
struct pretokenize_traits {
    bool nfc;           /* text is brought to Unicode's form C before the cuts */
    bool ignore_merges; /* see struct bpe */
    bool adds_bos;      /* where the file does not say */
};

struct pretokenizer;

/* By the name in tokenizer.ggml.pre; an unknown one is refused with the list of those that run. */
bool pretokenize_open(struct pretokenizer **out, struct view name, struct status *st) STATUS_MUST_USE;
void pretokenize_close(struct pretokenizer *p); /* NULL is fine */

const char *pretokenize_name(const struct pretokenizer *p); /* the family's first name */
struct pretokenize_traits pretokenize_traits(const struct pretokenizer *p);

/* Takes one piece; false stops the cutting. */
typedef bool pretokenize_sink(void *context, struct view piece, struct status *st);

/* Hands every piece of the text to sink, in order; together they are the text. */
bool pretokenize(const struct pretokenizer *p, struct view text, pretokenize_sink *sink, void *context,
                 struct status *st) STATUS_MUST_USE;

#endif
