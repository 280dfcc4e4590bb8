/* out = in * weights' for weights in IQ4_NL. */
#include "engine/kernels/exact/linear_quant.h"

void EXACT(linear_iq4_nl)(const struct task *task, size_t begin, size_t end, void *scratch) {
    linear_quant(task, begin, end, PANEL_IQ4_NL, scratch);
}
