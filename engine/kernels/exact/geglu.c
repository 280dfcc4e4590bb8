/* gelu(gate) * up by the tanh form of gelu (Hendrycks and Gimpel, arXiv:1606.08415): x/2 (1 + tanh(y)) with y
 * = sqrt(2/pi) (x + 0.044715 x^3). As (1 + tanh(y)) / 2 is sigmoid(2 y), one exp does, and nothing is lost
 * where tanh comes near -1. */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/gated.h"

VEC vec_f32 geglu(vec_f32 gate, vec_f32 up, const struct swiglu_task *t) {
    const float root = 1.5957691216057308F; /* 2 sqrt(2 / pi) */
    (void)t;
    vec_f32 minus_2y = vec_fma(gate * gate, vec_splat(-0.044715F * root), vec_splat(-root)) * gate;
    return vec_gated(gate, minus_2y) * up;
}

void EXACT(geglu)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    gated_rows(task, begin, end, geglu);
}
