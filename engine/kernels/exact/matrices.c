/* Products with one matrix of several (matrices.h). */
#include "engine/kernels/exact/matrices.h"

#include "engine/kernels/lpanel.h"
#include "engine/kernels/panel.h"

#include <string.h>

/* The kernel of `linear` for a type; NULL for those that have none. */
static kernel_fn *kernel_of(enum dtype type) {
    switch ((int)type) {
    case DTYPE_F32: return EXACT(linear_f32);
    case DTYPE_F16: return EXACT(linear_f16);
    case DTYPE_BF16: return EXACT(linear_bf16);
    case DTYPE_Q8_0: return EXACT(linear_q8_0);
    case DTYPE_Q4_0: return EXACT(linear_q4_0);
    case DTYPE_Q4_1: return EXACT(linear_q4_1);
    case DTYPE_Q5_0: return EXACT(linear_q5_0);
    case DTYPE_Q5_1: return EXACT(linear_q5_1);
    case DTYPE_Q2_K: return EXACT(linear_q2_k);
    case DTYPE_Q3_K: return EXACT(linear_q3_k);
    case DTYPE_Q4_K: return EXACT(linear_q4_k);
    case DTYPE_Q5_K: return EXACT(linear_q5_k);
    case DTYPE_Q6_K: return EXACT(linear_q6_k);
    case DTYPE_IQ4_NL: return EXACT(linear_iq4_nl);
    case DTYPE_IQ4_XS: return EXACT(linear_iq4_xs);
    case DTYPE_MXFP4: return EXACT(linear_mxfp4);
    default: return EXACT(linear_codes);
    }
}

/* Numbers of any kind, one array behind the other, each from a multiple of 64 bytes on. */
static void *take(char **room, size_t bytes) {
    void *at = *room;
    *room += (bytes + 63) / 64 * 64;
    return at;
}

static struct quantized room_for(char **room, int bits, size_t width, size_t n) {
    size_t n_blocks = width / QUANT_BLOCK;
    struct quantized q = {.bits = bits, .width = width};
    q.q = take(room, n * width * (size_t)bits / 8);
    q.scale = take(room, n * n_blocks * sizeof *q.scale);
    q.scaled_sum = take(room, n * n_blocks * sizeof *q.scaled_sum);
    q.sums = take(room, n * n_blocks * 2 * sizeof *q.sums);
    return q;
}

/* Row `row` of a quantised input alone. */
static struct quantized row_of(const struct quantized *x, size_t row) {
    size_t n_blocks = x->width / QUANT_BLOCK;
    struct quantized one = *x;
    one.q = (char *)x->q + row * x->width * (size_t)x->bits / 8;
    one.scale += row * n_blocks, one.scaled_sum += row * n_blocks, one.sums += row * 2 * n_blocks;
    return one;
}

static void copy_row(const struct quantized *to, const struct quantized *from) {
    size_t n_blocks = from->width / QUANT_BLOCK;
    memcpy(to->q, from->q, from->width * (size_t)from->bits / 8);
    memcpy(to->scale, from->scale, n_blocks * sizeof *to->scale);
    memcpy(to->scaled_sum, from->scaled_sum, n_blocks * sizeof *to->scaled_sum);
    memcpy(to->sums, from->sums, 2 * n_blocks * sizeof *to->sums);
}

/* The rows' activations side by side as integers. One row that is there already stays where it is. */
static struct quantized gather_integers(char **room, const struct matrices *m, size_t matrix,
                                        const struct matrices_rows *rows, const struct quantized *x) {
    const struct lpanel *codes = m->codes ? &m->codes[matrix] : NULL;
    size_t width = codes ? codes->n_blocks * QUANT_BLOCK : m->n_cols;
    struct quantized all;
    if (x->q && rows->n == 1) return row_of(x, rows->quantized[0]);
    all = room_for(room, x->bits, width, rows->n);
    for (size_t i = 0; i < rows->n; i++) {
        struct quantized to = row_of(&all, i), from;
        if (x->q) {
            from = row_of(x, rows->quantized[i]);
            copy_row(&to, &from);
            continue;
        }
        struct task task = {.n = 1, .quantize = {.out = to, .columns = codes ? codes->columns : NULL}};
        memcpy(&task.quantize.in.at, &rows->in[i], sizeof rows->in[i]); /* which nobody writes */
        task.quantize.in.width = task.quantize.in.stride = m->n_cols;
        EXACT(quantize)(&task, 0, 1, NULL);
    }
    return all;
}

static struct rows gather_floats(char **room, const struct matrices *m, const struct matrices_rows *rows) {
    struct rows all = {.width = m->n_cols, .stride = m->n_cols};
    all.at = take(room, rows->n * m->n_cols * sizeof *all.at);
    for (size_t i = 0; i < rows->n; i++)
        memcpy(all.at + i * m->n_cols, rows->in[i], m->n_cols * sizeof *all.at);
    return all;
}

/* `from`, rows of `stride` results, to where they belong, from result `first` on. */
static void scatter(const struct matrices_rows *rows, const float *from, size_t stride, size_t first,
                    size_t n, const float *bias) {
    for (size_t i = 0; i < rows->n; i++) {
        float *to = rows->out[i] + first;
        memcpy(to, from + i * stride, n * sizeof *to);
        for (size_t r = 0; bias && r < n; r++) to[r] += bias[first + r];
    }
}

void EXACT(matrices)(const struct matrices *m, size_t matrix, size_t first, size_t end,
                     const struct matrices_rows *rows, const struct quantized *x, const float *bias,
                     char *scratch) {
    enum { MOST = MATRICES_PANELS * LINEAR_ROWS };
    const struct lpanel *codes = m->codes ? &m->codes[matrix] : NULL;
    const size_t bytes = codes ? codes->bytes : panel_bytes(m->type, m->n_cols);
    kernel_fn *run = kernel_of(m->type);
    struct task task = {.n = rows->n};
    struct linear_task *t = &task.linear;
    *t = (struct linear_task){.type = m->type, .n_cols = m->n_cols, .codes = codes};
    char *room = scratch + matrices_offset(codes ? codes->n_blocks * QUANT_BLOCK : m->n_cols);
    float *results = take(&room, rows->n * MOST * sizeof *results);
    if (m->is_float) t->in = gather_floats(&room, m, rows);
    else t->quantized = gather_integers(&room, m, matrix, rows, x);
    for (size_t panel = first; panel < end; panel += MATRICES_PANELS) {
        size_t n = end - panel < MATRICES_PANELS ? end - panel : MATRICES_PANELS, row = panel * LINEAR_ROWS;
        t->weights = (const char *)m->panels[matrix] + panel * bytes;
        t->n_rows = m->n_rows - row < n * LINEAR_ROWS ? m->n_rows - row : n * LINEAR_ROWS;
        t->out = (struct rows){results, t->n_rows, MOST};
        run(&task, 0, n, scratch);
        scatter(rows, results, MOST, row, t->n_rows, bias);
    }
}
