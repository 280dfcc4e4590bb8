/* rotary: the tables of rotary position embedding (Su et al., arXiv:2104.09864).
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

struct rotary {
    size_t dims;           /* of a head that rotate, even */
    double base;           /* frequency of pair i is base^(-2i / dims) */
    double factor;         /* linear scaling: positions are divided by it; 1: none */
    const float *divisors; /* [dims / 2] of the frequencies (rope_freqs.weight of Llama 3), or NULL */
};

struct rotary_tables {
    float *cos, *sin;  /* [context][half]: computed in f64 and rounded to f32 once */
    double *frequency; /* [half] radians a position */
    size_t half, context;
    size_t n; /* rows that are filled */
};

/* Tables for `context` positions, none of them filled. */
bool rotary_open(struct rotary_tables **out, struct arena *arena, size_t context, const struct rotary *rotary,
                 struct status *st) STATUS_MUST_USE;

/* Fills the rows of positions [0, n) that are not yet; n is at most context. */
void rotary_reach(struct rotary_tables *tables, size_t n);

#endif
