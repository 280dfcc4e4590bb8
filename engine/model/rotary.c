#include "engine/model/rotary.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>

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
    t->frequency = arena_alloc(arena, half, sizeof *t->frequency, st);
    t->cos = t->frequency ? arena_alloc(arena, n, sizeof *t->cos, st) : NULL;
    t->sin = t->cos ? arena_alloc(arena, n, sizeof *t->sin, st) : NULL;
    for (size_t i = 0; t->sin && i < half; i++) {
        t->frequency[i] = pow(rotary->base, -2.0 * (double)i / (double)rotary->dims) / rotary->factor;
        if (rotary->divisors) t->frequency[i] /= (double)rotary->divisors[i];
    }
    return t->sin != NULL;
}

void rotary_reach(struct rotary_tables *t, size_t n) {
    assert(n <= t->context);
    for (; t->n < n; t->n++)
        for (size_t i = 0; i < t->half; i++) {
            double angle = (double)t->n * t->frequency[i];
            t->cos[t->n * t->half + i] = (float)cos(angle);
            t->sin[t->n * t->half + i] = (float)sin(angle);
        }
}
