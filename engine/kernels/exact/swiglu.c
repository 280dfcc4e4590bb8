/* silu(gate) * up, silu(x) = x / (1 + exp(-x)) (Shazeer, arXiv:2002.05202). */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/gated.h"

VEC vec_f32 swiglu(vec_f32 gate, vec_f32 up, const struct swiglu_task *t) {
    (void)t;
    return vec_gated(gate, -gate) * up;
}

void EXACT(swiglu)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    gated_rows(task, begin, end, swiglu);
}
