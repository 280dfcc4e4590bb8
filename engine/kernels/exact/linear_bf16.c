/* out = in * weights' for weights in BF16. */
#include "engine/kernels/exact/linear_float.h"

FLOAT_TILES(memory, DTYPE_BF16, true)
FLOAT_TILES(slab, DTYPE_F32, false)

void EXACT(linear_bf16)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_float(task, begin, end, DTYPE_BF16, memory_tiles, slab_tiles, scratch);
}
