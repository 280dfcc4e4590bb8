/* x / sqrt(mean(x^2) + eps) * w (Zhang and Sennrich, arXiv:1910.07467); order in exact.h. */
#include "engine/kernels/exact/dot.h"
#include "engine/kernels/exact/exact.h"

VEC void norm(float *out, const float *x, const struct rms_norm_task *t) {
    float inverse = 1 / sqrtf(dot_f32(x, x, t->dim) / (float)t->dim + t->eps);
    for (size_t j = 0; j < t->dim; j++) out[j] = x[j] * inverse * t->weight[j];
}

void EXACT(rms_norm)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rms_norm_task *t = &task->rms_norm;
    size_t in = t->in.width / t->n_heads, out = t->out.width / t->n_heads;
    for (size_t i = begin; i < end; i++)
        for (size_t h = 0; h < t->n_heads; h++)
            norm(t->out.at + i * t->out.stride + h * out, t->in.at + i * t->in.stride + h * in, t);
}
