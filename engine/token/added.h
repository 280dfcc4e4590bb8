/* added: finds the tokens that stand in a text as themselves: user-defined ones always, control ones when
 * special tokens are parsed. Leftmost first, of those that start there the longest (tokenizers
 * src/tokenizer/added_vocabulary.rs; llama.cpp takes the longest of the whole text first).
 *
 * Owns:    a sorted table in the caller's arena. Trusts: the vocabulary. Threads: constant after open.
 */
#ifndef ENGINE_TOKEN_ADDED_H
#define ENGINE_TOKEN_ADDED_H

#include "engine/token/vocab.h"

struct added {
    const struct vocab *vocab;
    int32_t *ids; /* sorted by their pieces, bytewise */
    size_t n;
    bool starts[256]; /* bytes with which a piece begins */
};

bool added_open(struct added *a, const struct vocab *vocab, struct arena *arena,
                struct status *st) STATUS_MUST_USE;

/* A text, and what may be found in it. */
struct added_text {
    struct view text;
    bool parse_special;
    /* NULL, or a byte for each of the text: where it is not 0, the byte is a user's. A token with such a byte
     * is found only when it is user-defined and not of the form <|...|>, with which chats are framed. */
    const unsigned char *marks;
};

/* The first added token in the text from byte `from` on. False: there is none. */
bool added_next(const struct added *a, const struct added_text *in, size_t from, size_t *start, int32_t *id);

#endif
