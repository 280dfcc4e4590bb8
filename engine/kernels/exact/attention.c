/* softmax(q k' scale) v over the positions up to the token's own, one page of keys at a time with a running
 * maximum (Milakov and Gimelshein, arXiv:1805.02867; FlashAttention, arXiv:2205.14135), for all query heads
 * that share a KV head while the page is hot. For the result to be the same however the work is cut:
 *
 *   score   4 chains, dims d mod 4, ascending, fma; (0 + 1) + (2 + 3); times scale
 *   page    m' = max(m, scores); rescale = exp(m - m'); p = exp(score - m'), 0 where masked
 *           l = l * rescale + sum, where the sum of the page's 32 weights is lane by lane the first 16 plus
 *           the last 16, then lanes_sum; o = o * rescale, then fma(p, v, o) by ascending position
 *   span    pages in ascending order, ATTENTION_SPAN of them from a fixed position, starting from m = -inf;
 *           spans are merged in ascending order: m' = max(m, m2), a = exp(m - m'), b = exp(m2 - m'),
 *           l = l * a + l2 * b, o = fma(o2, b, o * a). So spans may one day run on different threads.
 *   window  positions before it are masked; a page with none in it is passed over
 *   sink    one more partial, merged last: m = the sink, l = 1, o = 0
 *   out     o * (1 / l), 0 where every position is masked
 */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/exp.h"

enum { ATTENTION_SPAN = 16 /* pages */, SPAN_POSITIONS = ATTENTION_SPAN * KV_PAGE };

/* A partial softmax of one head: largest score, sum of weights, weighted sum of values. */
struct partial {
    float m, l, *o;
};

static void partial_reset(struct partial *p, size_t dim) {
    p->m = -INFINITY;
    p->l = 0;
    memset(p->o, 0, dim * sizeof *p->o);
}

static float exp_of(float x) {
    vec_f32 e = vec_exp(vec_splat(x));
    return e[0];
}

/* LANES scores of a page, from position `first` in it. */
VEC vec_f32 scores_part(const float *keys, const float *q, size_t dim, size_t first, float scale) {
    vec_f32 chain[4] = {{0}, {0}, {0}, {0}};
    size_t d = 0;
    keys += first;
    for (; d + 4 <= dim; d += 4)
        VEC_UNROLL for (size_t c = 0; c < 4; c++) chain[c] =
            vec_fma(vec_splat(q[d + c]), vec_load(keys + (d + c) * KV_PAGE), chain[c]);
    for (size_t c = 0; d + c < dim; c++)
        chain[c] = vec_fma(vec_splat(q[d + c]), vec_load(keys + (d + c) * KV_PAGE), chain[c]);
    return ((chain[0] + chain[1]) + (chain[2] + chain[3])) * vec_splat(scale);
}

/* weights[KV_PAGE] = the scores, -infinity outside of [from, n); returns the largest of those that compare.
 */
VEC float page_scores(float *weights, const float *keys, const float *q, size_t dim, size_t from, size_t n,
                      float scale) {
    float lanes[16];
    for (size_t first = 0; first < KV_PAGE; first += LANES)
        vec_store(weights + first, scores_part(keys, q, dim, first, scale));
    for (size_t j = 0; j < from; j++) weights[j] = -INFINITY;
    for (size_t j = n; j < KV_PAGE; j++) weights[j] = -INFINITY;
    for (size_t i = 0; i < 16; i++) lanes[i] = weights[i] > weights[i + 16] ? weights[i] : weights[i + 16];
    return lanes_max(lanes);
}

/* Turns scores into weights; returns their sum. */
VEC float page_weights(float *weights, float largest) {
    float lanes[16];
    for (size_t first = 0; first < KV_PAGE; first += LANES)
        vec_store(weights + first, vec_exp(vec_load(weights + first) - vec_splat(largest)));
    for (size_t i = 0; i < 16; i++) lanes[i] = weights[i] + weights[i + 16];
    return lanes_sum(lanes);
}

/* `vectors` vectors of o from dimension `d` on, over n positions. */
VEC void add_values(float *o, const float *values, const float *weights, size_t n, size_t dim, size_t d,
                    float rescale, int vectors) {
    vec_f32 acc[4];
    VEC_UNROLL for (int v = 0; v < vectors; v++) acc[v] = vec_load(o + d + v * LANES) * vec_splat(rescale);
    for (size_t j = 0; j < n; j++)
        VEC_UNROLL for (int v = 0; v < vectors; v++) acc[v] =
            vec_fma(vec_splat(weights[j]), vec_load(values + j * dim + d + v * LANES), acc[v]);
    VEC_UNROLL for (int v = 0; v < vectors; v++) vec_store(o + d + v * LANES, acc[v]);
}

VEC void add_last_values(float *o, const float *values, const float *weights, size_t n, size_t dim, size_t d,
                         float rescale) {
    size_t rest = dim - d;
    vec_f32 acc = vec_load_some(o + d, rest) * vec_splat(rescale);
    for (size_t j = 0; j < n; j++)
        acc = vec_fma(vec_splat(weights[j]), vec_load_some(values + j * dim + d, rest), acc);
    vec_store_some(o + d, acc, rest);
}

static bool has_nan(const float *scores, size_t n) {
    for (size_t j = 0; j < n; j++)
        if (isnan(scores[j])) return true;
    return false;
}

/* Positions [from, n) of a page: what add_page needs of it. */
struct page {
    const float *keys, *values;
    size_t key_dim, value_dim, from, n;
};

/* A page's positions into a partial. A page whose scores are all -infinity changes nothing; one NaN among
 * them makes the result NaN. */
static void add_page(struct partial *p, const struct page *page, const float *q, float scale) {
    float scores[KV_PAGE];
    float largest = page_scores(scores, page->keys, q, page->key_dim, page->from, page->n, scale);
    largest = p->m > largest ? p->m : largest;
    if (largest == -INFINITY) {
        if (!has_nan(scores, page->n)) return;
        largest = NAN;
    }
    float rescale = p->m == largest ? 1 : exp_of(p->m - largest); /* exp(0) is 1 */
    p->l = p->l * rescale + page_weights(scores, largest);
    p->m = largest;
    size_t d = 0, dim = page->value_dim, n = page->n - page->from;
    const float *values = page->values + page->from * dim, *weights = scores + page->from;
    for (; d + 4 * LANES <= dim; d += 4 * LANES) add_values(p->o, values, weights, n, dim, d, rescale, 4);
    for (; d + LANES <= dim; d += LANES) add_values(p->o, values, weights, n, dim, d, rescale, 1);
    if (d < dim) add_last_values(p->o, values, weights, n, dim, d, rescale);
}

static void merge(struct partial *p, const struct partial *q, size_t dim) {
    if (q->m == -INFINITY) return;
    float m = p->m > q->m ? p->m : q->m, a = exp_of(p->m - m), b = exp_of(q->m - m);
    p->m = m;
    p->l = p->l * a + q->l * b;
    for (size_t d = 0; d < dim; d++) p->o[d] = fmaf(q->o[d], b, p->o[d] * a);
}

/* Every query head of a group over one page, from position `first` of the sequence on. */
static void add_page_at(const struct attention_task *t, const struct tokens *tokens, size_t row,
                        size_t kv_head, size_t at, size_t first, struct partial *span) {
    size_t group = t->n_heads / t->kv.n_kv_heads, n = (size_t)tokens->positions[row] + 1;
    const float *q = t->q.at + row * t->q.stride + kv_head * group * t->kv.key_dim;
    int32_t page = tokens_page(tokens, row, at);
    if (page < 0 || at + KV_PAGE <= first) return;
    const struct page here = {.keys = kv_keys(&t->kv, (size_t)page, kv_head),
                              .values = kv_values(&t->kv, (size_t)page, kv_head),
                              .key_dim = t->kv.key_dim,
                              .value_dim = t->kv.value_dim,
                              .from = first > at ? first - at : 0,
                              .n = n - at < KV_PAGE ? n - at : KV_PAGE};
    for (size_t h = 0; h < group; h++) add_page(&span[h], &here, q + h * t->kv.key_dim, t->scale);
}

/* One token and one KV head: every query head of its group, page by page. */
static void attend(const struct attention_task *t, const struct tokens *tokens, size_t row, size_t kv_head,
                   struct partial *whole, struct partial *span) {
    size_t dim = t->kv.value_dim, group = t->n_heads / t->kv.n_kv_heads;
    size_t n = (size_t)tokens->positions[row] + 1, first = t->window && n > t->window ? n - t->window : 0;
    for (size_t h = 0; h < group; h++) partial_reset(&whole[h], dim);
    for (size_t at = first / SPAN_POSITIONS * SPAN_POSITIONS; at < n;) {
        for (size_t h = 0; h < group; h++) partial_reset(&span[h], dim);
        for (size_t i = 0; i < ATTENTION_SPAN && at < n; i++, at += KV_PAGE)
            add_page_at(t, tokens, row, kv_head, at, first, span);
        for (size_t h = 0; h < group; h++) merge(&whole[h], &span[h], dim);
    }
    float *out = t->out.at + row * t->out.stride + kv_head * group * dim;
    for (size_t h = 0; h < group; h++) {
        partial_reset(&span[h], dim);
        if (t->sinks) span[h].m = t->sinks[kv_head * group + h], span[h].l = 1;
        merge(&whole[h], &span[h], dim);
        float inverse = whole[h].l > 0 ? 1 / whole[h].l : 0;
        for (size_t d = 0; d < dim; d++) out[h * dim + d] = whole[h].o[d] * inverse;
    }
}

void EXACT(attention)(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct attention_task *t = &task->attention;
    size_t dim = t->kv.value_dim, group = t->n_heads / t->kv.n_kv_heads;
    struct partial *partials = scratch;
    float *sums = (float *)(void *)(partials + 2 * group);
    for (size_t i = 0; i < 2 * group; i++) partials[i].o = sums + i * dim;
    for (size_t unit = begin; unit < end; unit++)
        attend(t, task->tokens, unit / t->kv.n_kv_heads, unit % t->kv.n_kv_heads, partials, partials + group);
}
