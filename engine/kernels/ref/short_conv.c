/* Causal convolution of each channel with the last `taps` of its inputs, then silu: the mixing in front of a
 * linear attention (Mamba, arXiv:2312.00752, section 3.4). Tokens of a sequence come in order, so the inputs
 * before a token are the state. */
#include "engine/kernels/kernel.h"

#include <math.h>
#include <string.h>

static float convolve(const struct short_conv_task *t, float *past, size_t channel, float x) {
    const float *weight = t->weight + channel * t->taps;
    size_t n = t->taps - 1;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)weight[i] * (double)past[i];
    sum += (double)weight[n] * (double)x;
    if (n) memmove(past, past + 1, (n - 1) * sizeof *past), past[n - 1] = x;
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
        if (task->tokens->positions[i] == 0 && last > first)
            memset(state + first * n, 0, (last - first) * n * sizeof *state);
        for (size_t c = first; c < last; c++) out[c] = convolve(t, state + c * n, c, in[c]);
    }
}
