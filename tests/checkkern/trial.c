#include "tests/checkkern/trial.h"

#include "engine/kernels/lpanel.h"
#include "engine/kernels/panel.h"
#include "engine/tensor/kquant.h"
#include "tests/checkkern/layers.h"
#include "tests/checkkern/making.h"
#include "tests/checkkern/synth_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_WORDS = 16, GAP = 5 /* floats between strided rows */ };
static const uint32_t GUARD = 0x7FC0DEAD; /* a NaN that no arithmetic makes */

/* --- outputs ----------------------------------------------------------------------------------------------
 */

static size_t output_words(const struct trial_output *o) { return o->n_rows * o->stride + 2 * GUARD_WORDS; }

struct task trial_outputs(struct trial *trial, float **memory, size_t *n) {
    struct task task = trial->task;
    *n = 0;
    for (size_t i = 0; i < trial->n_outputs; i++) *n += output_words(&trial->outputs[i]);
    float *at = *memory = synth_alloc(&trial->arena, *n, sizeof *at);
    for (size_t i = 0; i < *n; i++) memcpy(&at[i], &GUARD, sizeof GUARD);
    for (size_t i = 0; i < trial->n_outputs; at += output_words(&trial->outputs[i]), i++) {
        const struct trial_output *o = &trial->outputs[i];
        float *rows = at + GUARD_WORDS;
        for (size_t r = 0; o->initial && r < o->n_rows; r++)
            memcpy(rows + r * o->stride, o->initial + r * o->width, o->width * sizeof *rows);
        memcpy((char *)&task + o->at, &rows, sizeof rows);
    }
    if (strcmp(trial->op, "rope") == 0) task.rope.in.at = task.rope.out.at;
    return task;
}

static bool is_guard(float word) {
    uint32_t bits;
    memcpy(&bits, &word, sizeof bits);
    return bits == GUARD;
}

bool trial_guards_hold(const struct trial *trial, const float *memory) {
    for (size_t i = 0; i < trial->n_outputs; memory += output_words(&trial->outputs[i]), i++) {
        const struct trial_output *o = &trial->outputs[i];
        for (size_t w = 0; w < output_words(o); w++) {
            bool in_rows = w >= GUARD_WORDS && w - GUARD_WORDS < o->n_rows * o->stride;
            bool written = in_rows && (w - GUARD_WORDS) % o->stride < o->width;
            if (!written && !is_guard(memory[w])) return false;
        }
    }
    return true;
}

/* Value j of row i. */
static double quantized_value(const struct quantized *x, size_t i, size_t j) {
    static const size_t order[] = {0, 2, 1, 3};
    size_t at = i * x->width + j;
    double scale = (double)x->scale[at / QUANT_BLOCK];
    if (x->bits == 8) return ((const int8_t *)x->q)[at / 4 * 4 + order[at % 4]] * scale;
    return ((const int16_t *)x->q)[at] * scale;
}

static size_t quantized_values(const struct trial *trial, const float *memory, double *values) {
    size_t n = trial->task.n * trial->shape.width, n_blocks = n / QUANT_BLOCK;
    const float *at[TRIAL_MAX_OUTPUTS];
    for (size_t o = 0; o < TRIAL_MAX_OUTPUTS; memory += output_words(&trial->outputs[o++]))
        at[o] = memory + GUARD_WORDS;
    const int32_t *sums = (const int32_t *)(const void *)at[3];
    struct quantized x = trial->task.quantize.out;
    memcpy(&x.q, &at[0], sizeof x.q), memcpy(&x.scale, &at[1], sizeof x.scale);
    for (size_t i = 0; values && i < n; i++)
        values[i] = quantized_value(&x, i / trial->shape.width, i % trial->shape.width);
    for (size_t i = 0; values && i < n_blocks; i++) {
        values[n + i] = (double)at[2][i];
        for (size_t half = 0; half < 2; half++)
            values[n + n_blocks + 2 * i + half] = (double)sums[2 * i + half] * (double)x.scale[i];
    }
    return n + 3 * n_blocks;
}

/* Keys, then values, of every slot of every page. */
static size_t stored_values(const struct trial *trial, const float *memory, double *values) {
    const struct kv *from = &trial->task.kv_store.kv;
    size_t pages = trial->outputs[0].n_rows, each = pages * from->n_kv_heads * KV_PAGE * from->key_dim;
    struct kv kv = *from;
    kv.keys = (char *)(uintptr_t)(memory + GUARD_WORDS);
    kv.values = (char *)kv.keys + output_words(&trial->outputs[0]) * sizeof *memory;
    for (size_t i = 0; values && i < each / kv.key_dim; i++, values += kv.key_dim) {
        size_t slot = i % KV_PAGE, head = i / KV_PAGE % kv.n_kv_heads, page = i / KV_PAGE / kv.n_kv_heads;
        kv_get_key(values, kv.type, kv_keys(&kv, page, head), slot, kv.key_dim);
        kv_get_value(values + each, kv.type, kv_values(&kv, page, head), slot, kv.key_dim);
    }
    return 2 * each;
}

size_t trial_values(const struct trial *trial, const float *memory, double *values) {
    size_t n = 0;
    if (strcmp(trial->op, "quantize") == 0) return quantized_values(trial, memory, values);
    if (strcmp(trial->op, "kv_store") == 0) return stored_values(trial, memory, values);
    for (size_t i = 0; i < trial->n_outputs; memory += output_words(&trial->outputs[i]), i++) {
        const struct trial_output *o = &trial->outputs[i];
        for (size_t r = 0; r < o->n_rows; r++)
            for (size_t j = 0; j < o->width; j++, n++)
                if (values) values[n] = (double)memory[GUARD_WORDS + r * o->stride + j];
    }
    return n;
}

/* --- definitions -----------------------------------------------------------------------------------------
 */

static double element(const struct rows *rows, size_t i, size_t j) {
    return (double)rows->at[i * rows->stride + j];
}

static void define_quantize(const struct trial *trial, double *values) {
    const struct rows *in = &trial->task.quantize.in;
    size_t n = trial->task.n * in->width;
    size_t n_blocks = n / QUANT_BLOCK;
    for (size_t i = 0; i < 3 * n_blocks; i++) values[n + i] = 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = element(in, i / in->width, i % in->width);
        values[n + i / QUANT_BLOCK] += values[i];
        values[n + n_blocks + i / (QUANT_BLOCK / 2)] += values[i];
    }
}

static void define_embed(const struct trial *trial, double *values) {
    const struct embed_task *t = &trial->task.embed;
    const struct dtype_info *info = dtype_info(t->type);
    size_t width = trial->shape.width, row_bytes = dtype_row_bytes(t->type, width);
    float block[KQUANT_BLOCK];
    for (size_t i = 0; i < trial->task.n * width; i++) {
        size_t id = (size_t)trial->task.tokens->ids[i / width], column = i % width;
        const char *row = (const char *)t->table + id * row_bytes;
        if (column % info->block_elements == 0)
            dtype_decode(block, t->type, row + column / info->block_elements * info->block_bytes,
                         info->block_elements);
        values[i] = (double)block[column % info->block_elements];
    }
}

static void define_select(const struct trial *trial, double *values) {
    const struct rows *in = &trial->task.select.in;
    for (size_t i = 0; i < trial->task.n * in->width; i++)
        values[i] = element(in, trial->task.tokens->wanted[i / in->width], i % in->width);
}

static void define_add(const struct trial *trial, double *values) {
    const struct rows *in = &trial->task.add.in;
    for (size_t i = 0; i < trial->task.n * in->width; i++)
        values[i] = element(in, i / in->width, i % in->width) + (double)trial->outputs[0].initial[i];
}

/* x to so many bits, or to a multiple of `least` where that is coarser; to nearest even. */
static double to_bits(double x, int bits, double least) {
    int exponent;
    frexp(x, &exponent);
    double step = fmax(ldexp(1, exponent - bits), least);
    return rint(x / step) * step;
}

/* Element j of a head's key or value, of `dim`, as the type keeps it. */
static double kept(enum kv_type type, const struct rows *rows, size_t i, size_t head, size_t j, size_t dim) {
    double x = element(rows, i, head + j), largest = 0;
    if (type == KV_F32) return x;
    if (type == KV_F16) return to_bits(x, 11, 0x1p-24);
    if (type == KV_BF16) return to_bits(x, 8, 0x1p-133);
    size_t from = j / KV_BLOCK * KV_BLOCK, end = from + KV_BLOCK < dim ? from + KV_BLOCK : dim;
    for (size_t d = from; d < end; d++) largest = fmax(largest, fabs(element(rows, i, head + d)));
    float scale = (float)largest / 127, up = 127 / (float)largest;
    return scale < 0x1p-126F ? 0 : rint((double)((float)x * up)) * (double)scale;
}

/* Later tokens overwrite earlier ones at the same place, as in a batch. */
static void define_kv_store(const struct trial *trial, double *values) {
    const struct kv_store_task *t = &trial->task.kv_store;
    size_t dim = t->kv.key_dim, heads = t->kv.n_kv_heads;
    size_t n = trial->outputs[0].n_rows * heads * KV_PAGE * dim;
    for (size_t i = 0; i < 2 * n; i++) values[i] = 0;
    for (size_t i = 0; i < trial->task.n; i++) {
        size_t position = (size_t)trial->task.tokens->positions[i], slot = position % KV_PAGE;
        size_t page = (size_t)tokens_page(trial->task.tokens, i, position);
        for (size_t c = 0; c < t->k.width; c++) {
            size_t at = ((page * heads + c / dim) * KV_PAGE + slot) * dim + c % dim;
            size_t head = c / dim * dim;
            values[at] = kept(t->kv.type, &t->k, i, head, c % dim, dim);
            values[n + at] = kept(t->kv.type, &t->v, i, head, c % dim, dim);
        }
    }
}

bool trial_definition(const struct trial *trial, double *values) {
    static const struct {
        const char *op;
        void (*define)(const struct trial *, double *);
    } definitions[] = {{"quantize", define_quantize},
                       {"embed", define_embed},
                       {"select", define_select},
                       {"add", define_add},
                       {"kv_store", define_kv_store}};
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        if (strcmp(definitions[i].op, trial->op) == 0) {
            if (values) definitions[i].define(trial, values);
            return true;
        }
    return layers_define(trial, values);
}

size_t trial_width(const struct trial *trial) {
    const struct trial_shape *shape = &trial->shape;
    const struct matrices *m = &trial->task.experts.weights;
    size_t n = trial->task.experts.n_experts,
           width = shape->width > shape->n_cols ? shape->width : shape->n_cols;
    if (strcmp(trial->op, "head_linear") == 0)
        m = &trial->task.head_linear.weights, n = trial->task.head_linear.n_heads;
    else if (strcmp(trial->op, "experts") != 0) return width;
    for (size_t e = 0; e < n && m->codes; e++)
        if (m->codes[e].n_blocks * QUANT_BLOCK > width) width = m->codes[e].n_blocks * QUANT_BLOCK;
    return width;
}

size_t trial_row_width(const struct trial *trial) {
    bool rows = strcmp(trial->op, "quantize") != 0 && strcmp(trial->op, "kv_store") != 0;
    return rows ? trial->outputs[0].width : 0;
}

/* --- inputs -----------------------------------------------------------------------------------------------
 */

static size_t stride_of(const struct trial *t, size_t width) {
    return t->shape.strided ? width + GAP : width;
}

struct rows making_input(struct trial *t, struct synth *s, size_t n, size_t width) {
    struct rows rows = {.width = width, .stride = stride_of(t, width)};
    rows.at = synth_alloc(&t->arena, n * rows.stride, sizeof *rows.at);
    const float *values = synth_floats(&t->arena, s, t->shape.kind, n, width);
    for (size_t i = 0; i < n * rows.stride; i++) rows.at[i] = NAN;
    for (size_t i = 0; i < n; i++)
        memcpy(rows.at + i * rows.stride, values + i * width, width * sizeof *values);
    return rows;
}

static void output(struct trial *t, size_t at, size_t n, size_t width, size_t stride, const float *initial) {
    t->outputs[t->n_outputs++] = (struct trial_output){at, n, width, stride, initial};
}

void making_memory(struct trial *t, size_t at, size_t n, size_t width, const float *initial) {
    output(t, at, n, width, width, initial);
}

struct rows making_output(struct trial *t, size_t at, size_t n, size_t width, const float *initial) {
    output(t, at, n, width, stride_of(t, width), initial);
    return (struct rows){NULL, width, stride_of(t, width)};
}

static struct quantized quantized(struct arena *arena, const struct rows *in, size_t n, int bits,
                                  const struct lpanel *codes) {
    struct quantized q = {.bits = bits, .width = codes ? codes->n_blocks * QUANT_BLOCK : in->width};
    q.q = synth_alloc(arena, n * q.width, (size_t)q.bits / 8);
    q.sums = synth_alloc(arena, n * q.width / QUANT_BLOCK * 2, sizeof *q.sums);
    q.scale = synth_alloc(arena, n * q.width / QUANT_BLOCK, sizeof *q.scale);
    q.scaled_sum = synth_alloc(arena, n * q.width / QUANT_BLOCK, sizeof *q.scaled_sum);
    struct task task = {.n = n, .quantize = {.in = *in, .out = q}};
    if (codes) task.quantize.columns = codes->columns;
    kernel_find("quantize", "exact", "c")->run(&task, 0, n, NULL);
    return q;
}

struct quantized making_quantized(struct trial *t, const struct rows *in, size_t n,
                                  const struct lpanel *codes) {
    return quantized(&t->arena, in, n, t->shape.bits, codes);
}

struct lpanel *making_codes(struct trial *t, const struct layout *layout, size_t n_rows) {
    struct lpanel *codes = synth_alloc(&t->arena, 1, sizeof *codes);
    struct status st;
    if (!lpanel_make(codes, layout, n_rows, &t->arena, &st)) abort();
    return codes;
}

void *making_panels(struct trial *t, enum dtype type, const void *rows, size_t n_rows, size_t n_cols,
                    const struct lpanel *codes) {
    size_t bytes = codes ? codes->bytes : panel_bytes(type, n_cols);
    size_t n = (n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    uint8_t *packed = synth_alloc(&t->arena, n, bytes);
    for (size_t i = 0; i < n; i++)
        if (codes) lpanel_pack(packed + i * bytes, codes, i);
        else panel_pack(packed + i * bytes, type, rows, n_rows, n_cols, i);
    return packed;
}

/* Weights in a layout of another format, which `ref` reads as it lies. */
static void build_codes(struct trial *t, struct synth *s, bool panels) {
    const struct trial_shape *shape = &t->shape;
    struct linear_task *l = &t->task.linear;
    struct layout *layout = synth_alloc(&t->arena, 1, sizeof *layout);
    *l = (struct linear_task){.type = shape->type, .n_rows = shape->width, .n_cols = shape->n_cols};
    *layout = synth_layout(&t->arena, s, shape->kind, shape->type, shape->width, &l->n_cols);
    l->in = making_input(t, s, shape->n, l->n_cols);
    l->out = making_output(t, AT(linear.out.at), shape->n, shape->width, NULL);
    l->layout = layout;
    t->units = (shape->width + LINEAR_ROWS - 1) / LINEAR_ROWS;
    if (!panels) return;
    const struct lpanel *codes = l->codes = making_codes(t, layout, shape->width);
    l->weights = making_panels(t, shape->type, NULL, shape->width, l->n_cols, codes);
    l->quantized = making_quantized(t, &l->in, shape->n, codes);
}

static void build_linear(struct trial *t, struct synth *s, bool panels) {
    const struct trial_shape *shape = &t->shape;
    struct linear_task *l = &t->task.linear;
    *l = (struct linear_task){.type = shape->type, .n_rows = shape->width, .n_cols = shape->n_cols};
    void *weights = synth_weights(&t->arena, s, shape->kind, shape->type, shape->width, shape->n_cols);
    l->weights = weights;
    l->in = making_input(t, s, shape->n, shape->n_cols);
    l->out = making_output(t, AT(linear.out.at), shape->n, shape->width, NULL);
    t->units = (shape->width + LINEAR_ROWS - 1) / LINEAR_ROWS;
    if (!panels || !panel_bytes(shape->type, shape->n_cols)) return;
    l->weights = making_panels(t, shape->type, weights, shape->width, shape->n_cols, NULL);
    if (panel_form_of(shape->type) != PANEL_NONE) l->quantized = making_quantized(t, &l->in, shape->n, NULL);
}

void making_rounded(struct arena *arena, const struct rows *rows, size_t n, int bits,
                    const struct lpanel *codes) {
    struct quantized x = quantized(arena, rows, n, bits, codes);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < x.width; j++) {
            int32_t column = codes && codes->columns ? codes->columns[j] : (int32_t)j;
            if (column >= 0) rows->at[i * rows->stride + (size_t)column] = (float)quantized_value(&x, i, j);
        }
}

void trial_decode_input(struct trial *t) {
    const struct linear_task *l = &t->task.linear;
    const struct lpanel *codes = l->layout ? making_codes(t, l->layout, l->n_rows) : NULL;
    making_rounded(&t->arena, &l->in, t->task.n, t->shape.bits, codes);
}

struct tokens *making_tokens(struct trial *t, struct synth *s, size_t *n_pages) {
    size_t n = t->shape.n, last = t->shape.positions ? t->shape.positions - 1 : 0;
    size_t pages = last / KV_PAGE + 1;
    struct tokens *tokens = synth_alloc(&t->arena, 1, sizeof *tokens);
    int32_t *ids = synth_alloc(&t->arena, n, sizeof *ids),
            *positions = synth_alloc(&t->arena, n, sizeof *ids);
    int32_t *sequences = synth_alloc(&t->arena, n, sizeof *ids);
    int32_t *table = synth_alloc(&t->arena, 2 * pages, sizeof *table);
    size_t *wanted = synth_alloc(&t->arena, n, sizeof *wanted);
    *n_pages = 2 * pages + 1;
    for (size_t i = 0; i < 2 * pages; i++) table[i] = (int32_t)(2 * pages - i);
    if (t->shape.first_page_masked) table[0] = -1;
    for (size_t i = 0; i < n; i++) {
        ids[i] = (int32_t)(synth_bits(s) % 7);
        sequences[i] = i % 3 == 2;
        positions[i] = (int32_t)(last >= n - 1 - i ? last - (n - 1 - i) : 0);
        wanted[i] = i / 2 * 2;
    }
    *tokens = (struct tokens){ids, positions, sequences, table, pages, wanted, NULL};
    return tokens;
}

struct kv making_pages(struct trial *t, struct synth *s, size_t n_pages) {
    size_t heads = t->shape.n_kv_heads, dim = t->shape.head_dim;
    size_t value_dim = t->shape.value_dim ? t->shape.value_dim : dim, n = n_pages * heads * KV_PAGE;
    struct kv kv = {.type = t->shape.kv, .n_kv_heads = heads, .key_dim = dim, .value_dim = value_dim};
    size_t key_bytes = heads * kv_key_bytes(kv.type, dim);
    kv.page_stride = key_bytes + heads * kv_value_bytes(kv.type, value_dim);
    kv.keys = synth_alloc(&t->arena, n_pages, kv.page_stride);
    kv.values = (char *)kv.keys + key_bytes;
    const float *keys = synth_floats(&t->arena, s, t->shape.kind, n, dim);
    const float *values = synth_floats(&t->arena, s, t->shape.kind, n, value_dim);
    for (size_t i = 0; i < n; i++) {
        size_t slot = i % KV_PAGE, head = i / KV_PAGE % heads, page = i / KV_PAGE / heads;
        kv_put_key(kv.type, kv_keys(&kv, page, head), slot, keys + i * dim, dim);
        kv_put_value(kv.type, kv_values(&kv, page, head), slot, values + i * value_dim, value_dim);
    }
    return kv;
}

/* What lies behind a token in its page is nobody's business: poison it. */
static void poison_future(const struct kv *kv, const struct tokens *tokens, size_t row) {
    size_t position = (size_t)tokens->positions[row], slot = position % KV_PAGE;
    int32_t page = tokens_page(tokens, row, position);
    float nans[4096];
    for (size_t d = 0; d < sizeof nans / sizeof *nans; d++) nans[d] = NAN;
    for (size_t head = 0; page >= 0 && head < kv->n_kv_heads; head++)
        for (size_t j = slot + 1; j < KV_PAGE; j++) {
            kv_put_key(kv->type, kv_keys(kv, (size_t)page, head), j, nans, kv->key_dim);
            kv_put_value(kv->type, kv_values(kv, (size_t)page, head), j, nans, kv->value_dim);
        }
}

static void build_attention(struct trial *t, struct synth *s) {
    const struct trial_shape *shape = &t->shape;
    struct attention_task *a = &t->task.attention;
    size_t n_pages, heads = shape->n_kv_heads * shape->group;
    struct tokens *of = making_tokens(t, s, &n_pages);
    t->task.tokens = of;
    a->q = making_input(t, s, shape->n, heads * shape->head_dim);
    a->kv = making_pages(t, s, n_pages);
    a->n_heads = heads;
    a->scale = 1 / sqrtf((float)shape->head_dim);
    a->window = shape->window;
    a->cap = shape->cap;
    a->rows_per_unit = t->shape.rows_per_unit ? t->shape.rows_per_unit : 1;
    if (shape->sinks) a->sinks = synth_floats(&t->arena, s, shape->kind, 1, heads);
    a->out = making_output(t, AT(attention.out.at), shape->n, heads * a->kv.value_dim, NULL);
    t->units = attention_blocks(shape->n, a->rows_per_unit) * shape->n_kv_heads;
    if (shape->n == 1) poison_future(&a->kv, of, 0);
}

static void build_rope(struct trial *t, struct synth *s) {
    const struct trial_shape *shape = &t->shape;
    struct rope_task *r = &t->task.rope;
    size_t n_pages,
        dims = shape->head_dim / 4 * 2 + 2 > shape->head_dim ? shape->head_dim : shape->head_dim / 4 * 2 + 2;
    size_t context = shape->positions, heads = shape->n_kv_heads * shape->group;
    float *cos_table = synth_alloc(&t->arena, context * dims, sizeof *cos_table);
    float *sin_table = synth_alloc(&t->arena, context * dims, sizeof *sin_table);
    for (size_t i = 0; i < context * (dims / 2); i++) {
        size_t position = i / (dims / 2), pair = i % (dims / 2);
        double angle = (double)position / (double)(1 + pair);
        cos_table[i] = (float)cos(angle), sin_table[i] = (float)sin(angle);
    }
    t->task.tokens = making_tokens(t, s, &n_pages);
    *r = (struct rope_task){.n_heads = heads, .dims = dims, .halves = shape->halves};
    r->cos[0] = r->cos[1] = cos_table, r->sin[0] = r->sin[1] = sin_table;
    const float *x = synth_floats(&t->arena, s, shape->kind, shape->n, heads * shape->head_dim);
    r->out = making_output(t, AT(rope.out.at), shape->n, heads * shape->head_dim, x);
    r->in = r->out; /* in place: trial_outputs points it there */
}

static void build_kv_store(struct trial *t, struct synth *s) {
    const struct trial_shape *shape = &t->shape;
    struct kv_store_task *k = &t->task.kv_store;
    size_t n_pages, width = shape->n_kv_heads * shape->head_dim;
    t->task.tokens = making_tokens(t, s, &n_pages);
    k->k = making_input(t, s, shape->n, width);
    k->v = making_input(t, s, shape->n, width);
    k->kv = (struct kv){.type = shape->kv, .n_kv_heads = shape->n_kv_heads, .key_dim = shape->head_dim};
    k->kv.value_dim = shape->head_dim;
    k->kv.page_stride = k->kv.n_kv_heads * kv_value_bytes(shape->kv, shape->head_dim);
    size_t page = k->kv.page_stride / sizeof(float);
    const float *before = synth_alloc(&t->arena, n_pages * page, sizeof *before);
    output(t, AT(kv_store.kv.keys), n_pages, page, page, before);
    output(t, AT(kv_store.kv.values), n_pages, page, page, before);
}

static void build_quantize(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width, blocks = width / QUANT_BLOCK;
    t->task.quantize.in = making_input(t, s, n, width);
    size_t words = width * (size_t)t->shape.bits / 8 / sizeof(float);
    t->task.quantize.out.width = width, t->task.quantize.out.bits = t->shape.bits;
    output(t, AT(quantize.out.q), n, words, words, NULL);
    output(t, AT(quantize.out.scale), n, blocks, blocks, NULL);
    output(t, AT(quantize.out.scaled_sum), n, blocks, blocks, NULL);
    output(t, AT(quantize.out.sums), n, 2 * blocks, 2 * blocks, NULL);
}

static void build_rows(struct trial *t, struct synth *s) {
    size_t n = t->shape.n, width = t->shape.width, n_pages;
    struct task *task = &t->task;
    task->tokens = making_tokens(t, s, &n_pages);
    if (strcmp(t->op, "embed") == 0) {
        task->embed.type = t->shape.type;
        task->embed.table = synth_weights(&t->arena, s, t->shape.kind, t->shape.type, 7, width);
        task->embed.scale = 1;
        task->embed.out = making_output(t, AT(embed.out.at), n, width, NULL);
    } else if (strcmp(t->op, "rms_norm") == 0) {
        task->rms_norm.in = making_input(t, s, n, width);
        task->rms_norm.weight = synth_floats(&t->arena, s, SYNTH_UNIFORM, 1, width);
        task->rms_norm.eps = 1e-5F;
        task->rms_norm.n_heads = width % 8 == 0 ? 4 : 1, task->rms_norm.dim = width / task->rms_norm.n_heads;
        task->rms_norm.out = making_output(t, AT(rms_norm.out.at), n, width, NULL);
    } else if (strcmp(t->op, "swiglu") == 0) {
        task->swiglu.gate = making_input(t, s, n, width);
        task->swiglu.up = making_input(t, s, n, width);
        task->swiglu.out = making_output(t, AT(swiglu.out.at), n, width, NULL);
    } else if (strcmp(t->op, "add") == 0) {
        task->add.in = making_input(t, s, n, width);
        task->add.out =
            making_output(t, AT(add.out.at), n, width, synth_floats(&t->arena, s, t->shape.kind, n, width));
    } else if (strcmp(t->op, "select") == 0) {
        task->select.in = making_input(t, s, n, width);
        task->select.out = making_output(t, AT(select.out.at), n, width, NULL);
    }
}

void trial_build(struct trial *t, const char *op, const struct trial_shape *shape, bool panels) {
    struct synth s = {shape->width * 31 + shape->n_cols * 7 + shape->n};
    *t = (struct trial){.op = op, .panels = panels, .shape = *shape, .units = shape->n};
    t->task.n = shape->n;
    if (strcmp(op, "linear_codes") == 0) build_codes(t, &s, panels);
    else if (strncmp(op, "linear", 6) == 0) build_linear(t, &s, panels);
    else if (strcmp(op, "attention") == 0) build_attention(t, &s);
    else if (strcmp(op, "rope") == 0) build_rope(t, &s);
    else if (strcmp(op, "kv_store") == 0) build_kv_store(t, &s);
    else if (strcmp(op, "quantize") == 0) build_quantize(t, &s);
    else if (!layers_build(t, &s)) build_rows(t, &s);
}

void trial_release(struct trial *t) { arena_release(&t->arena); }

/* --- shapes -----------------------------------------------------------------------------------------------
 */

static const size_t sizes[] = {1, 7, 15, 16, 17, 64, 255, 256, 257};
static const size_t row_counts[] = {0, 1, 2, 3, 5, 8, 9, 17};
enum { N_SIZES = sizeof sizes / sizeof *sizes, N_ROWS = sizeof row_counts / sizeof *row_counts };

/* Each dimension through its sizes with the others at their middle, then every kind of number at a size with
 * a tail, close together and apart. */
static bool sized(struct trial_shape *shape, size_t i, size_t block) {
    enum { KINDS = SYNTH_KINDS * 2 };
    if (i < N_SIZES) shape->width = block ? sizes[i] / 8 * block + block : sizes[i];
    else if (i -= N_SIZES, i < N_ROWS) shape->n = row_counts[i];
    else if (i -= N_ROWS, i < KINDS)
        shape->kind = (enum synth_kind)(i / 2), shape->strided = i % 2, shape->width = block ? 3 * block : 77;
    else return false;
    return true;
}

static bool linear_shape(struct trial_shape *shape, size_t i) {
    size_t block = dtype_info(shape->type)->block_elements;
    if (i < N_SIZES) {
        shape->n_cols = block == 1 ? sizes[i] : sizes[i] / 8 * block + block;
        return true;
    }
    if (!sized(shape, i - N_SIZES, 0)) return false;
    if (shape->n_cols % block) shape->n_cols = block;
    if (shape->kind != SYNTH_UNIFORM || shape->strided) shape->n_cols = block == 1 ? 77 : 3 * block;
    return true;
}

enum { N_MORE = 16 };

/* Windows within a page, over pages, over spans; sinks; values narrower and wider than keys. */
static bool attention_shape(struct trial_shape *shape, size_t i) {
    static const struct {
        size_t positions, window, head_dim, value_dim, group;
        bool sinks, masked;
        float cap;
        size_t n;
    } more[N_MORE] = {{70, 5, 32, 0, 3, false, false, 0, 5},    {70, 40, 32, 0, 3, true, false, 0, 5},
                      {70, 64, 16, 0, 1, false, true, 0, 5},    {1100, 600, 32, 0, 2, true, false, 0, 5},
                      {20, 64, 32, 0, 3, true, false, 0, 5},    {70, 0, 40, 32, 4, false, false, 0, 5},
                      {70, 0, 24, 40, 2, true, false, 0, 5},    {1100, 1, 32, 0, 3, false, false, 0, 5},
                      {20, 0, 32, 0, 3, true, true, 0, 5},      {70, 0, 80, 0, 4, false, false, 0.3F, 9},
                      {70, 9, 96, 0, 2, true, false, 2, 20},    {40, 0, 192, 128, 3, false, false, 0, 9},
                      {34, 0, 576, 512, 9, false, false, 0, 3}, {34, 0, 256, 0, 1, false, false, 0, 10},
                      {530, 33, 64, 0, 4, false, true, 0, 21},  {37, 0, 64, 0, 71, false, false, 50, 3}};
    if (i >= N_MORE) return false;
    shape->positions = more[i].positions, shape->window = more[i].window, shape->head_dim = more[i].head_dim;
    shape->value_dim = more[i].value_dim, shape->group = more[i].group, shape->sinks = more[i].sinks;
    shape->first_page_masked = more[i].masked, shape->cap = more[i].cap, shape->n = more[i].n;
    return true;
}

/* The other types of keys and values: around the ends of pages, spans, blocks and quads; every kind of
 * number.
 */
static bool kv_shape(struct trial_shape *shape, size_t i) {
    static const size_t dims[] = {1, 16, 31, 33, 64, 80, 130};
    static const size_t positions[] = {1, 31, 32, 33, 512, 513};
    enum { DIMS = 7, POSITIONS = 6, KINDS = SYNTH_KINDS, EACH = DIMS + POSITIONS + KINDS };
    if (i >= EACH * (KV_TYPES - 1)) return false;
    shape->kv = (enum kv_type)(1 + i / EACH), shape->rows_per_unit = 1 + i % 7, i %= EACH;
    if (i < DIMS) shape->head_dim = dims[i], shape->n = 9, shape->window = i % 2 * 35;
    else if (i -= DIMS, i < POSITIONS)
        shape->positions = positions[i], shape->n = 1 + i % 2, shape->cap = (float)i;
    else shape->kind = (enum synth_kind)(i - POSITIONS), shape->strided = i % 2, shape->sinks = i % 3 == 0;
    return true;
}

static bool head_shape(struct trial_shape *shape, const char *op, size_t i) {
    static const size_t dims[] = {2, 16, 18, 30, 64, 80, 128, 130};
    static const size_t odd[] = {1, 7, 15, 16, 17, 64, 129, 257};
    static const size_t groups[] = {1, 4, 7, 12};
    static const size_t positions[] = {1, 31, 32, 33, 64, 511, 512, 513, 1100};
    enum { DIMS = 8, GROUPS = 4, POSITIONS = 9, KINDS = SYNTH_KINDS * 2 };
    bool rope = strcmp(op, "rope") == 0;
    shape->rows_per_unit = 1 + i % 5;
    if (i < DIMS) shape->head_dim = rope ? dims[i] : odd[i], shape->halves = i % 2;
    else if (i -= DIMS, i < GROUPS) shape->group = groups[i], shape->n_kv_heads = 1 + i % 2 * 7;
    else if (i -= GROUPS, i < POSITIONS) shape->positions = positions[i], shape->n = 1 + i % 2;
    else if (i -= POSITIONS, i < N_ROWS) shape->n = row_counts[i], shape->halves = i % 2;
    else if (i -= N_ROWS, i < KINDS)
        shape->kind = (enum synth_kind)(i / 2), shape->strided = i % 2, shape->halves = i % 2;
    else if (strcmp(op, "kv_store") == 0) return kv_shape(shape, i - KINDS);
    else if (strcmp(op, "attention") != 0) return false;
    else if (i == KINDS) shape->first_page_masked = true;
    else if (i == KINDS + 1) /* nothing but masked positions */
        shape->first_page_masked = true, shape->positions = 20, shape->n = 1;
    else return attention_shape(shape, i - KINDS - 2) || kv_shape(shape, i - KINDS - 2 - N_MORE);
    return true;
}

static bool next_shape(struct trial_shape *shape, const char *op, enum dtype type, size_t i) {
    *shape = (struct trial_shape){.n = 5,
                                  .width = 64,
                                  .n_cols = 64,
                                  .head_dim = 32,
                                  .n_kv_heads = 2,
                                  .group = 3,
                                  .positions = 70,
                                  .type = type,
                                  .bits = 16};
    if (strncmp(op, "linear", 6) == 0 || strcmp(op, "head_linear") == 0 || strcmp(op, "experts") == 0)
        return linear_shape(shape, i);
    if (strcmp(op, "attention") == 0 || strncmp(op, "dsa_", 4) == 0 || strcmp(op, "delta_net") == 0 ||
        strcmp(op, "rope") == 0 || strcmp(op, "kv_store") == 0)
        return head_shape(shape, op, i);
    size_t block = strcmp(op, "quantize") == 0 ? QUANT_BLOCK
                   : strcmp(op, "embed") == 0  ? dtype_info(type)->block_elements
                                               : 1;
    if (shape->width % block) shape->width = block;
    return sized(shape, i, block > 1 ? block : 0);
}

bool trial_takes_integers(const char *op, enum dtype type) {
    bool products =
        strncmp(op, "linear_", 7) == 0 || strcmp(op, "experts") == 0 || strcmp(op, "head_linear") == 0;
    bool own = type == DTYPE_GPTQ || type == DTYPE_AWQ || type == DTYPE_EXL2 || type == DTYPE_PACKED;
    return strcmp(op, "quantize") == 0 || (products && (own || panel_form_of(type) != PANEL_NONE));
}

bool trial_takes_pages(const char *op) { return strcmp(op, "attention") == 0 || strcmp(op, "kv_store") == 0; }

/* All shapes with either width of activations where those are integers. */
bool trial_next_shape(struct trial_shape *shape, const char *op, enum dtype type, size_t i) {
    if (!trial_takes_integers(op, type)) return next_shape(shape, op, type, i);
    if (!next_shape(shape, op, type, i / 2)) return false;
    shape->bits = i % 2 ? 8 : 16;
    return true;
}
