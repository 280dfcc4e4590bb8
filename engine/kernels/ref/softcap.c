/* cap * tanh(x / cap) (Gemma 2, arXiv:2408.00118, section 2). */
#include "engine/kernels/kernel.h"

#include <math.h>

void softcap_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct softcap_task *t = &task->softcap;
    double cap = (double)t->cap;
    for (size_t i = begin; i < end; i++) {
        float *out = t->out.at + i * t->out.stride;
        for (size_t j = 0; j < t->out.width; j++) out[j] = (float)(cap * tanh((double)out[j] / cap));
    }
}
