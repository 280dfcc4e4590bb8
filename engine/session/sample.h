/* sample: from logits to the next id.
 *
 * Owns:    a sampler its tables, allocated once.
 * Trusts:  nothing: a NaN is no largest and has no probability.
 * Threads: one sampler, one thread; sample_greedy any.
 *
 * The order is that of transformers' generation: penalties, temperature, then the top k, the top p and the
 * min p of what is left. A draw depends on the seed, on how many came before and on the logits, on nothing
 * else, so the same seed gives the same text whatever the threads and the batch.
 */
#ifndef ENGINE_SESSION_SAMPLE_H
#define ENGINE_SESSION_SAMPLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The index of the largest of n > 0 logits, the lowest index on ties; 0 when none is above minus infinity.
 * *margin (may be NULL) = largest - second largest, 0 on ties, infinite when there is no second. */
int32_t sample_greedy(const float *logits, size_t n, float *margin);

struct sample_options {
    double temperature; /* logits are divided by it; 0: the most likely id, always */
    size_t top_k;       /* the k most likely ids; 0: all */
    double top_p; /* the fewest most likely ids whose probabilities reach p (arXiv:1904.09751); 1: all */
    double min_p; /* ids at least p times as likely as the most likely one (arXiv:2407.01082); 0: all */
    /* Ids among the last `window` that were seen: a positive logit is divided by `repeat`, a negative one
     * multiplied (arXiv:1909.05858); then `frequency` is taken off for each time and `presence` once. */
    double repeat, frequency, presence;
    size_t window;
    uint64_t seed;
};

/* Greedy, and nothing is penalised: what is changed from here is asked for. */
struct sample_options sample_defaults(void);

struct sample_candidate;

struct sampler {
    struct sample_options options;
    size_t n_vocab;
    float *logits; /* [n_vocab] scratch */
    struct sample_candidate *candidates;
    int32_t *recent; /* [window] a ring, and [window] scratch */
    size_t n_seen;
    uint64_t n_drawn;
};

bool sample_open(struct sampler *s, const struct sample_options *options, size_t n_vocab,
                 struct status *st) STATUS_MUST_USE;
void sample_close(struct sampler *s);

/* Tells it an id of the text, prompt or reply, for the penalties. */
void sample_seen(struct sampler *s, int32_t id);

/* *id = the next one. False when no logit is a number above minus infinity. */
bool sample_next(int32_t *id, struct sampler *s, const float *logits) STATUS_MUST_USE;

/* For tests: draw number `n` of a seed, in [0, 1). */
double sample_uniform(uint64_t seed, uint64_t n);

#endif
