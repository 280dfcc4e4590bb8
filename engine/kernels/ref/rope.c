/* Rotary position embedding (Su et al., arXiv:2104.09864): each pair turns by position * frequency. */
#include "engine/kernels/kernel.h"

static void rotate_head(float *out, const float *in, const struct rope_task *t, const float *cos,
                        const float *sin) {
    for (size_t i = 0; i < t->dims / 2; i++) {
        size_t a = t->halves ? i : 2 * i, b = t->halves ? i + t->dims / 2 : 2 * i + 1;
        double c = (double)cos[i], s = (double)sin[i], x = (double)in[a], y = (double)in[b];
        out[a] = (float)(x * c - y * s);
        out[b] = (float)(x * s + y * c);
    }
}

void rope_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct rope_task *t = &task->rope;
    const struct tokens *tokens = task->tokens;
    size_t in = t->in.width / t->n_heads, out = t->out.width / t->n_heads;
    for (size_t i = begin; i < end; i++) {
        size_t at = (size_t)tokens->positions[i] * (t->dims / 2);
        size_t which = tokens->extended && tokens->extended[i];
        for (size_t h = 0; h < t->n_heads; h++)
            rotate_head(t->out.at + i * t->out.stride + h * out + t->out_at,
                        t->in.at + i * t->in.stride + h * in + t->in_at, t, t->cos[which] + at,
                        t->sin[which] + at);
    }
}
