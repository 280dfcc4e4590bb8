#include "engine/model/rotary.h"

#include "base/checked.h"

#include <math.h>

bool rotary_tables(const float **out_cos, const float **out_sin, struct arena *arena, size_t context,
                   const struct rotary *rotary, struct status *st) {
    size_t half = rotary->dims / 2, n;
    if (!checked_mul(&n, context, half))
        return status_fail(st, STATUS_NO_MEMORY, "a context of %zu positions exceeds the address space",
                           context);
    float *cosines = arena_alloc(arena, n, sizeof *cosines, st);
    float *sines = cosines ? arena_alloc(arena, n, sizeof *sines, st) : NULL;
    double *frequency = sines ? arena_alloc(arena, half, sizeof *frequency, st) : NULL;
    if (!frequency) return false;
    for (size_t i = 0; i < half; i++) {
        frequency[i] = pow(rotary->base, -2.0 * (double)i / (double)rotary->dims) / rotary->factor;
        if (rotary->divisors) frequency[i] /= (double)rotary->divisors[i];
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
