/* Which experts a token goes to: softmax (Switch Transformers, arXiv:2101.03961; Mixtral, arXiv:2401.04088)
 * or sigmoid scores with a correction for the choice and groups of experts (DeepSeek-V3, arXiv:2412.19437,
 * section 2.1.2). The lowest index wins ties. */
#include "engine/kernels/kernel.h"

#include <float.h>
#include <math.h>

/* What has been chosen falls to -infinity, so all others stay above it: a masked expert at the least number,
 * one whose score is none at the greatest, so that it shows. Then ids are distinct whatever the logits are; a
 * NaN or rows of -infinity gave one expert again and again (sgl-project/sglang#30079,
 * vllm-project/vllm#39391). */
static double within_reach(double score) { return isnan(score) ? DBL_MAX : fmax(score, -DBL_MAX); }

static void softmax(double *scores, const float *logits, size_t n) {
    double largest = -(double)INFINITY, total = 0;
    for (size_t e = 0; e < n; e++) largest = fmax(largest, (double)logits[e]);
    for (size_t e = 0; e < n; e++) total += scores[e] = exp((double)logits[e] - largest);
    for (size_t e = 0; e < n; e++) scores[e] /= total;
}

static size_t largest_of(const double *values, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

/* The sum of the `top` largest of n values, 1 or 2 of them. */
static double best_sum(const double *values, size_t n, size_t top) {
    size_t first = largest_of(values, n);
    double second = -(double)INFINITY;
    for (size_t i = 0; i < n; i++)
        if (i != first) second = fmax(second, values[i]);
    return values[first] + (top > 1 && n > 1 ? second : 0);
}

/* Masks all but the best groups: each round takes the best of those left. */
static void mask_groups(double *choice, size_t n, const struct routing *how) {
    bool taken[ROUTE_MAX_GROUPS] = {false};
    size_t size = n / how->n_groups;
    for (size_t round = 0; round < how->n_groups_used; round++) {
        double most = -(double)INFINITY;
        size_t best = how->n_groups;
        for (size_t g = 0; g < how->n_groups; g++) {
            double sum = best_sum(choice + g * size, size, how->group_top);
            if (!taken[g] && (best == how->n_groups || sum > most)) most = sum, best = g;
        }
        taken[best] = true;
    }
    for (size_t e = 0; e < n; e++)
        if (!taken[e / size]) choice[e] = -DBL_MAX;
}

static void route(const struct route_task *t, const float *logits, float *ids, float *weights,
                  double *scores) {
    size_t n = t->in.width, used = t->ids.width;
    double *choice = scores + n, total = 0;
    if (t->how.sigmoid)
        for (size_t e = 0; e < n; e++) scores[e] = 1 / (1 + exp(-(double)logits[e]));
    else softmax(scores, logits, n);
    /* Where the softmax decides alone its order is the logits', which still differ where scores cannot. */
    bool by_logit = !t->how.sigmoid && !t->bias && (t->how.n_groups == 1 || t->how.group_top == 1);
    for (size_t e = 0; e < n; e++) {
        double score = scores[e] + (t->bias ? (double)t->bias[e] : 0);
        choice[e] = within_reach(by_logit && !isnan(score) ? (double)logits[e] : score);
    }
    if (t->how.n_groups > 1) mask_groups(choice, n, &t->how);
    for (size_t s = 0; s < used; s++) {
        size_t best = largest_of(choice, n);
        ids[s] = (float)best;
        total += scores[best];
        choice[best] = -(double)INFINITY;
    }
    for (size_t s = 0; s < used; s++) {
        double weight = scores[(size_t)ids[s]];
        if (t->how.normalised) weight /= total + 1e-20;
        weights[s] = (float)(weight * (double)t->how.scale);
    }
}

void route_ref(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct route_task *t = &task->route;
    for (size_t i = begin; i < end; i++)
        route(t, t->in.at + i * t->in.stride, t->ids.at + i * t->ids.stride,
              t->weights.at + i * t->weights.stride, scratch);
}
