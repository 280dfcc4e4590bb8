/* The gated delta rule in its recurrent form (Yang, Kautz and Hatamizadeh, arXiv:2412.06464, equation 10):
 * for each token, with q and k of length 1, S = exp(decay * softplus(a + dt_bias)) S;  S += k (sigmoid(b) (v
 * - k' S))';  out = q' S / sqrt(key_dim) The state is rounded to f32 after every token, so that chunks of any
 * size give the same bits. */
#include "engine/kernels/kernel.h"

#include <math.h>
#include <string.h>

/* 1 / sqrt(sum of squares + 1e-6), as the reference implementation guards it */
static double inverse_length(const float *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return 1 / sqrt(sum + 1e-6);
}

static double softplus(double x) { return x > 30 ? x : log1p(exp(x)); }

/* One token, one head; sums has room for value_dim. */
static void step(const struct delta_net_task *t, float *state, const float *q, const float *k, const float *v,
                 double decay, double beta, float *out, double *sums) {
    size_t n = t->key_dim, m = t->value_dim;
    double q_scale = inverse_length(q, n) / sqrt((double)n), k_scale = inverse_length(k, n);
    for (size_t j = 0; j < m; j++) sums[j] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) sums[j] += (double)k[i] * k_scale * decay * (double)state[i * m + j];
    for (size_t j = 0; j < m; j++) sums[j] = ((double)v[j] - sums[j]) * beta;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            state[i * m + j] = (float)((double)state[i * m + j] * decay + (double)k[i] * k_scale * sums[j]);
    for (size_t j = 0; j < m; j++) sums[j] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) sums[j] += (double)q[i] * q_scale * (double)state[i * m + j];
    for (size_t j = 0; j < m; j++) out[j] = (float)sums[j];
}

void delta_net_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct delta_net_task *t = &task->delta_net;
    size_t share = t->n_heads / t->n_key_heads, size = t->key_dim * t->value_dim;
    for (size_t head = begin; head < end; head++) {
        size_t key = (t->tiled ? head % t->n_key_heads : head / share) * t->key_dim;
        size_t at = head / t->run * t->step + head % t->run;
        for (size_t i = 0; i < task->n; i++) {
            float *state = state_of(&t->state, task->tokens, i) + head * size;
            double a = (double)t->a.at[i * t->a.stride + at], b = (double)t->b.at[i * t->b.stride + at];
            double decay = exp((double)t->decay[head] * softplus(a + (double)t->dt_bias[head]));
            if (task->tokens->positions[i] == 0) memset(state, 0, size * sizeof *state);
            step(t, state, t->q.at + i * t->q.stride + key, t->k.at + i * t->k.stride + key,
                 t->v.at + i * t->v.stride + head * t->value_dim, decay, 1 / (1 + exp(-b)),
                 t->out.at + i * t->out.stride + head * t->value_dim, scratch);
        }
    }
}
