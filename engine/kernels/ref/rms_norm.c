/* x / sqrt(mean(x^2) + eps) * w (Zhang and Sennrich, arXiv:1910.07467), of a whole row or of each head. */
#include "engine/kernels/kernel.h"

#include <math.h>

static void norm(float *out, const float *x, const struct rms_norm_task *t) {
    double sum = 0;
    for (size_t j = 0; j < t->dim; j++) sum += (double)x[j] * (double)x[j];
    double root = sqrt(sum / (double)t->dim + (double)t->eps);
    for (size_t j = 0; j < t->dim; j++) out[j] = (float)((double)x[j] / root * (double)t->weight[j]);
}

void rms_norm_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rms_norm_task *t = &task->rms_norm;
    size_t in = t->in.width / t->n_heads, out = t->out.width / t->n_heads;
    for (size_t i = begin; i < end; i++)
        for (size_t h = 0; h < t->n_heads; h++)
            norm(t->out.at + i * t->out.stride + h * out, t->in.at + i * t->in.stride + h * in, t);
}
