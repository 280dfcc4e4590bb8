#include "engine/model/rotary.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>

static double between(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* The pair, as a number with a fraction, that turns so often within `original`. */
static double yarn_pair(const struct rotary *r, double turns) {
    return (double)r->dims * log(r->original / (turns * 2 * acos(-1.0))) / (2 * log(r->base));
}

static double yarn(const struct rotary *r, double frequency, size_t i) {
    double low = yarn_pair(r, r->fast), high = yarn_pair(r, r->slow), last = (double)r->dims - 1;
    if (!r->smooth) low = floor(low), high = ceil(high);
    low = between(low, 0, last), high = between(high, 0, last);
    double ramp = between(((double)i - low) / (high > low ? high - low : 0.001), 0, 1);
    return frequency / r->factor * ramp + frequency * (1 - ramp);
}

static double frequency_of(const struct rotary *r, size_t i) {
    double frequency = pow(r->base, -2.0 * (double)i / (double)r->dims);
    if (r->divisors) frequency /= (double)r->divisors[i];
    return r->rule == ROTARY_YARN ? yarn(r, frequency, i) : frequency / r->factor;
}

bool rotary_open(struct rotary_tables **out, struct arena *arena, size_t context, const struct rotary *rotary,
                 struct status *st) {
    size_t half = rotary->dims / 2, n;
    if (!checked_mul(&n, context, half))
        return status_fail(st, STATUS_NO_MEMORY, "a context of %zu positions exceeds the address space",
                           context);
    struct rotary_tables *t = *out = arena_alloc(arena, 1, sizeof *t, st);
    if (!t) return false;
    t->half = half;
    t->context = context;
    t->magnitude = rotary->magnitude;
    t->frequency = arena_alloc(arena, half, sizeof *t->frequency, st);
    t->cos = t->frequency ? arena_alloc(arena, n, sizeof *t->cos, st) : NULL;
    t->sin = t->cos ? arena_alloc(arena, n, sizeof *t->sin, st) : NULL;
    for (size_t i = 0; t->sin && i < half; i++) t->frequency[i] = frequency_of(rotary, i);
    return t->sin != NULL;
}

void rotary_reach(struct rotary_tables *t, size_t n) {
    assert(n <= t->context);
    for (; t->n < n; t->n++)
        for (size_t i = 0; i < t->half; i++) {
            double angle = (double)t->n * t->frequency[i];
            t->cos[t->n * t->half + i] = (float)(cos(angle) * t->magnitude);
            t->sin[t->n * t->half + i] = (float)(sin(angle) * t->magnitude);
        }
}
