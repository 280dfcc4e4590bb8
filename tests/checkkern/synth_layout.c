#include "tests/checkkern/synth_layout.h"

#include <string.h>

enum { BLOCK = 32 };

static uint32_t *random_words(struct arena *arena, struct synth *s, enum synth_kind kind, size_t n) {
    uint32_t *words = synth_alloc(arena, n + 1, sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = kind != SYNTH_EXTREMES ? synth_bits(s) : synth_bits(s) & 1 ? UINT32_MAX : 0;
    return words;
}

/* F16 or BF16, so small that a row's sum stays in range. */
static void *random_scales(struct arena *arena, struct synth *s, enum synth_kind kind, enum dtype type,
                           size_t n) {
    uint16_t *halves = synth_alloc(arena, n + 1, sizeof *halves);
    for (size_t i = 0; i < n; i++) {
        float scale = kind == SYNTH_ZEROS              ? 0
                      : kind == SYNTH_SUBNORMAL_SCALES ? 0x1p-20F * synth_unit(s)
                                                       : 0.01F * synth_unit(s);
        uint32_t bits;
        memcpy(&bits, &scale, sizeof bits);
        halves[i] = type == DTYPE_BF16 ? (uint16_t)(bits >> 16) : dtype_f32_to_f16(scale);
    }
    return halves;
}

static size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

static void shuffle(uint32_t *at, struct synth *s, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t j = synth_bits(s) % i;
        uint32_t t = at[i - 1];
        at[i - 1] = at[j], at[j] = t;
    }
}

/* Columns of every group, in any order; or of groups that are not even. */
static uint32_t *random_map(struct arena *arena, struct synth *s, size_t n_cols, size_t group,
                            size_t n_groups) {
    uint32_t *map = synth_alloc(arena, n_cols + 1, sizeof *map);
    bool even = synth_bits(s) & 1;
    for (size_t c = 0; c < n_cols; c++) map[c] = (uint32_t)(even ? c / group : synth_bits(s) % n_groups);
    shuffle(map, s, n_cols);
    return map;
}

static struct layout_groups groups(struct arena *arena, struct synth *s, enum synth_kind kind, unsigned bits,
                                   size_t width, size_t n_cols, bool may_map) {
    static const size_t sizes[] = {32, 64, 128, 0, 16, 48};
    struct layout_groups g = {.bits = bits, .width = width, .group = sizes[synth_bits(s) % 6]};
    if (!g.group) g.group = n_cols;
    size_t n_groups = divide_up(n_cols, g.group);
    g.scale_type = synth_bits(s) & 1 ? DTYPE_BF16 : DTYPE_F16;
    g.scales = random_scales(arena, s, kind, g.scale_type, n_groups * width);
    g.zeros = random_words(arena, s, kind, (n_groups + 1) * divide_up(width * bits + 32, 32));
    if (may_map && synth_bits(s) & 1) g.map = random_map(arena, s, n_cols, g.group, n_groups);
    return g;
}

static void make_gptq(struct layout *l, struct arena *arena, struct synth *s, enum synth_kind kind,
                      size_t n_rows) {
    static const unsigned widths[] = {4, 3, 8, 2};
    unsigned bits = widths[synth_bits(s) % 4];
    size_t width = divide_up(n_rows, 32) * 32;
    l->kind = LAYOUT_GPTQ;
    l->gptq.groups = groups(arena, s, kind, bits, width, l->n_cols, true);
    l->gptq.zeros_minus_one = synth_bits(s) & 1;
    l->data = random_words(arena, s, kind, divide_up(l->n_cols * bits, 32) * width);
}

static void make_awq(struct layout *l, struct arena *arena, struct synth *s, enum synth_kind kind,
                     size_t n_rows) {
    size_t width = divide_up(n_rows, 8) * 8;
    l->kind = LAYOUT_AWQ;
    l->awq = groups(arena, s, kind, 4, width, l->n_cols, false);
    l->data = random_words(arena, s, kind, l->n_cols * width / 8);
}

static void make_packed(struct layout *l, struct arena *arena, struct synth *s, enum synth_kind kind,
                        size_t n_rows) {
    unsigned bits = synth_bits(s) & 1 ? 4 : 8;
    l->kind = LAYOUT_PACKED;
    l->packed = groups(arena, s, kind, bits, n_rows, l->n_cols, true);
    if (synth_bits(s) & 1) l->packed.zeros = NULL;
    l->data = random_words(arena, s, kind, n_rows * divide_up(l->n_cols * bits, 32));
}

/* Runs of one to four blocks whose bits go down, and columns in any order. */
static void make_exl2(struct layout *l, struct arena *arena, struct synth *s, enum synth_kind kind,
                      size_t n_rows) {
    static const uint32_t widths[] = {8, 6, 5, 4, 3, 2};
    size_t width = divide_up(n_rows, 32) * 32, left = l->n_cols / BLOCK, words = 0, n = 0, at = 0;
    struct layout_exl2_run *runs = synth_alloc(arena, left, sizeof *runs);
    uint32_t *columns = synth_alloc(arena, l->n_cols, sizeof *columns);
    for (; left > 0; n++) {
        size_t blocks = 1 + synth_bits(s) % 4;
        if (blocks > left) blocks = left;
        at += at < 5 && (synth_bits(s) & 1);
        runs[n] = (struct layout_exl2_run){widths[at], (uint32_t)words, (uint32_t)(blocks * BLOCK)};
        words += blocks * widths[at], left -= blocks;
    }
    for (size_t c = 0; c < l->n_cols; c++) columns[c] = (uint32_t)c;
    shuffle(columns, s, l->n_cols);
    l->kind = LAYOUT_EXL2;
    l->exl2 = (struct layout_exl2){.width = width, .runs = runs, .n_runs = n, .columns = columns};
    l->exl2.scales = random_words(arena, s, kind, n * width / 8);
    l->exl2.scale_max = random_scales(arena, s, kind, DTYPE_F16, n);
    l->data = random_words(arena, s, kind, words * width);
}

struct layout synth_layout(struct arena *arena, struct synth *s, enum synth_kind kind, enum dtype type,
                           size_t n_rows, size_t *n_cols) {
    if (type == DTYPE_EXL2) *n_cols = divide_up(*n_cols, BLOCK) * BLOCK;
    struct layout layout = {.n_cols = *n_cols, .step = 1};
    if (type == DTYPE_GPTQ) make_gptq(&layout, arena, s, kind, n_rows);
    else if (type == DTYPE_AWQ) make_awq(&layout, arena, s, kind, n_rows);
    else if (type == DTYPE_EXL2) make_exl2(&layout, arena, s, kind, n_rows);
    else make_packed(&layout, arena, s, kind, n_rows);
    return layout;
}
