/* sweep: every dimension of an op through the sizes where loops end, one after the other.
 *
 * Owns:    nothing.
 * Trusts:  the op is one of kernels.inc.
 * Threads: any.
 *
 * A dimension takes 1, 7, 15, 16, 17, 64, 255, 256, 257 and 4096 while the others stay at 64. Where that is
 * more than `most` products, the largest of the others are halved until it is not. A dimension that comes in
 * blocks (columns of a block format, pairs of rope) takes the nearest whole number of them, at least one: so
 * 64 columns of a K-quant are 256.
 */
#ifndef TESTS_CHECKKERN_SWEEP_H
#define TESTS_CHECKKERN_SWEEP_H

#include "tests/checkkern/trial.h"

/* The i-th shape, from 0, of the type, bits, kv and kind that `shape` has already; false when there are no
 * more. Rows lie apart in every second, in the others with the next kind of number. */
bool sweep_next_shape(struct trial_shape *shape, const char *op, size_t most, size_t i);

#endif
