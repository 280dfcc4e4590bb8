/* (x - mean) / sqrt(variance + eps) * w + b (Ba, Kiros and Hinton, arXiv:1607.06450). */
#include "engine/kernels/kernel.h"

#include <math.h>

static void norm(float *out, const float *x, const struct layer_norm_task *t) {
    size_t n = t->in.width;
    double sum = 0, squares = 0;
    for (size_t j = 0; j < n; j++) sum += (double)x[j];
    double mean = sum / (double)n;
    for (size_t j = 0; j < n; j++) squares += ((double)x[j] - mean) * ((double)x[j] - mean);
    double root = sqrt(squares / (double)n + (double)t->eps);
    for (size_t j = 0; j < n; j++)
        out[j] = (float)(((double)x[j] - mean) / root * (double)t->weight[j] + (double)t->bias[j]);
}

void layer_norm_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct layer_norm_task *t = &task->layer_norm;
    for (size_t i = begin; i < end; i++) norm(t->out.at + i * t->out.stride, t->in.at + i * t->in.stride, t);
}
