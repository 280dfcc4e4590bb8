/* out = in * weights' for weights in Q3_K. */
#include "engine/kernels/exact/linear_quant.h"

void EXACT(linear_q3_k)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_quant(task, begin, end, PANEL_Q3_K, scratch);
}
