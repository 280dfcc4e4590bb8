/* softmax(q k' scale) v over the positions up to the token's own, one page of keys at a time with a running
 * maximum (Milakov and Gimelshein, arXiv:1805.02867; FlashAttention-2, arXiv:2307.08691), for a block of
 * query heads, of several tokens of one sequence, while the page is hot. For the result to be the same
 * however the work is cut, all of this is said of one query head alone; weights are powers of 2:
 *
 *   score   one chain, fma by ascending dim from 0; where there is a cap, cap * tanh(score * (scale / cap))
 *   factor  scale * log2(e), both f32; log2(e) where there is a cap
 *   page    m' = max(m, largest score * factor), 0 instead where that is -infinity;
 *           p = exp2(fma(score, factor, -m')), of a masked position 0; rescale = exp2(m - m')
 *           l has 16 lanes: lane i = fma(l_i, rescale, p_i + p_(i + 16))
 *           o = o * rescale, then fma(p, v, o) by ascending position, without the masked ones
 *   span    pages in ascending order, ATTENTION_SPAN of them from a fixed position, starting from m = -inf;
 *           its l is lanes_sum(l). Spans are merged in ascending order: m' = max(m, m2), a = exp2(m - m'),
 *           b = exp2(m2 - m'), l = fma(l2, b, l * a), o = fma(o2, b, o * a). So spans may one day run on
 *           different threads.
 *   window  positions before it are masked
 *   sink    one more partial, merged last: m = the sink * log2(e), l = 1, o = 0
 *   out     o * (1 / l), 0 where every position is masked
 *
 * Of Q8_0 attention_q8.h says how a score and the sum of p v are made, and that a query's own scale is a part
 * of the factor.
 *
 * A page that is masked from end to end changes nothing and may be passed over. Values that are stored as f16
 * or bf16 are f32 from then on.
 */
#include "engine/kernels/exact/attention_q8.h"
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/exp2.h"
#include "engine/kernels/exact/tanh.h"

enum {
    ATTENTION_SPAN = 16, /* pages */
    SPAN_POSITIONS = ATTENTION_SPAN * KV_PAGE,
    QUERIES = KERNEL_ATTENTION_QUERIES, /* query heads a block */
};
static const float LOG2_E = 0x1.715476p0F;

/* A partial softmax of each query head of a block: largest score, sums of weights, weighted sums of values.
 */
struct partial {
    float *m; /* [QUERIES] */
    float *l; /* [QUERIES][16]; of whole sequences the first lane alone */
    float *o; /* [QUERIES][row] */
};

/* Query heads [first, first + n) of a KV head's group, counted through the rows of the batch. */
struct block {
    const struct attention_task *task;
    const struct tokens *tokens;
    size_t kv_head, group, first, n;
    size_t row;                          /* floats of a head in o */
    size_t begin[QUERIES], end[QUERIES]; /* the positions each looks at */
    struct partial span, whole;
    float *queries;                        /* tiles of [key_dim][n] */
    float *keys, *values;                  /* a page as f32 */
    float factor[QUERIES], inner[QUERIES]; /* of a score; of one before its cap */
    struct bounds {
        size_t first, all_from, all_end, end; /* some heads of a tile see [first, end), all what is between */
    } bounds[QUERIES / TILE];
};

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t tile_size(const struct block *b, size_t tile) { return smaller(b->n - tile * TILE, TILE); }

static size_t row_of(const struct block *b, size_t q) { return (b->first + q) / b->group; }
static size_t head_of(const struct block *b, size_t q) {
    return b->kv_head * b->group + (b->first + q) % b->group;
}

static float exp2_of(float x) {
    vec_f32 e = vec_exp2(vec_splat(x));
    return e[0];
}

/* --- a tile and a page ------------------------------------------------------------------------------------
 */

static bool sees_any(const struct block *b, size_t tile, size_t at) {
    return b->bounds[tile].first < at + KV_PAGE && b->bounds[tile].end > at;
}

static bool sees_all(const struct block *b, size_t tile, size_t at) {
    return b->bounds[tile].all_from <= at && b->bounds[tile].all_end >= at + KV_PAGE;
}

/* The positions of a page, which begins at `at`, that query head q looks at. */
static struct span_of_page seen(const struct block *b, size_t q, size_t at) {
    struct span_of_page s = {larger(b->begin[q], at) - at, smaller(larger(b->end[q], at) - at, KV_PAGE)};
    return s.from < s.end ? s : (struct span_of_page){0, 0};
}

static void mask(float *scores, struct span_of_page seen) {
    for (size_t j = 0; j < seen.from; j++) scores[j] = -INFINITY;
    for (size_t j = seen.end; j < KV_PAGE; j++) scores[j] = -INFINITY;
}

static void cap_scores(float *scores, float inner, float cap) {
    for (size_t i = 0; i < KV_PAGE; i += LANES)
        vec_store(scores + i, vec_tanh(vec_load(scores + i) * vec_splat(inner)) * vec_splat(cap));
}

/* The largest score of each query that compares. */
static void largest_scores(float *largest, const float *scores, size_t n) {
    for (size_t first = 0; first < n; first += 8) {
        vec_f32 most[8];
        VEC_UNROLL for (size_t q = 0; q < 8; q++) {
            const float *s = scores + (first + q < n ? first + q : first) * KV_PAGE;
            most[q] = vec_load(s);
            VEC_UNROLL for (size_t i = LANES; i < KV_PAGE; i += LANES) most[q] =
                vec_max(most[q], vec_load(s + i));
        }
        vec_max_across_8(largest + first, most);
    }
}

/* Scores into weights, and what is remembered of them into the span. */
static void weigh(struct block *b, struct tile *t, size_t index) {
    float *m = b->span.m + index * TILE, subtract[TILE], largest[TILE] = {0};
    const float *factors = b->factor + index * TILE;
    largest_scores(largest, t->scores, t->n);
    for (size_t i = 0; i < TILE; i += LANES) {
        vec_f32 most = vec_load(largest + i) * vec_load(factors + i), before = vec_load(m + i);
        vec_f32 now = vec_max(before, most);
        vec_f32 zeroed = (vec_f32)((vec_i32)now & ~(vec_i32)(now == -INFINITY));
        vec_store(m + i, now);
        vec_store(subtract + i, -zeroed);
        vec_store(t->rescale + i, vec_exp2(before - zeroed));
        vec_store(t->peak + i, vec_exp2(most - zeroed));
    }
    for (size_t q = 0; q < t->n; q++) {
        float *p = t->scores + q * KV_PAGE, *l = b->span.l + (index * TILE + q) * 16;
        vec_f32 factor = vec_splat(factors[q]), offset = vec_splat(subtract[q]);
        vec_f32 rescale = vec_splat(t->rescale[q]);
        VEC_UNROLL for (size_t i = 0; i < 16; i += LANES) {
            vec_f32 low = vec_exp2(vec_fma(vec_load(p + i), factor, offset));
            vec_f32 high = vec_exp2(vec_fma(vec_load(p + 16 + i), factor, offset));
            vec_store(p + i, low), vec_store(p + 16 + i, high);
            vec_store(l + i, vec_fma(vec_load(l + i), rescale, low + high));
        }
    }
}

/* Where query heads of a tile see different positions of a page, those that all see are the tile's, and the
 * others each head's own: a masked position has no part in the sum, though its weight is 0. */
static void add_edge(const struct block *b, const struct tile *t, float *o, enum kv_type type,
                     const void *values) {
    static const float ones[TILE] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct span_of_page all = {0, KV_PAGE};
    for (size_t q = 0; q < t->n; q++)
        all.from = larger(all.from, t->seen[q].from), all.end = smaller(all.end, t->seen[q].end);
    if (all.end < all.from) all.end = all.from;
    for (size_t q = 0; q < t->n; q++) {
        struct span_of_page before = {t->seen[q].from, smaller(t->seen[q].end, all.from)};
        attention_float_values(o + q * b->row, b->row, type, values, t->scores + q * KV_PAGE, t->rescale + q,
                               before, 1);
    }
    if (all.from < all.end) attention_float_values(o, b->row, type, values, t->scores, ones, all, t->n);
    for (size_t q = 0; q < t->n; q++) {
        struct span_of_page after = {larger(t->seen[q].from, all.end), t->seen[q].end};
        if (after.from < after.end)
            attention_float_values(o + q * b->row, b->row, type, values, t->scores + q * KV_PAGE, ones, after,
                                   1);
    }
}

static void add_tile(struct block *b, size_t index, size_t at, enum kv_type type, const void *keys,
                     const void *values) {
    struct tile t;
    t.n = tile_size(b, index), t.sees_all = sees_all(b, index, at);
    size_t dim = b->task->kv.key_dim;
    float *queries = b->queries + index * TILE * kv_value_row(dim), *o = b->span.o + index * TILE * b->row;
    if (!sees_any(b, index, at)) return;
    if (type == KV_Q8_0) attention_q8_scores(t.scores, keys, q8_queries_at(queries, dim, t.n), dim, t.n);
    else attention_float_scores(t.scores, type, keys, queries, dim, t.n);
    for (size_t q = 0; q < t.n && b->task->cap > 0; q++)
        cap_scores(t.scores + q * KV_PAGE, b->inner[index * TILE + q], b->task->cap);
    for (size_t q = 0; q < t.n && !t.sees_all; q++) {
        t.seen[q] = seen(b, index * TILE + q, at);
        mask(t.scores + q * KV_PAGE, t.seen[q]);
    }
    weigh(b, &t, index);
    if (type == KV_Q8_0) attention_q8_values(o, b->task->kv.value_dim, values, &t);
    else if (!t.sees_all) add_edge(b, &t, o, type, values);
    else
        attention_float_values(o, b->row, type, values, t.scores, t.rescale,
                               (struct span_of_page){0, KV_PAGE}, t.n);
}

/* --- a block ----------------------------------------------------------------------------------------------
 */

/* With few query heads it is memory that one waits for, and the processor looks ahead within 4 KiB only. */
static void prefetch(const struct block *b, size_t at) {
    const struct kv *kv = &b->task->kv;
    int32_t page = tokens_page(b->tokens, row_of(b, 0), at);
    if (page < 0) return;
    const char *keys = kv_keys(kv, (size_t)page, b->kv_head),
               *values = kv_values(kv, (size_t)page, b->kv_head);
    for (size_t i = 0; i < kv_key_bytes(kv->type, kv->key_dim); i += 64) __builtin_prefetch(keys + i);
    for (size_t i = 0; i < kv_value_bytes(kv->type, kv->value_dim); i += 64) __builtin_prefetch(values + i);
}

static void add_page(struct block *b, size_t at) {
    const struct kv *kv = &b->task->kv;
    int32_t page = tokens_page(b->tokens, row_of(b, 0), at);
    if (page < 0) return;
    enum kv_type type = kv->type;
    const void *keys = kv_keys(kv, (size_t)page, b->kv_head),
               *values = kv_values(kv, (size_t)page, b->kv_head);
    if (type != KV_F32 && type != KV_Q8_0 && b->n > TILE) { /* read several times: widened once */
        attention_float_expand(b->keys, type, keys, kv->key_dim * KV_PAGE);
        attention_float_expand(b->values, type, values, b->row * KV_PAGE);
        type = KV_F32, keys = b->keys, values = b->values;
    }
    if (b->n <= TILE && at + KV_PAGE < b->end[0]) prefetch(b, at + KV_PAGE);
    for (size_t tile = 0; tile * TILE < b->n; tile++) add_tile(b, tile, at, type, keys, values);
}

static void reset(const struct block *b, const struct partial *p) {
    for (size_t i = 0; i < QUERIES; i++) p->m[i] = -INFINITY;
    memset(p->l, 0, b->n * 16 * sizeof *p->l);
    memset(p->o, 0, b->n * b->row * sizeof *p->o);
}

/* Another partial of query head q into its whole; o2 NULL: nothing but weight. */
static void merge(const struct block *b, size_t q, float m2, float l2, const float *o2) {
    float *m = &b->whole.m[q], *l = &b->whole.l[q * 16];
    float *o = b->whole.o + q * b->row;
    if (m2 == -INFINITY && l2 == 0) return;
    float now = *m > m2 ? *m : m2, a = exp2_of(*m - now), c = exp2_of(m2 - now);
    *m = now;
    *l = fmaf(l2, c, *l * a);
    for (size_t d = 0; d < b->row; d += LANES) {
        vec_f32 scaled = vec_load(o + d) * vec_splat(a);
        vec_store(o + d, o2 ? vec_fma(vec_load(o2 + d), vec_splat(c), scaled) : scaled);
    }
}

static void finish(const struct block *b, size_t q) {
    const struct attention_task *t = b->task;
    size_t dim = t->kv.value_dim, head = head_of(b, q);
    const float *o = b->whole.o + q * b->row;
    float *out = t->out.at + row_of(b, q) * t->out.stride + head * dim;
    if (t->sinks) merge(b, q, t->sinks[head] * LOG2_E, 1, NULL);
    float inverse = b->whole.l[q * 16] == 0 ? 0 : 1 / b->whole.l[q * 16];
    for (size_t d = 0; d < dim; d++) out[d] = o[d] * inverse;
}

/* Page by page over all positions that any query head of the block looks at. */
static void attend(struct block *b) {
    size_t first = b->begin[0], end = 0;
    for (size_t q = 0; q < b->n; q++) first = smaller(first, b->begin[q]), end = larger(end, b->end[q]);
    reset(b, &b->whole);
    for (size_t at = first / SPAN_POSITIONS * SPAN_POSITIONS; at < end;) {
        reset(b, &b->span);
        for (size_t i = 0; i < ATTENTION_SPAN && at < end; i++, at += KV_PAGE)
            if (at + KV_PAGE > first) add_page(b, at);
        for (size_t q = 0; q < b->n; q++)
            merge(b, q, b->span.m[q], lanes_sum(b->span.l + q * 16), b->span.o + q * b->row);
    }
    for (size_t q = 0; q < b->n; q++) finish(b, q);
}

static void bound(struct block *b, size_t tile) {
    struct bounds *bounds = &b->bounds[tile];
    *bounds = (struct bounds){.first = SIZE_MAX, .all_end = SIZE_MAX};
    for (size_t q = tile * TILE; q < tile * TILE + tile_size(b, tile); q++) {
        bounds->first = smaller(bounds->first, b->begin[q]), bounds->end = larger(bounds->end, b->end[q]);
        bounds->all_from = larger(bounds->all_from, b->begin[q]);
        bounds->all_end = smaller(bounds->all_end, b->end[q]);
    }
}

/* A query beside the others of its tile, and the factor of its scores. */
static void put_query(struct block *b, size_t q) {
    const struct attention_task *t = b->task;
    size_t dim = t->kv.key_dim, tile = q / TILE, index = q % TILE, n = tile_size(b, tile);
    const float *from = t->q.at + row_of(b, q) * t->q.stride + head_of(b, q) * dim;
    float *to = b->queries + tile * TILE * kv_value_row(dim), scale = 1;
    if (t->kv.type == KV_Q8_0) scale = attention_q8_query(q8_queries_at(to, dim, n), index, n, from, dim);
    else
        for (size_t d = 0; d < dim; d++) to[d * n + index] = from[d];
    b->factor[q] = t->cap > 0 ? LOG2_E : t->scale * LOG2_E * scale;
    b->inner[q] = t->cap > 0 ? t->scale / t->cap * scale : 0;
}

/* Query heads from b->first on, of one sequence, at most QUERIES and before `end`. */
static void gather(struct block *b, size_t end) {
    const struct attention_task *t = b->task;
    size_t window = t->window;
    int32_t sequence = b->tokens->sequences[b->first / b->group];
    for (b->n = 0; b->n < QUERIES && b->first + b->n < end; b->n++) {
        size_t q = b->n, row = row_of(b, q);
        if (b->tokens->sequences[row] != sequence) break;
        b->end[q] = (size_t)b->tokens->positions[row] + 1;
        b->begin[q] = window && b->end[q] > window ? b->end[q] - window : 0;
    }
    for (size_t q = 0; q < b->n; q++) put_query(b, q);
    for (size_t tile = 0; tile * TILE < b->n; tile++) bound(b, tile);
}

/* The scratch in the order of kernel_scratch. */
static void place(struct block *b, float *at) {
    size_t key_dim = b->task->kv.key_dim;
    b->row = kv_value_row(b->task->kv.value_dim);
    b->keys = at, at += key_dim * KV_PAGE;
    b->values = at, at += b->row * KV_PAGE;
    b->queries = at, at += QUERIES * kv_value_row(key_dim);
    for (int i = 0; i < 2; i++) {
        struct partial *p = i ? &b->whole : &b->span;
        p->o = at, at += QUERIES * b->row;
        p->l = at, at += QUERIES * 16;
        p->m = at, at += QUERIES;
    }
}

void EXACT(attention)(const struct task *task, size_t begin, size_t end, void *scratch) {
    const struct attention_task *t = &task->attention;
    struct block b = {.task = t, .tokens = task->tokens, .group = t->n_heads / t->kv.n_kv_heads};
    place(&b, scratch);
    for (size_t i = begin; i < end; i++) {
        struct attention_unit unit = attention_unit(task->n, t->rows_per_unit, i);
        b.kv_head = unit.kv_head;
        for (b.first = unit.begin * b.group; b.first < unit.end * b.group; b.first += b.n) {
            gather(&b, unit.end * b.group);
            attend(&b);
        }
    }
}
