/* Rotary position embedding (Su et al., arXiv:2104.09864). */
#include "engine/kernels/exact/exact.h"

static void rotate_pairs(float *out, const float *in, size_t n, const float *cos, const float *sin) {
    for (size_t i = 0; i < n; i++) {
        float a = in[2 * i], b = in[2 * i + 1];
        out[2 * i] = a * cos[i] - b * sin[i];
        out[2 * i + 1] = a * sin[i] + b * cos[i];
    }
}

static void rotate_halves(float *out, const float *in, size_t n, const float *cos, const float *sin) {
    for (size_t i = 0; i < n; i++) {
        float a = in[i], b = in[i + n];
        out[i] = a * cos[i] - b * sin[i];
        out[i + n] = a * sin[i] + b * cos[i];
    }
}

void EXACT(rope)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rope_task *t = &task->rope;
    const struct tokens *tokens = task->tokens;
    size_t n = t->dims / 2, in = t->in.width / t->n_heads, out = t->out.width / t->n_heads;
    for (size_t i = begin; i < end; i++) {
        size_t at = (size_t)tokens->positions[i] * n, which = tokens->extended && tokens->extended[i];
        for (size_t h = 0; h < t->n_heads; h++)
            (t->halves ? rotate_halves : rotate_pairs)(t->out.at + i * t->out.stride + h * out + t->out_at,
                                                       t->in.at + i * t->in.stride + h * in + t->in_at, n,
                                                       t->cos[which] + at, t->sin[which] + at);
    }
}
