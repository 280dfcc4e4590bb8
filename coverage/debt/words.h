/* words: names as the words that people read in them: "RMSNormKernel", "k_rms_norm" and "rms-norm" share
 * some.
 *
 * Owns:    the text of struct words; words_free.
 * Trusts:  nothing.
 * Threads: any.
 */
#ifndef COVERAGE_DEBT_WORDS_H
#define COVERAGE_DEBT_WORDS_H

#include "base/str.h"

enum { WORDS_LIMIT = 64, WORDS_JOINED = 4 };

/* Lower case, cut where letters and other characters meet, and before a capital that begins a word. */
struct words {
    struct str text;                           /* the words, each ended by a NUL */
    size_t at[WORDS_LIMIT];                    /* where each begins in `text` */
    size_t from[WORDS_LIMIT], to[WORDS_LIMIT]; /* and where it stands in the name */
    size_t n;
};

void words_read(struct words *words, struct view name);
void words_free(struct words *words);

/* Appends words without what stands between them: "rms-norm" gives "rmsnorm". */
void words_join(struct str *out, const struct words *words, size_t first, size_t n);

/* Do up to WORDS_JOINED words that stand together say `joined`? Then [*from, *to) is where, in the name. */
bool words_say(size_t *from, size_t *to, const struct words *words, const char *joined);

#endif
