/* out = in * weights' for weights in Q4_K. */
#include "engine/kernels/exact/linear_quant.h"

void EXACT(linear_q4_k)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_quant(task, begin, end, PANEL_Q4_K, scratch);
}
