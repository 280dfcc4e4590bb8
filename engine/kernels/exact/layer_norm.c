/* (x - mean) / sqrt(variance + eps) * w + b (Ba, Kiros and Hinton, arXiv:1607.06450): mean = sum / width,
 * inverse = 1 / sqrt(sum of (x - mean)^2 / width + eps), out = fma((x - mean) * inverse, w, b), sums as in
 * exact.h. */
#include "engine/kernels/exact/dot.h"
#include "engine/kernels/exact/exact.h"

/* LANES columns from `at` on, less the mean; those past the end are 0, so that they add nothing. */
VEC vec_f32 centred(const float *x, size_t n, size_t at, float mean) {
    if (at >= n) return (vec_f32){0};
    if (n - at >= LANES) return vec_load(x + at) - vec_splat(mean);
    float last[LANES] = {0};
    for (size_t j = 0; j < n - at; j++) last[j] = x[at + j] - mean;
    return vec_load(last);
}

VEC float sum_of(const float *x, size_t n, float mean, bool squares) {
    vec_f32 acc[PARTS] = {{0}};
    for (size_t i = 0; i < n; i += 16) VEC_UNROLL for (size_t part = 0; part < PARTS; part++) {
            vec_f32 d = centred(x, n, i + part * LANES, mean);
            acc[part] = squares ? vec_fma(d, d, acc[part]) : acc[part] + d;
        }
    float lanes[16];
    memcpy(lanes, acc, sizeof lanes);
    return lanes_sum(lanes);
}

VEC void norm(float *out, const float *x, const struct layer_norm_task *t) {
    size_t n = t->in.width, j = 0;
    float mean = sum_of(x, n, 0, false) / (float)n;
    float inverse = 1 / sqrtf(sum_of(x, n, mean, true) / (float)n + t->eps);
    for (; j + LANES <= n; j += LANES)
        vec_store(out + j, vec_fma((vec_load(x + j) - vec_splat(mean)) * vec_splat(inverse),
                                   vec_load(t->weight + j), vec_load(t->bias + j)));
    for (; j < n; j++) out[j] = fmaf((x[j] - mean) * inverse, t->weight[j], t->bias[j]);
}

void EXACT(layer_norm)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct layer_norm_task *t = &task->layer_norm;
    for (size_t i = begin; i < end; i++) norm(t->out.at + i * t->out.stride, t->in.at + i * t->in.stride, t);
}
