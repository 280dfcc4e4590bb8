/* out = in * weights' for weights in Q4_1. */
#include "engine/kernels/exact/linear_quant.h"

void EXACT(linear_q4_1)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_quant(task, begin, end, PANEL_Q4_1, scratch);
}
