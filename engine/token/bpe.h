/* bpe: byte-level BPE: the bytes of a piece are merged by the rank of the merges (tokenizers
 * src/models/bpe).
 *
 * Owns:    a hash table of merges in the caller's arena.
 * Trusts:  nothing: a merge whose parts or whole are no tokens is refused with its number and offset.
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
    struct bpe_merge *merges;
    size_t mask;
    uint64_t seed;
};

bool bpe_open(struct bpe *b, const struct vocab *vocab, const struct gguf *file, struct arena *arena,
              struct status *st) STATUS_MUST_USE;

/* Appends the ids of one piece, as the pre-tokenizer cut it; it need not be whole characters. A byte that
 * has no token is left out, as in tokenizers (falcon has none for eleven control characters). */
bool bpe_encode(struct token_list *out, const struct bpe *b, struct view piece, struct merge *work,
                struct status *st) STATUS_MUST_USE;

#endif
