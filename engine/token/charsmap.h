/* charsmap: sentencepiece's precompiled normalisation: what some sequences of characters become.
 *
 * The bytes are those of precompiled_charsmap (sentencepiece src/normalizer.cc): the length of a trie, the
 * trie as darts-clone lays out a double array, then the replacements, each ended by a NUL.
 *
 * Owns:    nothing: it looks into the caller's bytes.
 * Trusts:  nothing: every step stays within the trie, every replacement within the bytes.
 * Threads: constant after open.
 */
#ifndef ENGINE_TOKEN_CHARSMAP_H
#define ENGINE_TOKEN_CHARSMAP_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct charsmap {
    const unsigned char *units; /* little-endian u32 each, unaligned */
    size_t n_units;
    struct view replacements;
};

bool charsmap_open(struct charsmap *map, struct view bytes, struct status *st) STATUS_MUST_USE;

/* The bytes that it was opened with. */
struct view charsmap_bytes(const struct charsmap *map);

/* How many bytes at the start of the text the map replaces: the longest sequence it knows, or the shortest;
 * 0: none. *replacement: with what. */
size_t charsmap_longest(struct view *replacement, const struct charsmap *map, struct view text);
size_t charsmap_shortest(struct view *replacement, const struct charsmap *map, struct view text);

#endif
