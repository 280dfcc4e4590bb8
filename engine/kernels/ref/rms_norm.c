/* x / sqrt(mean(x^2) + eps) * w (Zhang and Sennrich, arXiv:1910.07467). */
#include "engine/kernels/kernel.h"

#include <math.h>

void rms_norm_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rms_norm_task *t = &task->rms_norm;
    for (size_t i = begin; i < end; i++) {
        const float *x = t->in.at + i * t->in.stride;
        float *out = t->out.at + i * t->out.stride;
        double sum = 0;
        for (size_t j = 0; j < t->in.width; j++) sum += (double)x[j] * (double)x[j];
        double norm = sqrt(sum / (double)t->in.width + (double)t->eps);
        for (size_t j = 0; j < t->in.width; j++) out[j] = (float)((double)x[j] / norm * (double)t->weight[j]);
    }
}
