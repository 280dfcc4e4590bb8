#include "tests/checkkern/spoilt.h"

#include "engine/kernels/kpanel.h"
#include "engine/kernels/lpanel.h"

#include <stdlib.h>
#include <string.h>

static kernel_fn *true_kernel(const struct linear_task *t) {
    return t->codes ? linear_codes_exact_c : kernel_find_linear(t->type, "exact", "c")->run;
}

static void *copy_of(const void *from, size_t bytes) {
    void *copy = aligned_alloc(64, (bytes / 64 + 1) * 64);
    if (!copy) abort();
    if (bytes) memcpy(copy, from, bytes);
    return copy;
}

/* --- panels ----------------------------------------------------------------------------------------------
 */

/* A group of a panel. */
struct group {
    uint8_t *header, *lines;
    struct panel_shape shape;
    size_t n_blocks, scale_bytes;
};

typedef void change_fn(const struct group *group);

static void change_segment(uint8_t *panel, const struct lpanel_segment *s, change_fn *change) {
    for (size_t b = 0; b < s->n_blocks; b += CPANEL_BLOCKS) {
        size_t n = s->n_blocks - b < CPANEL_BLOCKS ? s->n_blocks - b : CPANEL_BLOCKS;
        uint8_t *at = cpanel_group(panel + s->at, &s->form, b);
        struct panel_shape shape = {CPANEL_BLOCKS, cpanel_header(&s->form), s->form.bits, &s->form};
        change(&(struct group){at, at + shape.header_bytes, shape, n, dtype_row_bytes(s->form.type, 1)});
    }
}

static void change_blocks(uint8_t *panel, const struct linear_task *t, change_fn *change) {
    const struct panel_shape shape = panel_shape(panel_form_of(t->type));
    size_t n_blocks = t->n_cols / QUANT_BLOCK;
    for (size_t b = 0; b < n_blocks; b += shape.subs) {
        size_t n = n_blocks - b < shape.subs ? n_blocks - b : shape.subs;
        uint8_t *at = panel + b / shape.subs * shape.header_bytes + b * shape.lines * PANEL_LINE;
        change(&(struct group){at, at + shape.header_bytes, shape, n, 2});
    }
}

static void with_panels(const struct task *task, size_t begin, size_t end, void *scratch, change_fn *change) {
    struct task copy = *task;
    const struct linear_task *t = &task->linear;
    size_t bytes = t->codes ? t->codes->bytes : panel_bytes(t->type, t->n_cols);
    size_t n = (t->n_rows + LINEAR_ROWS - 1) / LINEAR_ROWS;
    uint8_t *weights = copy_of(t->weights, n * bytes);
    for (size_t p = 0; p < n; p++) {
        if (!t->codes) change_blocks(weights + p * bytes, t, change);
        for (size_t s = 0; t->codes && s < t->codes->n_segments; s++)
            change_segment(weights + p * bytes, &t->codes->segments[s], change);
    }
    copy.linear.weights = weights;
    true_kernel(t)(&copy, begin, end, scratch);
    free(weights);
}

static void swap_nibbles(const struct group *g) {
    size_t lines = g->shape.lines;
    for (size_t i = 0; i < g->n_blocks * lines * PANEL_LINE; i++)
        if (i / PANEL_LINE % lines < KPANEL_NIBBLES)
            g->lines[i] = (uint8_t)(g->lines[i] << 4 | g->lines[i] >> 4);
}

static void flip_last_line(const struct group *g) {
    size_t lines = g->shape.lines;
    for (size_t i = 0; i < g->n_blocks * lines * PANEL_LINE; i++)
        if (i / PANEL_LINE % lines == lines - 1) g->lines[i] ^= 0xFF;
}

static void rotate_scales(const struct group *g) {
    uint8_t first[4];
    size_t rest = (LINEAR_ROWS - 1) * g->scale_bytes;
    memcpy(first, g->header, g->scale_bytes);
    memmove(g->header, g->header + g->scale_bytes, rest);
    memcpy(g->header + rest, first, g->scale_bytes);
}

static void exchange_scales(const struct group *g) {
    for (uint8_t *at = g->header + KPANEL_SCALES; at < g->lines; at += 4) {
        uint8_t first[2] = {at[0], at[1]};
        memmove(at, at + 2, 2);
        memcpy(at + 2, first, 2);
    }
}

#define SPOILT_PANELS(name, change)                                                                          \
    void name(const struct task *task, size_t begin, size_t end, void *scratch) {                            \
        with_panels(task, begin, end, scratch, change);                                                      \
    }
SPOILT_PANELS(spoilt_nibbles_swapped, swap_nibbles)
SPOILT_PANELS(spoilt_high_bits_flipped, flip_last_line)
SPOILT_PANELS(spoilt_scale_of_the_next_row, rotate_scales)
SPOILT_PANELS(spoilt_scale_of_the_other_block, exchange_scales)

/* --- activations -----------------------------------------------------------------------------------------
 */

/* A row's scales and sums. */
struct sums {
    float *scale, *scaled_sum;
    int32_t *halves;
    size_t n_blocks;
};

static void with_sums(const struct task *task, size_t begin, size_t end, void *scratch,
                      void (*change)(const struct sums *row)) {
    struct task copy = *task;
    struct quantized *x = &copy.linear.quantized;
    size_t n_blocks = x->width / QUANT_BLOCK, n = task->n * n_blocks;
    x->scale = copy_of(x->scale, n * sizeof *x->scale);
    x->scaled_sum = copy_of(x->scaled_sum, n * sizeof *x->scaled_sum);
    x->sums = copy_of(x->sums, 2 * n * sizeof *x->sums);
    for (size_t at = 0; at < n; at += n_blocks)
        change(&(struct sums){x->scale + at, x->scaled_sum + at, x->sums + 2 * at, n_blocks});
    true_kernel (&task->linear)(&copy, begin, end, scratch);
    free(x->scale);
    free(x->scaled_sum);
    free(x->sums);
}

static void drop_sums(const struct sums *row) {
    memset(row->scaled_sum, 0, row->n_blocks * sizeof *row->scaled_sum);
    memset(row->halves, 0, 2 * row->n_blocks * sizeof *row->halves);
}

static void halve_sums(const struct sums *row) {
    for (size_t b = 0; b < row->n_blocks; b++) {
        row->halves[2 * b + 1] = 0;
        row->scaled_sum[b] = row->scale[b] * (float)row->halves[2 * b];
    }
}

static void skip_last_block(const struct sums *row) {
    row->scale[row->n_blocks - 1] = row->scaled_sum[row->n_blocks - 1] = 0;
    row->halves[2 * row->n_blocks - 2] = row->halves[2 * row->n_blocks - 1] = 0;
}

void spoilt_min_dropped(const struct task *task, size_t begin, size_t end, void *scratch) {
    with_sums(task, begin, end, scratch, drop_sums);
}

void spoilt_half_of_the_sums(const struct task *task, size_t begin, size_t end, void *scratch) {
    with_sums(task, begin, end, scratch, halve_sums);
}

/* --- tails -----------------------------------------------------------------------------------------------
 */

void spoilt_last_rows_skipped(const struct task *task, size_t begin, size_t end, void *scratch) {
    size_t whole = task->linear.n_rows / LINEAR_ROWS;
    true_kernel (&task->linear)(task, begin, end < whole ? end : whole > begin ? whole : begin, scratch);
}

static void skip_last_column(const struct task *task, size_t begin, size_t end, void *scratch) {
    struct task copy = *task;
    struct rows *in = &copy.linear.in;
    in->at = copy_of(in->at, task->n * in->stride * sizeof *in->at);
    for (size_t i = 0; i < task->n; i++) in->at[i * in->stride + in->width - 1] = 0;
    true_kernel (&task->linear)(&copy, begin, end, scratch);
    free(in->at);
}

void spoilt_last_columns_skipped(const struct task *task, size_t begin, size_t end, void *scratch) {
    if (task->linear.quantized.q) with_sums(task, begin, end, scratch, skip_last_block);
    else skip_last_column(task, begin, end, scratch);
}
