/* gpt-oss's gate: gate at most `limit`, up within it on both sides, then gate * sigmoid(alpha * gate) * (up +
 * 1) (openai/gpt-oss, gpt_oss/torch/model.py). */
#include "engine/kernels/kernel.h"

#include <math.h>

void swiglu_clamped_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct swiglu_task *t = &task->swiglu;
    double alpha = (double)t->alpha, limit = (double)t->limit;
    for (size_t i = begin; i < end; i++) {
        const float *gate = t->gate.at + i * t->gate.stride, *up = t->up.at + i * t->up.stride;
        float *out = t->out.at + i * t->out.stride;
        for (size_t j = 0; j < t->out.width; j++) {
            double g = (double)gate[j], u = (double)up[j];
            g = g > limit ? limit : g; /* a NaN stays */
            u = u > limit ? limit : u < -limit ? -limit : u;
            out[j] = (float)(g / (1 + exp(-alpha * g)) * (u + 1));
        }
    }
}
