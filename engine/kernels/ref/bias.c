/* out += bias. One rounding: this is every lane's. */
#include "engine/kernels/kernel.h"

void bias_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct bias_task *t = &task->bias;
    for (size_t i = begin; i < end; i++) {
        float *out = t->out.at + i * t->out.stride;
        for (size_t j = 0; j < t->out.width; j++) out[j] += t->bias[j];
    }
}
