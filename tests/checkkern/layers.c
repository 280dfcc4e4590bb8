#include "tests/checkkern/layers.h"

#include "engine/kernels/panel.h"
#include "tests/checkkern/making.h"
#include "tests/checkkern/synth_layout.h"

#include <math.h>
#include <string.h>

enum { N_EXPERTS = 5, N_USED = 2, N_HEADS = 3, TAPS = 4, N_KEPT = 9, MOST_DIMS = 4096 };

static double at(const struct rows *rows, size_t i, size_t j) {
    return (double)rows->at[i * rows->stride + j];
}
static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* --- element by element --------------------------------------------------------------------------------- */

static void build_layer_norm(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width;
    t->task.layer_norm =
        (struct layer_norm_task){.in = making_input(t, s, n, width),
                                 .weight = synth_floats(&t->arena, s, SYNTH_UNIFORM, 1, width),
                                 .bias = synth_floats(&t->arena, s, SYNTH_UNIFORM, 1, width),
                                 .eps = 1e-6F};
    t->task.layer_norm.out = making_output(t, AT(layer_norm.out.at), n, width, NULL);
}

/* The variance as the mean of squares less the square of the mean, in extended precision. */
static void define_layer_norm(const struct trial *t, double *values) {
    const struct layer_norm_task *k = &t->task.layer_norm;
    size_t width = k->in.width;
    for (size_t i = 0; i < t->task.n; i++) {
        long double sum = 0, squares = 0;
        for (size_t j = 0; j < width; j++) {
            long double x = (long double)at(&k->in, i, j);
            sum += x, squares += x * x;
        }
        long double mean = sum / (long double)width, variance = squares / (long double)width - mean * mean;
        for (size_t j = 0; j < width; j++)
            values[i * width + j] =
                (double)(((long double)at(&k->in, i, j) - mean) / sqrtl(variance + (long double)k->eps) *
                         (long double)k->weight[j]) +
                (double)k->bias[j];
    }
}

static void build_bias(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width;
    const float *before = synth_floats(&t->arena, s, t->shape.kind, n, width);
    t->task.bias.bias = synth_floats(&t->arena, s, SYNTH_UNIFORM, 1, width);
    t->task.bias.out = making_output(t, AT(bias.out.at), n, width, before);
}

static void define_bias(const struct trial *t, double *values) {
    for (size_t i = 0; i < t->task.n * t->shape.width; i++)
        values[i] = (double)t->outputs[0].initial[i] + (double)t->task.bias.bias[i % t->shape.width];
}

static void build_gated(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width;
    struct swiglu_task *k = &t->task.swiglu;
    *k = (struct swiglu_task){.gate = making_input(t, s, n, width), .up = making_input(t, s, n, width)};
    k->alpha = 1.702F, k->limit = 0.5F; /* so that it bites */
    k->out = making_output(t, AT(swiglu.out.at), n, width, NULL);
}

static void define_geglu(const struct trial *t, double *values) {
    const struct swiglu_task *k = &t->task.swiglu;
    for (size_t i = 0; i < t->task.n * t->shape.width; i++) {
        double g = at(&k->gate, i / t->shape.width, i % t->shape.width),
               up = at(&k->up, i / t->shape.width, i % t->shape.width);
        /* (1 + tanh(y)) / 2 is sigmoid(2 y) */
        values[i] = g * sigmoid(2 * sqrt(2 / acos(-1.0)) * (g + 0.044715 * pow(g, 3))) * up;
    }
}

static void define_swiglu_clamped(const struct trial *t, double *values) {
    const struct swiglu_task *k = &t->task.swiglu;
    double limit = (double)k->limit;
    for (size_t i = 0; i < t->task.n * t->shape.width; i++) {
        double g = fmin(at(&k->gate, i / t->shape.width, i % t->shape.width), limit);
        double up = fmax(fmin(at(&k->up, i / t->shape.width, i % t->shape.width), limit), -limit);
        values[i] = (up + 1) * g * sigmoid((double)k->alpha * g);
    }
}

/* With an odd width one gate for the row, else a gate for each value behind those that are none. */
static void build_gate(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width;
    bool one = width % 2;
    struct sigmoid_gate_task *k = &t->task.sigmoid_gate;
    *k = (struct sigmoid_gate_task){.n_heads = one ? 1 : 2, .at = one ? 0 : width / 2};
    k->gate = making_input(t, s, n, one ? 1 : 2 * width);
    k->out = making_output(t, AT(sigmoid_gate.out.at), n, width,
                           synth_floats(&t->arena, s, t->shape.kind, n, width));
}

static void define_gate(const struct trial *t, double *values) {
    const struct sigmoid_gate_task *k = &t->task.sigmoid_gate;
    size_t width = t->shape.width, half = width / 2;
    for (size_t i = 0; i < t->task.n * width; i++) {
        size_t j = i % width, from = width % 2 ? 0 : j < half ? half + j : 2 * half + j;
        values[i] = (double)t->outputs[0].initial[i] * sigmoid(at(&k->gate, i / width, from));
    }
}

static void build_softcap(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width;
    const float *before = synth_floats(&t->arena, s, t->shape.kind, n, width);
    t->task.softcap.cap = 0.75F;
    t->task.softcap.out = making_output(t, AT(softcap.out.at), n, width, before);
}

static void define_softcap(const struct trial *t, double *values) {
    double cap = (double)t->task.softcap.cap;
    for (size_t i = 0; i < t->task.n * t->shape.width; i++)
        values[i] = cap * (2 * sigmoid(2 * (double)t->outputs[0].initial[i] / cap) - 1);
}

/* --- experts -------------------------------------------------------------------------------------------- */

static const struct rows *routed(const struct trial *t) { return &t->task.route.in; }

static void build_route(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width, used = (width + 3) / 4;
    struct route_task *k = &t->task.route;
    bool groups = width % 16 == 0;
    k->in = making_input(t, s, n, width);
    if (n % 2) k->bias = synth_floats(&t->arena, s, SYNTH_UNIFORM, 1, width);
    k->how = (struct routing){.sigmoid = n % 2,
                              .normalised = n % 3 != 0,
                              .n_groups = groups ? 4 : 1,
                              .n_groups_used = groups ? 2 : 1,
                              .group_top = n % 2 ? 2 : 1,
                              .scale = 2.5F};
    k->ids = making_output(t, AT(route.ids.at), n, used, NULL);
    k->weights = making_output(t, AT(route.weights.at), n, used, NULL);
}

struct scored {
    double score, weight;
    size_t id;
};

/* By score, then by index: an insertion sort, which is stable. */
static void sort(struct scored *list, size_t n) {
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && list[j].score > list[j - 1].score; j--) {
            struct scored moved = list[j];
            list[j] = list[j - 1], list[j - 1] = moved;
        }
}

static void score_experts(struct scored *list, const struct trial *t, size_t i) {
    const struct route_task *k = &t->task.route;
    size_t n = k->in.width;
    bool by_logit = !k->how.sigmoid && !k->bias && (k->how.n_groups == 1 || k->how.group_top == 1);
    long double total = 0, most = -INFINITY;
    for (size_t e = 0; e < n; e++) most = fmaxl(most, (long double)at(routed(t), i, e));
    for (size_t e = 0; e < n; e++) total += expl((long double)at(routed(t), i, e) - most);
    for (size_t e = 0; e < n; e++) {
        double x = at(routed(t), i, e);
        double weight = k->how.sigmoid ? sigmoid(x) : (double)(expl((long double)x - most) / total);
        list[e] = (struct scored){by_logit ? x : weight + (k->bias ? (double)k->bias[e] : 0), weight, e};
    }
}

/* Keeps the experts of the best groups, in their order; returns how many. */
static size_t keep_groups(struct scored *list, struct scored *copy, size_t n, const struct routing *how) {
    size_t size = n / how->n_groups, kept = 0;
    struct scored groups[ROUTE_MAX_GROUPS];
    for (size_t g = 0; g < how->n_groups; g++) {
        memcpy(copy, list + g * size, size * sizeof *copy);
        sort(copy, size);
        groups[g] =
            (struct scored){copy[0].score + (how->group_top > 1 && size > 1 ? copy[1].score : 0), 0, g};
    }
    sort(groups, how->n_groups);
    for (size_t e = 0; e < n; e++)
        for (size_t g = 0; g < how->n_groups_used; g++)
            if (groups[g].id == e / size) list[kept++] = list[e];
    return kept;
}

static void define_route(const struct trial *t, double *values) {
    const struct route_task *k = &t->task.route;
    size_t n = k->in.width, used = k->ids.width, rows = t->task.n;
    struct arena arena = {0};
    struct scored *list = synth_alloc(&arena, 2 * n, sizeof *list);
    for (size_t i = 0; i < rows; i++) {
        double total = 0;
        score_experts(list, t, i);
        sort(list, keep_groups(list, list + n, n, &k->how));
        for (size_t s = 0; s < used; s++) total += list[s].weight;
        for (size_t s = 0; s < used; s++) {
            values[i * used + s] = (double)list[s].id;
            values[(rows + i) * used + s] =
                list[s].weight / (k->how.normalised ? total + 1e-20 : 1) * (double)k->how.scale;
        }
    }
    arena_release(&arena);
}

/* Each in a layout of its own. */
static struct matrices matrices_of_codes(struct trial *t, struct synth *s, struct matrices m, size_t n) {
    struct layout *layouts = synth_alloc(&t->arena, n, sizeof *layouts);
    for (size_t e = 0; e < n; e++)
        layouts[e] = synth_layout(&t->arena, s, t->shape.kind, m.type, m.n_rows, &m.n_cols);
    t->shape.n_cols = m.n_cols;
    m.layout = layouts;
    return m;
}

/* The same as panels, for lanes other than ref. */
static void relay(struct trial *t, struct matrices *m, size_t n) {
    const void **panels = synth_alloc(&t->arena, n, sizeof *panels);
    struct lpanel *codes = m->layout ? synth_alloc(&t->arena, n, sizeof *codes) : NULL;
    for (size_t e = 0; e < n; e++) {
        const char *rows = m->data;
        if (codes) codes[e] = *making_codes(t, &m->layout[e], m->n_rows);
        else rows += e * m->n_rows * dtype_row_bytes(m->type, m->n_cols);
        panels[e] = making_panels(t, m->type, rows, m->n_rows, m->n_cols, codes ? &codes[e] : NULL);
    }
    m->panels = panels;
    m->codes = codes;
    m->is_float = !codes && panel_form_of(m->type) == PANEL_NONE;
}

static struct matrices matrices(struct trial *t, struct synth *s, size_t n) {
    const struct trial_shape *shape = &t->shape;
    struct matrices m = {.type = shape->type, .n_rows = shape->width, .n_cols = shape->n_cols};
    if (dtype_info(m.type)->block_bytes == 0) return matrices_of_codes(t, s, m, n);
    m.data = synth_weights(&t->arena, s, shape->kind, m.type, n * m.n_rows, m.n_cols);
    if (shape->n % 2 == 0) return m;
    const void **slices = synth_alloc(&t->arena, n, sizeof *slices);
    for (size_t e = 0; e < n; e++)
        slices[e] = (const char *)m.data + e * m.n_rows * dtype_row_bytes(m.type, m.n_cols);
    m.slices = slices;
    return m;
}

static void decode_row(float *weights, const struct matrices *m, size_t e, size_t row) {
    if (m->layout) layout_decode(weights, &m->layout[e], row);
    else
        dtype_decode(weights, m->type,
                     (const char *)m->data + (e * m->n_rows + row) * dtype_row_bytes(m->type, m->n_cols),
                     m->n_cols);
}

/* Products of matrix e with n inputs: what the matrix's own rounding to eight bits makes of them, where it
 * has one, for that is not the kernel's. out[row * n + i] */
static void products(double *out, const struct trial *t, const struct matrices *m, size_t e,
                     const float *const *in, size_t n) {
    struct arena arena = {0};
    const size_t n_cols = m->n_cols;
    float *weights = synth_alloc(&arena, n_cols, sizeof *weights);
    struct rows seen = {synth_alloc(&arena, n * n_cols, sizeof(float)), n_cols, n_cols};
    for (size_t i = 0; i < n; i++) memcpy(seen.at + i * n_cols, in[i], n_cols * sizeof(float));
    if (t->shape.bits == 8 && !m->is_float)
        making_rounded(&arena, &seen, n, 8, m->codes ? &m->codes[e] : NULL);
    for (size_t row = 0; row < m->n_rows && n > 0; row++) {
        decode_row(weights, m, e, row);
        for (size_t i = 0; i < n; i++) {
            long double sum = 0;
            for (size_t j = n_cols; j > 0; j--)
                sum += (long double)weights[j - 1] * (long double)seen.at[i * n_cols + j - 1];
            out[row * n + i] = (double)sum;
        }
    }
    arena_release(&arena);
}

/* One input for all chosen experts, or one for each; with a bias or without. */
static void build_experts(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, rows = t->shape.width;
    struct experts_task *k = &t->task.experts;
    *k = (struct experts_task){.weights = matrices(t, s, N_EXPERTS), .n_experts = N_EXPERTS};
    if (n % 2) k->bias = synth_floats(&t->arena, s, t->shape.kind, N_EXPERTS, rows);
    k->in = making_input(t, s, n, t->shape.n_cols * (n % 3 ? 1 : N_USED));
    k->ids = making_input(t, s, n, N_USED);
    for (size_t i = 0; i < n; i++) {
        float *ids = k->ids.at + i * k->ids.stride;
        ids[0] = (float)(synth_bits(s) % N_EXPERTS);
        ids[1] = (float)(((unsigned)ids[0] + 1 + synth_bits(s) % (N_EXPERTS - 1)) % N_EXPERTS);
    }
    k->out = making_output(t, AT(experts.out.at), n, N_USED * rows, NULL);
    if (t->panels) relay(t, &k->weights, N_EXPERTS);
    k->quantized.bits = t->shape.bits;
    if (t->panels && !k->weights.is_float && !k->weights.codes)
        k->quantized = making_quantized(t, &k->in, n, NULL), k->quantized.width = k->weights.n_cols;
    t->units = N_EXPERTS * ((rows + LINEAR_ROWS - 1) / LINEAR_ROWS);
}

static void define_expert(const struct trial *t, double *values, size_t e) {
    const struct experts_task *k = &t->task.experts;
    size_t rows = t->shape.width, n_cols = t->shape.n_cols, n = 0;
    struct arena arena = {0};
    const float **in = synth_alloc(&arena, t->task.n * N_USED, sizeof *in);
    double **out = synth_alloc(&arena, t->task.n * N_USED, sizeof *out);
    for (size_t i = 0; i < t->task.n * N_USED; i++) {
        size_t token = i / N_USED, slot = i % N_USED;
        if ((size_t)at(&k->ids, token, slot) != e) continue;
        in[n] = k->in.at + token * k->in.stride + (k->in.width == n_cols ? 0 : slot * n_cols);
        out[n++] = values + i * rows;
    }
    double *all = synth_alloc(&arena, rows * n, sizeof *all);
    products(all, t, &k->weights, e, in, n);
    for (size_t i = 0; i < rows * n; i++)
        out[i % n][i / n] = all[i] + (k->bias ? (double)k->bias[e * rows + i / n] : 0);
    arena_release(&arena);
}

static void define_experts(const struct trial *t, double *values) {
    for (size_t e = 0; e < N_EXPERTS; e++) define_expert(t, values, e);
}

static void build_mix(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width;
    struct mix_task *k = &t->task.mix;
    k->in = making_input(t, s, n, 3 * width);
    k->weights = making_input(t, s, n, 3);
    k->out = making_output(t, AT(mix.out.at), n, width, NULL);
}

static void define_mix(const struct trial *t, double *values) {
    const struct mix_task *k = &t->task.mix;
    size_t width = t->shape.width;
    for (size_t i = 0; i < t->task.n * width; i++) {
        values[i] = 0;
        for (size_t s = 3; s > 0; s--)
            values[i] +=
                at(&k->in, i / width, (s - 1) * width + i % width) * at(&k->weights, i / width, s - 1);
    }
}

/* Parts are wider than what is used of them. */
static void build_head_linear(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, rows = t->shape.width;
    struct head_linear_task *k = &t->task.head_linear;
    *k = (struct head_linear_task){.weights = matrices(t, s, N_HEADS), .n_heads = N_HEADS};
    k->in = making_input(t, s, n, N_HEADS * (k->weights.n_cols + 3));
    const float *before = synth_floats(&t->arena, s, SYNTH_UNIFORM, n, N_HEADS * (rows + 2));
    k->out = making_output(t, AT(head_linear.out.at), n, N_HEADS * (rows + 2), before);
    if (t->panels) relay(t, &k->weights, N_HEADS);
    k->bits = t->shape.bits;
    t->units = N_HEADS * ((rows + LINEAR_ROWS - 1) / LINEAR_ROWS);
}

static void define_head_linear(const struct trial *t, double *values) {
    const struct head_linear_task *k = &t->task.head_linear;
    size_t rows = t->shape.width, part = rows + 2, n = t->task.n;
    struct arena arena = {0};
    const float **in = synth_alloc(&arena, n, sizeof *in);
    double *all = synth_alloc(&arena, rows * n, sizeof *all);
    for (size_t i = 0; i < n * N_HEADS * part; i++) values[i] = (double)t->outputs[0].initial[i];
    for (size_t head = 0; head < N_HEADS; head++) {
        for (size_t i = 0; i < n; i++) in[i] = k->in.at + i * k->in.stride + head * (k->weights.n_cols + 3);
        products(all, t, &k->weights, head, in, n);
        for (size_t i = 0; i < rows * n; i++) values[(i % n * N_HEADS + head) * part + i / n] = all[i];
    }
    arena_release(&arena);
}

/* --- sparse attention -------------------------------------------------------------------------------------
 */

static void build_dsa_select(struct trial *t, struct synth *s) {
    const struct trial_shape *shape = &t->shape;
    struct dsa_select_task *k = &t->task.dsa_select;
    size_t n_pages;
    t->shape.n_kv_heads = 1;
    t->task.tokens = making_tokens(t, s, &n_pages);
    k->kv = making_pages(t, s, n_pages);
    k->n_heads = shape->group;
    k->scale = 0.5F;
    k->q = making_input(t, s, shape->n, shape->group * shape->head_dim);
    k->weights = making_input(t, s, shape->n, shape->group);
    k->out = making_output(t, AT(dsa_select.out.at), shape->n, N_KEPT, NULL);
}

static double index_score(const struct trial *t, size_t i, size_t position) {
    const struct dsa_select_task *k = &t->task.dsa_select;
    int32_t page = tokens_page(t->task.tokens, i, position);
    if (page < 0) return -(double)INFINITY;
    double sum = 0;
    for (size_t h = 0; h < k->n_heads; h++) {
        double dot = 0, key[MOST_DIMS];
        kv_get_key(key, k->kv.type, kv_keys(&k->kv, (size_t)page, 0), position % KV_PAGE, k->kv.key_dim);
        for (size_t d = 0; d < k->kv.key_dim; d++) dot += at(&k->q, i, h * k->kv.key_dim + d) * key[d];
        if (dot > 0) sum += at(&k->weights, i, h) * dot;
    }
    return sum;
}

static void define_dsa_select(const struct trial *t, double *values) {
    struct arena arena = {0};
    for (size_t i = 0; i < t->task.n; i++) {
        size_t n = (size_t)t->task.tokens->positions[i] + 1, kept = n < N_KEPT ? n : N_KEPT;
        struct scored *list = synth_alloc(&arena, n, sizeof *list);
        for (size_t j = 0; j < n; j++) list[j] = (struct scored){index_score(t, i, j), 0, j};
        sort(list, n);
        for (size_t j = 0; j < kept; j++) list[j].score = -(double)list[j].id;
        sort(list, kept);
        for (size_t j = 0; j < N_KEPT; j++) values[i * N_KEPT + j] = j < kept ? (double)list[j].id : -1;
    }
    arena_release(&arena);
}

/* Every third position and the token's own. */
static void choose(struct trial *t) {
    struct rows *chosen = &t->task.attention.chosen;
    chosen->width = chosen->stride = t->shape.positions / 3 + 2;
    chosen->at = synth_alloc(&t->arena, t->shape.n * chosen->stride, sizeof *chosen->at);
    for (size_t i = 0; i < t->shape.n; i++) {
        int32_t last = t->task.tokens->positions[i];
        float *row = chosen->at + i * chosen->stride;
        size_t n = 0;
        for (int32_t j = 0; j < last; j += 3) row[n++] = (float)j;
        row[n++] = (float)last;
        while (n < chosen->width) row[n++] = -1;
    }
}

static void build_dsa_attention(struct trial *t, struct synth *s) {
    const struct trial_shape *shape = &t->shape;
    struct attention_task *k = &t->task.attention;
    size_t n_pages, heads = shape->n_kv_heads * shape->group;
    t->task.tokens = making_tokens(t, s, &n_pages);
    k->kv = making_pages(t, s, n_pages);
    k->n_heads = heads;
    k->scale = 1 / sqrtf((float)shape->head_dim);
    k->q = making_input(t, s, shape->n, heads * shape->head_dim);
    k->out = making_output(t, AT(attention.out.at), shape->n, heads * k->kv.value_dim, NULL);
    k->rows_per_unit = 1 + shape->n % 3;
    t->units = attention_blocks(shape->n, k->rows_per_unit) * shape->n_kv_heads;
    choose(t);
}

static long double dense_score(const struct trial *t, size_t token, size_t head, size_t page, size_t slot) {
    const struct attention_task *k = &t->task.attention;
    size_t dim = k->kv.key_dim, group = k->n_heads / k->kv.n_kv_heads;
    double key[MOST_DIMS];
    long double score = 0;
    kv_get_key(key, k->kv.type, kv_keys(&k->kv, page, head / group), slot, dim);
    for (size_t d = 0; d < dim; d++)
        score += (long double)at(&k->q, token, head * dim + d) * (long double)key[d];
    return score * (long double)k->scale;
}

/* Dense, with the scores of all others at minus infinity; weights as multiples of the largest so far. */
static void define_dsa_attention(const struct trial *t, double *values) {
    const struct attention_task *k = &t->task.attention;
    size_t out = k->kv.value_dim, group = k->n_heads / k->kv.n_kv_heads;
    for (size_t i = 0; i < t->task.n * k->n_heads; i++, values += out) {
        size_t token = i / k->n_heads, head = i % k->n_heads;
        long double total = 0, most = -(long double)INFINITY;
        for (size_t d = 0; d < out; d++) values[d] = 0;
        for (int32_t j = 0; j <= t->task.tokens->positions[token]; j++) {
            bool chosen = j == t->task.tokens->positions[token] || j % 3 == 0;
            int32_t page = tokens_page(t->task.tokens, token, (size_t)j);
            if (!chosen || page < 0) continue;
            size_t slot = (size_t)j % KV_PAGE;
            double value[MOST_DIMS];
            kv_get_value(value, k->kv.type, kv_values(&k->kv, (size_t)page, head / group), slot, out);
            long double score = dense_score(t, token, head, (size_t)page, slot);
            long double before = score > most ? expl(most - score) : 1;
            most = score > most ? score : most;
            long double weight = expl(score - most);
            total = total * before + weight;
            for (size_t d = 0; d < out; d++)
                values[d] = (double)((long double)values[d] * before + weight * (long double)value[d]);
        }
        for (size_t d = 0; d < out; d++) values[d] = total > 0 ? (double)(values[d] / (double)total) : 0;
    }
}

/* --- recurrent layers -------------------------------------------------------------------------------------
 */

static void build_short_conv(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width, n_pages, size = width * (TAPS - 1);
    struct short_conv_task *k = &t->task.short_conv;
    t->task.tokens = making_tokens(t, s, &n_pages);
    *k = (struct short_conv_task){.in = making_input(t, s, n, width), .taps = TAPS, .state = {NULL, size}};
    k->weight = synth_floats(&t->arena, s, SYNTH_UNIFORM, width, TAPS);
    k->out = making_output(t, AT(short_conv.out.at), n, width, NULL);
    making_memory(t, AT(short_conv.state.at), 2, size, synth_floats(&t->arena, s, t->shape.kind, 2, size));
    t->units = (width + LINEAR_ROWS - 1) / LINEAR_ROWS;
}

/* What the channel's input was `back` tokens before token i: in the batch, in the state, or nothing. */
static double earlier(const struct trial *t, const double *state, size_t i, size_t channel, size_t back) {
    const struct tokens *tokens = t->task.tokens;
    for (size_t left = back;; i--) {
        if (left == 0) return at(&t->task.short_conv.in, i, channel);
        if (tokens->positions[i] == 0) return 0;
        size_t before = i;
        while (before > 0 && tokens->sequences[before - 1] != tokens->sequences[i]) before--;
        if (before == 0) return state[(TAPS - 1 - left) * t->shape.width + channel];
        i = before, left--;
    }
}

static void define_short_conv(const struct trial *t, double *values) {
    size_t width = t->shape.width, n = t->task.n, size = width * (TAPS - 1);
    double *states = values + n * width;
    const float *initial = t->outputs[1].initial;
    struct arena arena = {0};
    double *before = synth_alloc(&arena, 2 * size + 1, sizeof *before);
    for (size_t i = 0; i < 2 * size; i++) states[i] = before[i] = (double)initial[i];
    for (size_t i = 0; i < n * width; i++) {
        const double *state = before + (size_t)t->task.tokens->sequences[i / width] * size;
        double sum = 0;
        for (size_t back = 0; back < TAPS; back++)
            sum += earlier(t, state, i / width, i % width, back) *
                   (double)t->task.short_conv.weight[i % width * TAPS + TAPS - 1 - back];
        values[i] = sum * sigmoid(sum);
        double *after = states + (size_t)t->task.tokens->sequences[i / width] * size + i % width;
        for (size_t back = 0; back < TAPS - 1; back++)
            after[(TAPS - 2 - back) * width] = earlier(t, state, i / width, i % width, back);
    }
    arena_release(&arena);
}

static void build_delta_net(struct trial *t, struct synth *s) {
    const struct trial_shape *shape = &t->shape;
    size_t n = shape->n, keys = shape->n_kv_heads, heads = keys * shape->group, n_pages;
    struct delta_net_task *k = &t->task.delta_net;
    size_t dim = shape->head_dim, value_dim = shape->value_dim ? shape->value_dim : dim / 2 + 1;
    size_t size = heads * dim * value_dim;
    t->task.tokens = making_tokens(t, s, &n_pages);
    *k = (struct delta_net_task){
        .n_key_heads = keys, .n_heads = heads, .key_dim = dim, .value_dim = value_dim};
    k->q = making_input(t, s, n, keys * dim), k->k = making_input(t, s, n, keys * dim);
    k->v = making_input(t, s, n, heads * value_dim);
    k->a = making_input(t, s, n, 2 * heads), k->b = k->a;
    k->run = shape->halves ? shape->group : heads, k->step = shape->halves ? 2 * shape->group : 0;
    k->a.at += k->run, k->a.width -= k->run;
    k->tiled = n % 2 == 0;
    float *decay = synth_floats(&t->arena, s, SYNTH_UNIFORM, 1, heads);
    for (size_t h = 0; h < heads; h++) decay[h] = -fabsf(decay[h]) - 0.01F;
    k->decay = decay;
    k->dt_bias = synth_floats(&t->arena, s, SYNTH_UNIFORM, 1, heads);
    k->state.stride = size;
    k->out = making_output(t, AT(delta_net.out.at), n, heads * value_dim, NULL);
    making_memory(t, AT(delta_net.state.at), 2, size, synth_floats(&t->arena, s, SYNTH_UNIFORM, 2, size));
    t->units = heads;
}

/* S' = (I - beta k k') g S + beta k v', column by column, with the lengths left for the end. */
static void define_delta_step(const struct trial *t, double *state, size_t i, size_t head, double *out) {
    const struct delta_net_task *k = &t->task.delta_net;
    size_t dim = k->key_dim, m = k->value_dim, share = k->n_heads / k->n_key_heads;
    size_t key = (k->tiled ? head % k->n_key_heads : head / share) * dim,
           gate = head / k->run * k->step + head % k->run;
    double beta = sigmoid(at(&k->b, i, gate)), qq = 1e-6, kk = 1e-6,
           x = at(&k->a, i, gate) + (double)k->dt_bias[head];
    double g = pow(exp((double)k->decay[head]), fmax(x, 0) + log1p(exp(-fabs(x))));
    for (size_t d = 0; d < dim; d++) {
        qq += at(&k->q, i, key + d) * at(&k->q, i, key + d);
        kk += at(&k->k, i, key + d) * at(&k->k, i, key + d);
    }
    for (size_t j = 0; j < m; j++) {
        double along = 0, sum = 0;
        for (size_t d = dim; d > 0; d--) along += at(&k->k, i, key + d - 1) * state[(d - 1) * m + j];
        for (size_t d = 0; d < dim; d++) {
            double kd = at(&k->k, i, key + d);
            state[d * m + j] = g * (state[d * m + j] - beta * kd * along / kk) +
                               beta * kd / sqrt(kk) * at(&k->v, i, head * m + j);
            sum += at(&k->q, i, key + d) / sqrt(qq * (double)dim) * state[d * m + j];
        }
        out[j] = sum;
    }
}

static void define_delta_net(const struct trial *t, double *values) {
    const struct delta_net_task *k = &t->task.delta_net;
    size_t m = k->value_dim, size = k->key_dim * m, all = k->n_heads * size, n = t->task.n;
    double *states = values + n * k->n_heads * m;
    for (size_t i = 0; i < 2 * all; i++) states[i] = (double)t->outputs[1].initial[i];
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < k->n_heads; h++) {
            double *state = states + (size_t)t->task.tokens->sequences[i] * all + h * size;
            for (size_t j = 0; t->task.tokens->positions[i] == 0 && j < size; j++) state[j] = 0;
            define_delta_step(t, state, i, h, values + (i * k->n_heads + h) * m);
        }
}

/* --- the table --------------------------------------------------------------------------------------------
 */

static const struct {
    const char *op;
    void (*build)(struct trial *, struct synth *);
    void (*define)(const struct trial *, double *);
} layers[] = {{"layer_norm", build_layer_norm, define_layer_norm},
              {"bias", build_bias, define_bias},
              {"geglu", build_gated, define_geglu},
              {"swiglu_clamped", build_gated, define_swiglu_clamped},
              {"sigmoid_gate", build_gate, define_gate},
              {"softcap", build_softcap, define_softcap},
              {"route", build_route, define_route},
              {"experts", build_experts, define_experts},
              {"mix", build_mix, define_mix},
              {"head_linear", build_head_linear, define_head_linear},
              {"dsa_select", build_dsa_select, define_dsa_select},
              {"dsa_attention", build_dsa_attention, define_dsa_attention},
              {"short_conv", build_short_conv, define_short_conv},
              {"delta_net", build_delta_net, define_delta_net}};
enum { N_LAYERS = sizeof layers / sizeof *layers };

bool layers_build(struct trial *trial, struct synth *s) {
    for (size_t i = 0; i < N_LAYERS; i++)
        if (strcmp(layers[i].op, trial->op) == 0) {
            layers[i].build(trial, s);
            return true;
        }
    return false;
}

bool layers_define(const struct trial *trial, double *values) {
    for (size_t i = 0; i < N_LAYERS; i++)
        if (strcmp(layers[i].op, trial->op) == 0) {
            if (values) layers[i].define(trial, values);
            return true;
        }
    return false;
}
