/* The chosen experts' outputs, each times its weight, summed in the order of the choice. */
#include "engine/kernels/kernel.h"

void mix_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct mix_task *t = &task->mix;
    size_t width = t->out.width;
    for (size_t i = begin; i < end; i++) {
        const float *in = t->in.at + i * t->in.stride, *weights = t->weights.at + i * t->weights.stride;
        for (size_t j = 0; j < width; j++) {
            double sum = 0;
            for (size_t s = 0; s < t->weights.width; s++)
                sum += (double)weights[s] * (double)in[s * width + j];
            t->out.at[i * t->out.stride + j] = (float)sum;
        }
    }
}
