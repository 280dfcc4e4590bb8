/* tokenizer_parts: what a tokenizer is made of. For the files that make one (tokenizer_*.c) and tokenizer.c.
 */
#ifndef ENGINE_TOKEN_TOKENIZER_PARTS_H
#define ENGINE_TOKEN_TOKENIZER_PARTS_H

#include "base/arena.h"
#include "engine/token/added.h"
#include "engine/token/bpe.h"
#include "engine/token/normalise.h"
#include "engine/token/pretokenize.h"
#include "engine/token/tokenizer.h"
#include "engine/token/unigram.h"
#include "engine/token/vocab.h"

enum tokenizer_model { TOKENIZER_SPM, TOKENIZER_BPE, TOKENIZER_UNIGRAM };

enum { TOKENIZER_MAX_ENDS = 16 };

/* A key of ours: "first" or "always", as prepend_scheme of tokenizer.json's Metaspace. */
#define TOKENIZER_PREPEND_SCHEME "tokenizer.fak.prepend_scheme"
/* Another: the charsmap is asked for clusters of characters, as tokenizers does, not as sentencepiece does.
 */
#define TOKENIZER_BY_CLUSTER "tokenizer.fak.charsmap_by_cluster"

/* Stages of a text, in their order. */
struct tokenizer {
    struct arena arena;
    struct gguf *file; /* what views point into, when it is ours; or NULL */
    struct vocab vocab;
    struct added raw;              /* tokens found in the text as it is */
    struct normaliser *normaliser; /* of the stretches between them; or NULL */
    struct added normalised;       /* tokens found after that */
    struct pretokenizer *pre;      /* or NULL */
    enum tokenizer_model model;
    struct bpe bpe;
    struct unigram unigram;
    int32_t *front, *back; /* what add_special puts around a text */
    size_t n_front, n_back;
    bool
        takes_bytes; /* the normaliser replaces ill-formed bytes, one by one; else they are replaced before */
    bool drops_space;               /* decoding leaves out a space at the very start: encoding put it there */
    int32_t bos, eos, unknown, pad; /* -1: none */
    int32_t ends[TOKENIZER_MAX_ENDS]; /* what ends a reply */
    int n_ends;
    char kind[64];
};

struct tokenizer *tokenizer_new(struct status *st); /* NULL when memory is short */

/* `front` or `back` = one id; -1: none. */
bool tokenizer_set_around(int32_t **ids, size_t *n, int32_t id, struct tokenizer *t,
                          struct status *st) STATUS_MUST_USE;
/* Control tokens that end a message in chats by their name, beside those that the file tells. */
void tokenizer_add_known_ends(struct tokenizer *t);
void tokenizer_add_end(struct tokenizer *t, int32_t id);

#endif
