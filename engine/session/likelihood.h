/* likelihood: how well logits foresee a text, and how far two models' logits are apart.
 *
 * Owns:    struct divergence its list of values. Trusts: nothing; a NaN makes the result a NaN.
 * Threads: any; one struct, one thread.
 *
 * Sums are doubles over float logits: log softmax as logit - max - log(sum of exp(logit - max)).
 */
#ifndef ENGINE_SESSION_LIKELIHOOD_H
#define ENGINE_SESSION_LIKELIHOOD_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Surprises, -log p of the token that came, in nats. */
struct likelihood {
    double sum, squares;
    size_t n;
};
void likelihood_add(struct likelihood *l, const float *logits, size_t n_vocab, int32_t came);

double likelihood_perplexity(const struct likelihood *l); /* exp of the mean */
double likelihood_error(const struct likelihood *l);      /* of the perplexity: its standard error */

/* Kullback-Leibler divergences of rows of logits from those of a base, D(base || other), in nats. */
struct divergence {
    double *values;
    size_t n, room, n_same_top;
};
bool divergence_add(struct divergence *d, const float *base, const float *other, size_t n_vocab,
                    struct status *st) STATUS_MUST_USE;
void divergence_free(struct divergence *d);

double divergence_mean(const struct divergence *d);
double divergence_error(const struct divergence *d); /* standard error of the mean */
/* Sorts the values; the share in [0, 1]: 0.5 is the median, 1 the largest. */
double divergence_quantile(struct divergence *d, double share);
double divergence_same_top(
    const struct divergence *d); /* share of rows whose most likely token is the same */

#endif
