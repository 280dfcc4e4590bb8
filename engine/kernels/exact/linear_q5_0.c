/* out = in * weights' for weights in Q5_0. */
#include "engine/kernels/exact/linear_quant.h"

void EXACT(linear_q5_0)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_quant(task, begin, end, PANEL_Q5_0, scratch);
}
