/* Causal convolution of each channel with the last `taps` of its inputs, then silu: the mixing in front of a
 * linear attention (Mamba, arXiv:2312.00752, section 3.4). sum = fma(weight, x, sum) from 0, the oldest input
 * first; out = sum / (1 + exp(-sum)).
 *
 * Channels are lanes. A group of them is taken through all tokens: weights are laid tap by tap once, past
 * inputs stay in the first cache for all tokens of a sequence, and a row of the batch is read by whole lines.
 */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/sigmoid.h"
#include "engine/kernels/transpose.h"

enum { GROUP = 8 * LINEAR_ROWS };

/* Channels [first, first + n) of the task, n <= GROUP. */
struct channels {
    const struct short_conv_task *task;
    size_t first, n;
    float *weights; /* [taps][GROUP] */
    float *past;    /* [taps - 1][GROUP], the oldest first */
};

/* Four channels of four taps. */
static void turn_quads(float *out, const float *in) {
    words channels[4];
    memcpy(channels, in, sizeof channels);
    transpose_words(out, GROUP, channels);
}

static void lay_weights(const struct channels *c) {
    const size_t taps = c->task->taps;
    const float *weight = c->task->weight + c->first * taps;
    size_t j = 0;
    for (; taps == 4 && j + 4 <= c->n; j += 4) turn_quads(c->weights + j, weight + j * taps);
    for (; j < c->n; j++)
        for (size_t tap = 0; tap < taps; tap++) c->weights[tap * GROUP + j] = weight[j * taps + tap];
}

static void load_past(const struct channels *c, const float *state, bool starts) {
    memset(c->past, 0, (c->task->taps - 1) * GROUP * sizeof *c->past);
    for (size_t tap = 0; !starts && tap + 1 < c->task->taps; tap++)
        memcpy(c->past + tap * GROUP, state + tap * c->task->in.width + c->first, c->n * sizeof *state);
}

static void store_past(const struct channels *c, float *state) {
    for (size_t tap = 0; tap + 1 < c->task->taps; tap++)
        memcpy(state + tap * c->task->in.width + c->first, c->past + tap * GROUP, c->n * sizeof *state);
}

/* LANES channels of one token, n of which there are; its input becomes the youngest of the past. */
VEC void convolve_part(float *past, const float *weights, size_t taps, float *out, const float *in,
                       size_t n) {
    vec_f32 x = n < LANES ? vec_load_some(in, n) : vec_load(in), sum = {0};
    for (size_t tap = 0; tap + 1 < taps; tap++) {
        vec_f32 before = vec_load(past + tap * GROUP);
        sum = vec_fma(vec_load(weights + tap * GROUP), before, sum);
        if (tap > 0) vec_store(past + (tap - 1) * GROUP, before);
    }
    if (taps > 1) vec_store(past + (taps - 2) * GROUP, x);
    sum = vec_fma(vec_load(weights + (taps - 1) * GROUP), x, sum);
    vec_f32 result = vec_gated(sum, -sum);
    if (n < LANES) vec_store_some(out, result, n);
    else vec_store(out, result);
}

static void convolve(const struct channels *c, float *out, const float *in) {
    for (size_t at = 0; at < c->n; at += LANES)
        convolve_part(c->past + at, c->weights + at, c->task->taps, out + at, in + at, c->n - at);
}

static void convolve_all(const struct channels *c, const struct task *task) {
    const struct short_conv_task *t = c->task;
    const struct tokens *tokens = task->tokens;
    for (size_t i = 0; i < task->n; i++) {
        float *state = state_of(&t->state, tokens, i);
        bool starts = tokens->positions[i] == 0;
        if (starts || i == 0 || tokens->sequences[i] != tokens->sequences[i - 1]) load_past(c, state, starts);
        convolve(c, t->out.at + i * t->out.stride + c->first, t->in.at + i * t->in.stride + c->first);
        if (i + 1 == task->n || tokens->sequences[i] != tokens->sequences[i + 1]) store_past(c, state);
    }
}

void EXACT(short_conv)(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct short_conv_task *t = &task->short_conv;
    struct channels c = {.task = t, .weights = scratch};
    c.past = c.weights + t->taps * GROUP;
    memset(scratch, 0, 2 * t->taps * GROUP * sizeof(float));
    size_t last = end * LINEAR_ROWS < t->in.width ? end * LINEAR_ROWS : t->in.width;
    for (c.first = begin * LINEAR_ROWS; c.first < last; c.first += GROUP) {
        c.n = last - c.first < GROUP ? last - c.first : GROUP;
        lay_weights(&c);
        convolve_all(&c, task);
    }
}
