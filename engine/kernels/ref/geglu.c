/* gelu(gate) * up by the tanh form of gelu (Hendrycks and Gimpel, arXiv:1606.08415): x/2 (1 + tanh(sqrt(2/pi)
 * (x + 0.044715 x^3))). */
#include "engine/kernels/kernel.h"

#include <math.h>

void geglu_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct swiglu_task *t = &task->swiglu;
    const double root = 0.79788456080286535588; /* sqrt(2 / pi) */
    for (size_t i = begin; i < end; i++) {
        const float *gate = t->gate.at + i * t->gate.stride, *up = t->up.at + i * t->up.stride;
        float *out = t->out.at + i * t->out.stride;
        for (size_t j = 0; j < t->out.width; j++) {
            double g = (double)gate[j];
            out[j] = (float)(0.5 * g * (1 + tanh(root * (g + 0.044715 * g * g * g))) * (double)up[j]);
        }
    }
}
