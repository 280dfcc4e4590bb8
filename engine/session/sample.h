/* sample: from logits to the next id.
 *
 * Owns nothing. Trusts nothing: a NaN is no largest. Any thread.
 */
#ifndef ENGINE_SESSION_SAMPLE_H
#define ENGINE_SESSION_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* The index of the largest of n > 0 logits, the lowest index on ties; 0 when none is above minus infinity.
 * *margin (may be NULL) = largest - second largest, 0 on ties, infinite when there is no second. */
int32_t sample_greedy(const float *logits, size_t n, float *margin);

#endif
