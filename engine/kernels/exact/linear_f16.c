/* out = in * weights' for weights in F16. */
#include "engine/kernels/exact/linear_float.h"

FLOAT_TILES(memory, DTYPE_F16, true)
FLOAT_TILES(slab, DTYPE_F32, false)

void EXACT(linear_f16)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_float(task, begin, end, DTYPE_F16, memory_tiles, slab_tiles, scratch);
}
