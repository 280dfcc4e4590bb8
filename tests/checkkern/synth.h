/* synth: numbers and weights for tests, the same in every run.
 *
 * Owns:    nothing; memory comes from the caller's arena, which aborts the test when it is exhausted.
 * Trusts:  the caller for shapes.
 * Threads: one generator, one thread.
 */
#ifndef TESTS_CHECKKERN_SYNTH_H
#define TESTS_CHECKKERN_SYNTH_H

#include "base/arena.h"
#include "engine/tensor/dtype.h"

#include <stdint.h>

/* What the numbers are like. */
enum synth_kind {
    SYNTH_UNIFORM, /* (-1, 1) */
    SYNTH_ZEROS,
    SYNTH_EXTREMES,         /* weights: the ends of the block format's quants; activations: +-1 */
    SYNTH_OUTLIER,          /* one value in a row is 1000 times the others */
    SYNTH_SUBNORMAL,        /* f32 numbers are subnormal; block formats as SYNTH_UNIFORM */
    SYNTH_SUBNORMAL_SCALES, /* halves are subnormal: scales of block formats, and F16; f32 as SYNTH_UNIFORM */
    SYNTH_KINDS,
};

const char *synth_kind_name(enum synth_kind kind);

struct synth {
    uint64_t state;
};

uint32_t synth_bits(struct synth *s);
float synth_unit(struct synth *s); /* uniform in (-1, 1) */

float *synth_floats(struct arena *arena, struct synth *s, enum synth_kind kind, size_t n_rows, size_t width);

/* [n_rows][n_cols] in the type's own format. */
void *synth_weights(struct arena *arena, struct synth *s, enum synth_kind kind, enum dtype type,
                    size_t n_rows, size_t n_cols);

/* n items of `size` bytes, zeroed. */
void *synth_alloc(struct arena *arena, size_t n, size_t size);

#endif
