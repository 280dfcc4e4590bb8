/* out *= sigmoid(gate): value by value, or all of a row by one. */
#include "engine/kernels/kernel.h"

#include <math.h>

void sigmoid_gate_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct sigmoid_gate_task *t = &task->sigmoid_gate;
    size_t dim = t->out.width / t->n_heads, part = t->gate.width / t->n_heads;
    for (size_t i = begin; i < end; i++)
        for (size_t h = 0; h < t->n_heads; h++) {
            const float *gate = t->gate.at + i * t->gate.stride + h * part + t->at;
            float *out = t->out.at + i * t->out.stride + h * dim;
            for (size_t j = 0; j < dim; j++)
                out[j] = (float)((double)out[j] / (1 + exp(-(double)gate[part == 1 ? 0 : j])));
        }
}
