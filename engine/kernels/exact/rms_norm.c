/* x / sqrt(mean(x^2) + eps) * w (Zhang and Sennrich, arXiv:1910.07467); order in exact.h. */
#include "engine/kernels/exact/dot.h"
#include "engine/kernels/exact/exact.h"

void EXACT(rms_norm)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rms_norm_task *t = &task->rms_norm;
    size_t width = t->in.width;
    for (size_t i = begin; i < end; i++) {
        const float *x = t->in.at + i * t->in.stride;
        float *out = t->out.at + i * t->out.stride;
        float inverse = 1 / sqrtf(dot_f32(x, x, width) / (float)width + t->eps);
        for (size_t j = 0; j < width; j++) out[j] = x[j] * inverse * t->weight[j];
    }
}
