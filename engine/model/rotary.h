/* rotary: the tables of rotary position embedding (Su et al., arXiv:2104.09864) and its scaling rules.
 *
 * Owns nothing; the tables lie in the arena. Trusts the caller's checks of struct rotary. Threads: a table is
 * filled by one thread while no backend runs.
 *
 * Rows are filled as positions are reached: a context of millions, true or a lie, costs neither memory nor
 * time before it is used.
 */
#ifndef ENGINE_MODEL_ROTARY_H
#define ENGINE_MODEL_ROTARY_H

#include "base/arena.h"

#include <stdbool.h>

enum rotary_rule {
    ROTARY_LINEAR, /* positions are divided by `factor`; 1: as they are */
    ROTARY_YARN,   /* fast pairs stay, slow ones are divided, those between in part (arXiv:2309.00071) */
};

struct rotary {
    size_t dims; /* of a head that rotate, even */
    double base; /* frequency of pair i is base^(-2i / dims) */
    enum rotary_rule rule;
    double factor, original; /* original: positions the model was first trained for */
    double fast, slow;       /* YaRN: turns within `original` */
    bool smooth;             /* YaRN: its limits are not rounded to whole pairs */
    double magnitude;        /* cos and sin are multiplied by it; 1 but for YaRN and longrope */
    const float *divisors;   /* [dims / 2] of the frequencies (rope_freqs.weight, longrope), or NULL */
};

struct rotary_tables {
    float *cos, *sin;  /* [context][half]: computed in f64 and rounded to f32 once */
    double *frequency; /* [half] radians a position */
    double magnitude;
    size_t half, context;
    size_t n; /* rows that are filled */
};

/* Tables for `context` positions, none of them filled. */
bool rotary_open(struct rotary_tables **out, struct arena *arena, size_t context, const struct rotary *rotary,
                 struct status *st) STATUS_MUST_USE;

/* Fills the rows of positions [0, n) that are not yet; n is at most context. */
void rotary_reach(struct rotary_tables *tables, size_t n);

#endif
