#include "engine/model/rope.h"

#include "base/checked.h"

#include <math.h>

bool rope_tables(const float **out_cos, const float **out_sin, struct arena *arena, size_t context,
                 const struct rope *rope, struct status *st) {
    size_t half = rope->dims / 2, n;
    if (!checked_mul(&n, context, half))
        return status_fail(st, STATUS_NO_MEMORY, "a context of %zu positions exceeds the address space",
                           context);
    float *cosines = arena_alloc(arena, n, sizeof *cosines, st);
    float *sines = cosines ? arena_alloc(arena, n, sizeof *sines, st) : NULL;
    double *frequency = sines ? arena_alloc(arena, half, sizeof *frequency, st) : NULL;
    if (!frequency) return false;
    for (size_t i = 0; i < half; i++) {
        frequency[i] = pow(rope->base, -2.0 * (double)i / (double)rope->dims) / rope->factor;
        if (rope->divisors) frequency[i] /= (double)rope->divisors[i];
    }
    for (size_t position = 0; position < context; position++)
        for (size_t i = 0; i < half; i++) {
            double angle = (double)position * frequency[i];
            cosines[position * half + i] = (float)cos(angle);
            sines[position * half + i] = (float)sin(angle);
        }
    *out_cos = cosines;
    *out_sin = sines;
    return true;
}
