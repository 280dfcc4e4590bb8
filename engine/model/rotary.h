/* rotary: the tables of rotary position embedding (Su et al., arXiv:2104.09864).
 *
 * Owns nothing; the tables lie in the arena. Trusts the caller's checks of struct rotary. Any thread.
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

/* cos and sin of every angle, [context][dims / 2], computed in f64 and rounded to f32 once. */
bool rotary_tables(const float **out_cos, const float **out_sin, struct arena *arena, size_t context,
                   const struct rotary *rotary, struct status *st) STATUS_MUST_USE;

#endif
