/* Which experts a token goes to (ref/route.c has the sources and what becomes of scores that are none), in
 * f32:
 *
 *   softmax   e = exp(logit - largest), total = their sum (lanes as in exact.h, added), score = e / total
 *   sigmoid   score = 1 / (1 + exp(-logit))
 *   choice    the logit itself where the softmax decides alone: one order, and the logits still differ where
 *             scores are too small to; else score + bias. A group's worth is its best, or its two best added
 *   weights   total = scores of the chosen added in the order of the choice; score / (total + 1e-20), * scale
 *
 * The lowest index wins ties. Finding a largest value rounds nothing, so how it is found is no contract. */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/sigmoid.h"

#include <float.h>

/* Rows of n values, filled up to whole units of 16 lanes by -infinity. */
static size_t padded(size_t n) { return (n + 15) / 16 * 16; }

static void fill_up(float *values, size_t n) {
    for (size_t i = n; i < padded(n); i++) values[i] = -INFINITY;
}

/* Of values that all compare. */
static float largest_of(const float *values, size_t n) {
    vec_f32 most[PARTS];
    float lanes[16];
    VEC_UNROLL for (size_t part = 0; part < PARTS; part++) most[part] = vec_splat(-INFINITY);
    for (size_t i = 0; i < n; i += 16)
        VEC_UNROLL for (size_t part = 0; part < PARTS; part++) most[part] =
            vec_max(vec_load(values + i + part * LANES), most[part]);
    memcpy(lanes, most, sizeof lanes);
    return lanes_max(lanes);
}

/* The first index of a value. */
static size_t index_of(const float *values, size_t n, float value) {
    for (size_t i = 0; i < n; i += 16) {
        int32_t same[16], any = 0;
        VEC_UNROLL for (size_t part = 0; part < PARTS; part++) {
            vec_i32 mask = vec_load(values + i + part * LANES) == vec_splat(value);
            memcpy(same + part * LANES, &mask, sizeof mask);
        }
        for (size_t j = 0; j < 16; j++) any |= same[j];
        for (size_t j = 0; any && j < 16; j++)
            if (same[j]) return i + j;
    }
    return 0;
}

static void softmax(float *scores, const float *logits, size_t n) {
    vec_f32 sum[PARTS] = {{0}};
    float largest = largest_of(logits, n), lanes[16];
    for (size_t i = 0; i < n; i += 16) VEC_UNROLL for (size_t part = 0; part < PARTS; part++) {
            vec_f32 e = vec_exp(vec_load(logits + i + part * LANES) - vec_splat(largest));
            vec_store(scores + i + part * LANES, e);
            sum[part] += e;
        }
    memcpy(lanes, sum, sizeof lanes);
    vec_f32 total = vec_splat(lanes_sum(lanes));
    for (size_t i = 0; i < padded(n); i += LANES) vec_store(scores + i, vec_load(scores + i) / total);
}

static void sigmoids(float *scores, const float *logits, size_t n) {
    for (size_t i = 0; i < padded(n); i += LANES)
        vec_store(scores + i, vec_gated(vec_splat(1), -vec_load(logits + i)));
}

static float within_reach(float score) {
    return isnan(score) ? FLT_MAX : score > -FLT_MAX ? score : -FLT_MAX;
}

/* The best of a group, or its two best added. */
static float worth(const float *choice, size_t n, bool two) {
    float first = -INFINITY, second = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (choice[i] > first) second = first, first = choice[i];
        else if (choice[i] > second) second = choice[i];
    }
    return first + (two && n > 1 ? second : 0);
}

/* Masks all but the best groups. */
static void mask_groups(float *choice, size_t n, const struct routing *how) {
    float sums[ROUTE_MAX_GROUPS];
    bool taken[ROUTE_MAX_GROUPS] = {false};
    size_t size = n / how->n_groups;
    for (size_t g = 0; g < how->n_groups; g++) sums[g] = worth(choice + g * size, size, how->group_top > 1);
    for (size_t round = 0; round < how->n_groups_used; round++) {
        size_t best = how->n_groups;
        for (size_t g = 0; g < how->n_groups; g++)
            if (!taken[g] && (best == how->n_groups || sums[g] > sums[best])) best = g;
        taken[best] = true;
    }
    for (size_t e = 0; e < n; e++)
        if (!taken[e / size]) choice[e] = -FLT_MAX;
}

static void route(const struct route_task *t, const float *in, float *ids, float *weights, float *room) {
    size_t n = t->in.width, used = t->ids.width;
    float *logits = room, *scores = logits + padded(n), *choice = scores + padded(n), total = 0;
    bool by_logit = !t->how.sigmoid && !t->bias && (t->how.n_groups == 1 || t->how.group_top == 1);
    memcpy(logits, in, n * sizeof *in);
    fill_up(logits, n);
    if (t->how.sigmoid) sigmoids(scores, logits, n);
    else softmax(scores, logits, n);
    for (size_t e = 0; e < n; e++) {
        float score = t->bias ? scores[e] + t->bias[e] : scores[e];
        choice[e] = within_reach(by_logit && !isnan(score) ? logits[e] : score);
    }
    fill_up(choice, n);
    if (t->how.n_groups > 1) mask_groups(choice, n, &t->how);
    for (size_t s = 0; s < used; s++) {
        size_t best = index_of(choice, n, largest_of(choice, n));
        ids[s] = (float)best;
        total += scores[best];
        choice[best] = -INFINITY;
    }
    for (size_t s = 0; s < used; s++) {
        float weight = scores[(size_t)ids[s]];
        if (t->how.normalised) weight /= total + 1e-20F;
        weights[s] = weight * t->how.scale;
    }
}

void EXACT(route)(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct route_task *t = &task->route;
    for (size_t i = begin; i < end; i++)
        route(t, t->in.at + i * t->in.stride, t->ids.at + i * t->ids.stride,
              t->weights.at + i * t->weights.stride, scratch);
}
