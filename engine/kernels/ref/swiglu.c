/* silu(gate) * up, silu(x) = x / (1 + exp(-x)) (Shazeer, arXiv:2002.05202). */
#include "engine/kernels/kernel.h"

#include <math.h>

void swiglu_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct swiglu_task *t = &task->swiglu;
    for (size_t i = begin; i < end; i++) {
        const float *gate = t->gate.at + i * t->gate.stride, *up = t->up.at + i * t->up.stride;
        float *out = t->out.at + i * t->out.stride;
        for (size_t j = 0; j < t->out.width; j++) {
            double g = (double)gate[j];
            out[j] = (float)(g / (1 + exp(-g)) * (double)up[j]);
        }
    }
}
