/* merge: the loop that SPM and byte-level BPE share. Neighbouring symbols of a text are joined, the pair of
 * lowest order first and of equal ones the leftmost, until no pair may be joined. O(n log n).
 *
 * Owns:    struct merge owns two growing tables; one is used again and again (zero initialise, merge_free).
 * Trusts:  the pair function to answer the same for the same two symbols.
 * Threads: one struct, one thread.
 *
 * The technique (a linked list of symbols and a heap of candidates, stale ones dropped when they come up) is
 * that of sentencepiece src/bpe_model.cc and tokenizers src/models/bpe/word.rs.
 */
#ifndef ENGINE_TOKEN_MERGE_H
#define ENGINE_TOKEN_MERGE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_symbol {
    uint32_t at, n;        /* bytes of the text; n = 0: joined to the one before */
    int32_t before, after; /* neighbours, or -1 */
    int32_t id;            /* the token, or -1: none */
};

struct merge_candidate;

struct merge {
    struct merge_symbol *symbols;
    size_t n_symbols, symbol_room;
    struct merge_candidate *heap;
    size_t n_heap, heap_room;
};

/* May a and b be joined? Then the token they become and its order. */
typedef bool merge_pair(const void *context, const struct merge_symbol *a, const struct merge_symbol *b,
                        uint32_t *order, int32_t *id);

/* Empties the list and makes room for at most n symbols. */
bool merge_begin(struct merge *m, size_t n, struct status *st) STATUS_MUST_USE;
/* Appends the next n bytes as one symbol. */
void merge_add(struct merge *m, uint32_t n, int32_t id);
/* Joins. Afterwards symbols[0] and what follows through `after` are the result. */
bool merge_run(struct merge *m, merge_pair *pair, const void *context, struct status *st) STATUS_MUST_USE;
void merge_free(struct merge *m);

#endif
