/* bpe: the symbols of a piece are merged by the rank of the merges (tokenizers src/models/bpe). A symbol is a
 * byte (GPT-2 and its heirs) or a character (sentencepiece vocabularies written as merges).
 *
 * Owns:    a hash table of merges in the caller's arena.
 * Trusts:  nothing: a merge whose parts or whole are no tokens is refused.
 * Threads: constant after open; struct merge is the caller's.
 */
#ifndef ENGINE_TOKEN_BPE_H
#define ENGINE_TOKEN_BPE_H

#include "engine/token/merge.h"
#include "engine/token/tokenizer.h"
#include "engine/token/vocab.h"

struct bpe_merge;

struct bpe {
    const struct vocab *vocab;
    bool ignore_merges; /* a whole piece that is a token is that token */
    bool by_character;
    /* By characters: one without a token becomes its byte tokens, if there are all of them, else `unknown`,
     * one for a run of them when `fuses`. -1: there is none, and it is left out. */
    int32_t unknown;
    bool byte_fallback, fuses;
    struct bpe_merge *merges;
    size_t mask, n;
    uint64_t seed;
};

/* Room for n merges. */
bool bpe_begin(struct bpe *b, const struct vocab *vocab, size_t n, struct arena *arena,
               struct status *st) STATUS_MUST_USE;
/* Adds the next merge, of the keys of two tokens. False: the two or the whole are no tokens. Of two merges of
 * the same pair the first counts. */
bool bpe_put(struct bpe *b, struct view left, struct view right, struct str *scratch);

/* From tokenizer.ggml.merges. */
bool bpe_open(struct bpe *b, const struct vocab *vocab, const struct gguf *file, enum vocab_spelling spelling,
              struct arena *arena, struct status *st) STATUS_MUST_USE;

/* Appends the ids of one piece, as the pre-tokenizer cut it; it need not be whole characters. A byte that
 * has no token is left out, as in tokenizers (falcon has none for eleven control characters). */
bool bpe_encode(struct token_list *out, const struct bpe *b, struct view piece, struct merge *work,
                struct status *st) STATUS_MUST_USE;

#endif
