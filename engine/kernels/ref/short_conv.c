/* Causal convolution of each channel with the last `taps` of its inputs, then silu: the mixing in front of a
 * linear attention (Mamba, arXiv:2312.00752, section 3.4). Tokens of a sequence come in order, so the inputs
 * before a token are the state. */
#include "engine/kernels/kernel.h"

#include <math.h>
#include <string.h>

/* `past` is the channel's oldest input, the next is `width` further on. */
static float convolve(const struct short_conv_task *t, float *past, size_t channel, float x) {
    const float *weight = t->weight + channel * t->taps;
    size_t n = t->taps - 1, width = t->in.width;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)weight[i] * (double)past[i * width];
    sum += (double)weight[n] * (double)x;
    for (size_t i = 0; i < n; i++) past[i * width] = i + 1 < n ? past[(i + 1) * width] : x;
    return (float)(sum / (1 + exp(-sum)));
}

void short_conv_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct short_conv_task *t = &task->short_conv;
    size_t first = begin * LINEAR_ROWS, last = end * LINEAR_ROWS, n = t->taps - 1;
    if (last > t->in.width) last = t->in.width;
    for (size_t i = 0; i < task->n; i++) {
        float *state = state_of(&t->state, task->tokens, i);
        const float *in = t->in.at + i * t->in.stride;
        float *out = t->out.at + i * t->out.stride;
        for (size_t tap = 0; task->tokens->positions[i] == 0 && last > first && tap < n; tap++)
            memset(state + tap * t->in.width + first, 0, (last - first) * sizeof *state);
        for (size_t c = first; c < last; c++) out[c] = convolve(t, state + c, c, in[c]);
    }
}
