/* out = in * weights' for weights in Q8_0. */
#include "engine/kernels/exact/linear_quant.h"

void EXACT(linear_q8_0)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_quant(task, begin, end, PANEL_Q8_0, scratch);
}
