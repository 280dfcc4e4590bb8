/* vocab: the pieces of a vocabulary, their kinds, and the id of a piece.
 *
 * Owns:    nothing of its own: tables lie in the caller's arena, pieces there or in a mapped file.
 * Trusts:  nothing in a file: types and counts of all arrays are checked against the number of tokens.
 * Threads: constant after open.
 */
#ifndef ENGINE_TOKEN_VOCAB_H
#define ENGINE_TOKEN_VOCAB_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gguf;

/* The values of tokenizer.ggml.token_type. */
enum vocab_kind {
    VOCAB_NORMAL = 1,
    VOCAB_UNKNOWN,
    VOCAB_CONTROL,      /* from text only when special tokens are parsed */
    VOCAB_USER_DEFINED, /* always found in a text */
    VOCAB_UNUSED,
    VOCAB_BYTE, /* <0x00> to <0xFF> */
};

/* How a file writes the pieces of normal tokens. */
enum vocab_spelling {
    VOCAB_METASPACE, /* U+2581 stands for a space (sentencepiece) */
    VOCAB_ALPHABET,  /* each byte is one printable character (GPT-2's bytes_to_unicode) */
};

struct vocab_slot;

struct vocab {
    size_t n;
    struct view *pieces; /* the bytes that each id stands for; a hole in the numbering has none */
    struct view *keys;   /* what a text holds where it becomes this id by merging; empty: none does */
    uint8_t *kinds;      /* enum vocab_kind */
    double *scores;      /* NULL: the file has none */
    int32_t bytes[256];  /* the id that stands for one byte alone, or -1 */
    size_t longest;      /* bytes of the longest key */
    struct vocab_slot *slots;
    size_t slot_mask;
    uint64_t seed;
};

/* --- making one ----------------------------------------------------------------------------------------- */

/* Room for n > 0 tokens, all of them holes. */
bool vocab_begin(struct vocab *v, size_t n, bool scored, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

/* Gives an id its bytes and kind. An empty key: it comes from no merging. Of two ids with the same key the
 * later one counts, as in llama.cpp. Views are kept. */
void vocab_put(struct vocab *v, int32_t id, enum vocab_kind kind, struct view piece, struct view key);

/* The same for an id that was put before: no text reaches it by merging any more. */
void vocab_hide(struct vocab *v, int32_t id, enum vocab_kind kind, struct view piece);

/* From tokenizer.ggml.tokens, scores and token_type. */
bool vocab_open(struct vocab *v, const struct gguf *file, enum vocab_spelling spelling, struct arena *arena,
                struct status *st) STATUS_MUST_USE;

/* --- using it ------------------------------------------------------------------------------------------- */

/* The id of the token with these bytes as its key, or -1. In GGUF files control, user-defined, byte and
 * unused tokens have none: no sequence of plain text becomes one of them by merging. */
int32_t vocab_find(const struct vocab *v, const char *at, size_t n);

double vocab_score(const struct vocab *v, int32_t id); /* 0 without scores */

/* --- spellings ------------------------------------------------------------------------------------------ */

/* out += the bytes that a text in the byte alphabet stands for; false: it holds other characters too. */
bool vocab_from_alphabet(struct str *out, struct view text);
void vocab_to_alphabet(struct str *out, struct view bytes);
/* out += the text with a space for each U+2581; false: it holds a plain space already. */
bool vocab_from_metaspace(struct str *out, struct view text);
/* The byte of "<0x41>", or -1 for anything else. */
int vocab_byte_of(struct view text);

/* --- hashing -------------------------------------------------------------------------------------------- */

/* A seed that nobody outside knows, for hash tables over what a file holds. */
uint64_t vocab_seed(void);
/* Mixes two words so that every bit of the result depends on every bit of both. */
uint64_t vocab_mix(uint64_t a, uint64_t b);

#endif
