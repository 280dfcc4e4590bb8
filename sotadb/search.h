/* search: words over everything that the matrix says, best row first.
 *
 * Owns:    nothing.
 * Trusts:  the matrix; the words are from outside.
 * Threads: any.
 *
 * A word counts where it is found: as a whole word more than as the start of one, and that more than inside;
 * in a slug more than in a title, and so on down to the fine print. Case does not count, and blank, '_' and
 * '-' are one.
 */
#ifndef SOTADB_SEARCH_H
#define SOTADB_SEARCH_H

#include "sotadb/matrix.h"

struct search_hit {
    const struct op *op;     /* one of the two is set */
    const struct rung *rung; /* a rung of a ladder, or a branch beside one */
    int score;
    const char *field; /* where the word that counted most was found: "title", "alias" ... */
};

/* The rows that hold every one of the words (or, with `any`, at least one), best first, ties in the order of
 * the matrix: operations before rungs. Fills at most `room`, returns how many there are. Quadratic in the
 * number of hits, which is small. */
size_t search_matrix(const struct matrix *m, const char *const *words, size_t n_words, bool any,
                     struct search_hit *out, size_t room);

#endif
