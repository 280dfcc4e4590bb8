/* out = in * weights' for weights in F16. */
#include "engine/kernels/exact/linear_float.h"

void EXACT(linear_f16)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    linear_float(task, begin, end, DTYPE_F16);
}
