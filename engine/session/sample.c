#include "engine/session/sample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t sample_greedy(const float *logits, size_t n, float *margin) {
    assert(n > 0 && n <= INT32_MAX);
    size_t best = 0;
    float first = -INFINITY, second = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (logits[i] > first) {
            second = first;
            first = logits[i];
            best = i;
        } else if (logits[i] > second) {
            second = logits[i];
        }
    }
    if (margin) *margin = first > second ? first - second : 0.0F;
    return (int32_t)best;
}

/* --- a sampler ----------------------------------------------------------------------------------------- */

struct sample_candidate {
    double weight; /* its probability, up to a factor that all share */
    int32_t id;
};

struct sample_options sample_defaults(void) {
    return (struct sample_options){.top_p = 1, .repeat = 1, .window = 64};
}

bool sample_open(struct sampler *s, const struct sample_options *options, size_t n_vocab, struct status *st) {
    *s = (struct sampler){.options = *options, .n_vocab = n_vocab};
    s->logits = calloc(n_vocab, sizeof *s->logits);
    s->candidates = calloc(n_vocab, sizeof *s->candidates);
    s->recent = calloc(2 * options->window + 1, sizeof *s->recent); /* the ring, and as much scratch */
    if (s->logits && s->candidates && s->recent) return true;
    sample_close(s);
    return status_fail(st, STATUS_NO_MEMORY, "out of memory for sampling from %zu ids", n_vocab);
}

void sample_close(struct sampler *s) {
    free(s->logits);
    free(s->candidates);
    free(s->recent);
    *s = (struct sampler){0};
}

void sample_seen(struct sampler *s, int32_t id) {
    if (s->options.window) s->recent[s->n_seen++ % s->options.window] = id;
}

/* --- penalties ----------------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void penalise_one(struct sampler *s, int32_t id, size_t count) {
    const struct sample_options *o = &s->options;
    if (id < 0 || (size_t)id >= s->n_vocab) return;
    double logit = (double)s->logits[id];
    logit = logit > 0 ? logit / o->repeat : logit * o->repeat;
    s->logits[id] = (float)(logit - o->frequency * (double)count - o->presence);
}

static void penalise(struct sampler *s) {
    const struct sample_options *o = &s->options;
    size_t n = s->n_seen < o->window ? s->n_seen : o->window;
    if (n == 0 || (o->repeat == 1 && o->frequency == 0 && o->presence == 0)) return;
    int32_t *ids = s->recent + o->window;
    memcpy(ids, s->recent, n * sizeof *ids);
    qsort(ids, n, sizeof *ids, by_id);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && ids[end] == ids[i];) end++;
        penalise_one(s, ids[i], end - i);
    }
}

/* --- drawing ------------------------------------------------------------------------------------------- */

/* The most likely first; of two alike, the lower id. */
static int by_weight(const void *a, const void *b) {
    const struct sample_candidate *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Weights relative to the largest; what is no number has none. */
static size_t weigh(struct sampler *s, float largest) {
    size_t n = 0;
    for (size_t i = 0; i < s->n_vocab; i++) {
        double weight = exp(((double)s->logits[i] - (double)largest) / s->options.temperature);
        if (weight > 0) s->candidates[n++] = (struct sample_candidate){weight, (int32_t)i};
    }
    return n;
}

static double total(const struct sampler *s, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += s->candidates[i].weight;
    return sum;
}

/* How many of n sorted candidates the top p and the min p leave: at least one. */
static size_t cut(const struct sampler *s, size_t n) {
    const struct sample_options *o = &s->options;
    double sum = 0, enough = o->top_p * total(s, n), least = o->min_p * s->candidates[0].weight;
    size_t kept = o->top_p < 1 ? 0 : n;
    while (kept < n && (kept == 0 || sum < enough)) sum += s->candidates[kept++].weight;
    while (kept > 1 && s->candidates[kept - 1].weight < least) kept--;
    return kept;
}

/* splitmix64 (Steele, Lea, Flood 2014) of a counter. */
double sample_uniform(uint64_t seed, uint64_t n) {
    uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static int32_t draw(struct sampler *s, size_t n) {
    double left = sample_uniform(s->options.seed, s->n_drawn++) * total(s, n);
    for (size_t i = 0; i + 1 < n; i++) {
        left -= s->candidates[i].weight;
        if (left < 0) return s->candidates[i].id;
    }
    return s->candidates[n - 1].id;
}

bool sample_next(int32_t *id, struct sampler *s, const float *logits) {
    const struct sample_options *o = &s->options;
    memcpy(s->logits, logits, s->n_vocab * sizeof *logits);
    penalise(s);
    *id = sample_greedy(s->logits, s->n_vocab, NULL);
    float largest = s->logits[*id];
    if (!(largest > -INFINITY)) return false;
    if (o->temperature <= 0 || largest == INFINITY) return true;
    size_t n = weigh(s, largest);
    if (o->top_k || o->top_p < 1 || o->min_p > 0) {
        qsort(s->candidates, n, sizeof *s->candidates, by_weight);
        if (o->top_k && o->top_k < n) n = o->top_k;
        n = cut(s, n);
    }
    *id = draw(s, n);
    return true;
}
