/* unigram: cuts a text into the pieces of largest total score (sentencepiece src/unigram_model.cc,
 * EncodeOptimized; tokenizers src/models/unigram).
 *
 * Owns:    a trie of the keys in the caller's arena; struct unigram_work its tables (zero initialise, free).
 * Trusts:  nothing of the scores but that they are numbers.
 * Threads: constant after open; a work belongs to one thread.
 */
#ifndef ENGINE_TOKEN_UNIGRAM_H
#define ENGINE_TOKEN_UNIGRAM_H

#include "engine/token/tokenizer.h"
#include "engine/token/vocab.h"

struct unigram_edge;
struct unigram_node;

struct unigram {
    const struct vocab *vocab;
    int32_t unknown;    /* -1: none */
    bool byte_fallback; /* a character without a token becomes its byte tokens */
    bool in_float;      /* sums are rounded to float, as sentencepiece's are; tokenizers has doubles */
    double lowest;      /* score of the rarest normal token */
    struct unigram_edge *edges; /* a hash table */
    size_t mask;
    uint64_t seed;
    int32_t *ends; /* [node]: the id whose key ends there, or -1 */
};

bool unigram_open(struct unigram *u, const struct vocab *vocab, struct arena *arena,
                  struct status *st) STATUS_MUST_USE;

struct unigram_work {
    struct unigram_node *nodes;
    size_t room;
    struct token_list path;
};
void unigram_work_free(struct unigram_work *work);

/* Appends the ids of a piece, well-formed UTF-8. A character that no token covers is `unknown`, one for a run
 * of them; without an unknown token it is an error. */
bool unigram_encode(struct token_list *out, const struct unigram *u, struct view text,
                    struct unigram_work *work, struct status *st) STATUS_MUST_USE;

#endif
