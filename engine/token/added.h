/* added: finds the tokens that stand in a text as themselves. Leftmost first, of those that start there the
 * longest (tokenizers src/tokenizer/added_vocabulary.rs; llama.cpp takes the longest of the whole text
 * first).
 *
 * Owns:    a sorted table in the caller's arena; the texts are the caller's.
 * Trusts:  text is well-formed UTF-8. Threads: constant after added_sort.
 */
#ifndef ENGINE_TOKEN_ADDED_H
#define ENGINE_TOKEN_ADDED_H

#include "engine/token/marked.h"
#include "engine/token/vocab.h"

struct added_token {
    struct view text;
    int32_t id;
    bool special; /* only where special tokens are parsed */
    /* It takes the white space before or behind it with it; it has to be a word of its own. */
    bool lstrip, rstrip, single_word;
};

struct added {
    struct added_token *tokens; /* sorted by their texts, bytewise */
    size_t n;
    bool starts[256]; /* bytes with which a text begins */
};

/* Room for n tokens. */
bool added_begin(struct added *a, size_t n, struct arena *arena, struct status *st) STATUS_MUST_USE;
/* Of two tokens with the same text, the lower id counts. Empty texts are left out. */
void added_put(struct added *a, const struct added_token *token);
void added_sort(struct added *a);

/* All control, user-defined and unknown tokens of a vocabulary. */
bool added_open(struct added *a, const struct vocab *vocab, struct arena *arena,
                struct status *st) STATUS_MUST_USE;

/* A text, and how far it is read. A token with a byte that is a user's is found only when it is no special
 * one and written in letters, digits and blanks alone: with the others chats are framed. */
struct added_scan {
    struct marked_view text;
    bool parse_special;
    size_t done;     /* the end of the last match */
    size_t searched; /* where the next one may start; before `done` when the last one took blanks */
};

struct added_match {
    size_t start, end; /* with the blanks it takes; start may lie before the end of the match before */
    int32_t id;
};

/* The next added token. False: there is none. */
bool added_next(struct added_match *match, const struct added *a, struct added_scan *scan);

/* Bytes of the longest token at the start of the text, special or not; 0: none is there. */
size_t added_longest(const struct added *a, struct view text);
/* The id of the token with exactly this text, or -1. */
int32_t added_find(const struct added *a, struct view text);

#endif
