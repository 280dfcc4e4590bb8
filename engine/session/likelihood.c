#include "engine/session/likelihood.h"

#include "base/checked.h"
#include "engine/session/sample.h"

#include <math.h>
#include <stdlib.h>

/* log of the sum of exp(logits), and the largest of them taken out for the sake of range. */
static double log_sum(const float *logits, size_t n, double *largest) {
    double sum = 0;
    *largest = (double)logits[sample_greedy(logits, n, NULL)];
    for (size_t i = 0; i < n; i++) sum += exp((double)logits[i] - *largest);
    return log(sum);
}

void likelihood_add(struct likelihood *l, const float *logits, size_t n_vocab, int32_t came) {
    double largest, sum = log_sum(logits, n_vocab, &largest);
    double surprise = largest + sum - (double)logits[came];
    l->sum += surprise;
    l->squares += surprise * surprise;
    l->n++;
}

double likelihood_perplexity(const struct likelihood *l) { return exp(l->sum / (double)l->n); }

static double standard_error(double sum, double squares, size_t n) {
    double mean = sum / (double)n, variance = squares / (double)n - mean * mean;
    return n > 1 && variance > 0 ? sqrt(variance / (double)(n - 1)) : 0;
}

double likelihood_error(const struct likelihood *l) {
    return standard_error(l->sum, l->squares, l->n) * likelihood_perplexity(l);
}

bool divergence_add(struct divergence *d, const float *base, const float *other, size_t n_vocab,
                    struct status *st) {
    if (d->n == d->room) {
        size_t room = d->room ? 2 * d->room : 1024, bytes;
        double *values = checked_mul(&bytes, room, sizeof *values) ? realloc(d->values, bytes) : NULL;
        if (!values) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu divergences", room);
        d->values = values;
        d->room = room;
    }
    double base_largest, other_largest, sum = 0;
    double base_log = log_sum(base, n_vocab, &base_largest) + base_largest;
    double other_log = log_sum(other, n_vocab, &other_largest) + other_largest;
    for (size_t i = 0; i < n_vocab; i++) {
        double p = (double)base[i] - base_log, q = (double)other[i] - other_log;
        if (p > -700) sum += exp(p) * (p - q); /* below, exp(p) is nothing */
    }
    d->values[d->n++] = sum > 0 || sum != sum ? sum : 0; /* rounding may leave less than nothing */
    d->n_same_top += sample_greedy(base, n_vocab, NULL) == sample_greedy(other, n_vocab, NULL);
    return true;
}

void divergence_free(struct divergence *d) {
    free(d->values);
    *d = (struct divergence){0};
}

double divergence_mean(const struct divergence *d) {
    double sum = 0;
    for (size_t i = 0; i < d->n; i++) sum += d->values[i];
    return sum / (double)d->n;
}

double divergence_error(const struct divergence *d) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < d->n; i++) sum += d->values[i], squares += d->values[i] * d->values[i];
    return standard_error(sum, squares, d->n);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double divergence_quantile(struct divergence *d, double share) {
    qsort(d->values, d->n, sizeof *d->values, by_size);
    size_t i = (size_t)(share * (double)(d->n - 1) + 0.5);
    return d->values[i];
}

double divergence_same_top(const struct divergence *d) { return (double)d->n_same_top / (double)d->n; }
