/* out = in * weights' for weights in MXFP4. */
#include "engine/kernels/exact/linear_quant.h"

void EXACT(linear_mxfp4)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_quant(task, begin, end, PANEL_MXFP4, scratch);
}
