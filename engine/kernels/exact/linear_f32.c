/* out = in * weights' for weights in F32. */
#include "engine/kernels/exact/linear_float.h"

FLOAT_TILES(memory, DTYPE_F32, true)
FLOAT_TILES(slab, DTYPE_F32, false)

void EXACT(linear_f32)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_float(task, begin, end, DTYPE_F32, memory_tiles, slab_tiles, scratch);
}
