/* normalise: rewrites a text before it is cut, as a tokenizer asks for (tokenizers src/normalizers,
 * sentencepiece src/normalizer.cc).
 *
 * Owns:    its compiled patterns; the views of its steps must outlive it.
 * Trusts:  text is well-formed UTF-8, but for NORMALISE_SENTENCEPIECE. Each step is linear, or n log n, in
 * the text. Threads: constant after open; struct normalise_work belongs to one thread.
 */
#ifndef ENGINE_TOKEN_NORMALISE_H
#define ENGINE_TOKEN_NORMALISE_H

#include "engine/token/charsmap.h"
#include "engine/token/marked.h"

enum normalise_kind {
    NORMALISE_NFC,
    NORMALISE_NFD,
    NORMALISE_NFKC,
    NORMALISE_NFKD,
    NORMALISE_LOWERCASE,
    NORMALISE_STRIP,         /* white space at the ends: left, right */
    NORMALISE_STRIP_ACCENTS, /* every mark */
    NORMALISE_REPLACE,       /* matches of `text` by `content` */
    NORMALISE_PREPEND,       /* `content`, to a text that is not empty */
    NORMALISE_CHARSMAP,      /* by clusters of characters, as tokenizers does */
    NORMALISE_SENTENCEPIECE, /* its whole normaliser: charsmap, prefix, squeeze; a space stands for U+2581 */
};

struct normalise_step {
    enum normalise_kind kind;
    struct view text, content;
    bool literal; /* `text` is no expression */
    bool left, right;
    struct charsmap charsmap;  /* n_units = 0: none */
    bool prefix, suffix;       /* a space in front, or at the end */
    bool squeeze;              /* runs of spaces become one, those at the ends none */
    const struct added *keeps; /* texts that stay as they are, or NULL */
};

enum { NORMALISE_MAX_STEPS = 16 };

struct normaliser;

bool normalise_open(struct normaliser **out, const struct normalise_step *steps, size_t n,
                    struct status *st) STATUS_MUST_USE;
void normalise_close(struct normaliser *n); /* NULL is fine */

/* The first step with a charsmap, or NULL. */
const struct normalise_step *normalise_charsmap(const struct normaliser *n);

struct normalise_work {
    struct marked texts[2]; /* steps write to them in turn */
    int32_t *characters;
    uint64_t *order;
    size_t room;
};
void normalise_work_free(struct normalise_work *work);

/* *out = the text rewritten, in the work's memory or, when nothing was to be done, where it was. A byte is a
 * user's when what it came from was, even in part. */
bool normalise(struct marked_view *out, const struct normaliser *n, struct marked_view in,
               struct normalise_work *work, struct status *st) STATUS_MUST_USE;

#endif
