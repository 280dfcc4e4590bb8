/* The chosen experts' outputs, each times its weight: sum = fma(weight, x, sum) from 0 in the order of the
 * choice. */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/vec.h"

/* `n` results, at most LANES. */
VEC vec_f32 mixed(const struct mix_task *t, const float *in, const float *weights, size_t n) {
    vec_f32 sum = {0};
    for (size_t s = 0; s < t->weights.width; s++, in += t->out.width)
        sum = vec_fma(vec_splat(weights[s]), n < LANES ? vec_load_some(in, n) : vec_load(in), sum);
    return sum;
}

void EXACT(mix)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct mix_task *t = &task->mix;
    size_t width = t->out.width;
    for (size_t i = begin; i < end; i++) {
        const float *in = t->in.at + i * t->in.stride, *weights = t->weights.at + i * t->weights.stride;
        float *out = t->out.at + i * t->out.stride;
        size_t j = 0;
        for (; j + LANES <= width; j += LANES) vec_store(out + j, mixed(t, in + j, weights, LANES));
        if (j < width) vec_store_some(out + j, mixed(t, in + j, weights, width - j), width - j);
    }
}
