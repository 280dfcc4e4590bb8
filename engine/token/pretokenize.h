/* pretokenize: cuts a text into the pieces within which a model merges.
 *
 * Owns:    the compiled patterns of its steps.
 * Trusts:  text is well-formed UTF-8. Patterns are anybody's (engine/token/pattern.h bounds them).
 * Threads: constant after open.
 *
 * A pre-tokenizer is a list of steps, each applied to the pieces of the one before, as in tokenizers'
 * src/pre_tokenizers: GGUF files name such a list (engine/token/pretokenizers.inc), tokenizer.json spells
 * one.
 */
#ifndef ENGINE_TOKEN_PRETOKENIZE_H
#define ENGINE_TOKEN_PRETOKENIZE_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

/* What a name in tokenizer.ggml.pre says beside the cuts. */
struct pretokenize_traits {
    bool nfc;           /* text is brought to Unicode's form C before the cuts */
    bool ignore_merges; /* see struct bpe */
    bool adds_bos;      /* where the file does not say */
};

enum pretokenize_kind {
    PRETOKENIZE_END,       /* of a list */
    PRETOKENIZE_SPLIT,     /* at the matches of a pattern */
    PRETOKENIZE_ALPHABET,  /* each byte becomes one character of GPT-2's alphabet (vocab_from_alphabet) */
    PRETOKENIZE_PREFIX,    /* a space in front, where there is none */
    PRETOKENIZE_METASPACE, /* `text` for each space, and in front */
};

/* What becomes of the matches. */
enum pretokenize_behaviour {
    PRETOKENIZE_ISOLATED, /* a piece each */
    PRETOKENIZE_REMOVED,
    PRETOKENIZE_CONTIGUOUS, /* neighbouring matches are one piece */
    PRETOKENIZE_WITH_PREVIOUS,
    PRETOKENIZE_WITH_NEXT,
};

/* When PRETOKENIZE_METASPACE puts one in front. */
enum pretokenize_scheme { PRETOKENIZE_NEVER, PRETOKENIZE_FIRST /* of the text */, PRETOKENIZE_ALWAYS };

struct pretokenize_step {
    enum pretokenize_kind kind;
    struct view text; /* the expression, what is looked for, or what stands for a space */
    bool literal;     /* no expression */
    bool invert;      /* what does not match counts as matching */
    enum pretokenize_behaviour behaviour;
    enum pretokenize_scheme scheme;
};

/* The expression of GPT-2, which ByteLevel uses. */
#define PRETOKENIZE_GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

enum { PRETOKENIZE_MAX_STEPS = 16 };

struct pretokenizer;

/* From n steps, at most PRETOKENIZE_MAX_STEPS; `name` is for people. */
bool pretokenize_open(struct pretokenizer **out, const char *name, const struct pretokenize_step *steps,
                      size_t n, struct status *st) STATUS_MUST_USE;
/* By the name in tokenizer.ggml.pre; an unknown one is refused with the list of those that run. */
bool pretokenize_open_named(struct pretokenizer **out, struct pretokenize_traits *traits, struct view name,
                            struct status *st) STATUS_MUST_USE;
void pretokenize_close(struct pretokenizer *p); /* NULL is fine */

const char *pretokenize_name(const struct pretokenizer *p);

/* Takes one piece; false stops the cutting. */
typedef bool pretokenize_sink(void *context, struct view piece, struct status *st);

/* Hands every piece of the text to sink, in order; `first`: the text begins here. After PRETOKENIZE_ALPHABET,
 * pieces are bytes again. Together they are the text, but for what the steps take away or put in. */
bool pretokenize(const struct pretokenizer *p, struct view text, bool first, pretokenize_sink *sink,
                 void *context, struct status *st) STATUS_MUST_USE;

#endif
