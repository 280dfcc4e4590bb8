#include "tests/checkkern/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *synth_kind_name(enum synth_kind kind) {
    static const char *const names[] = {"uniform", "zeros",     "extremes",
                                        "outlier", "subnormal", "subnormal-scale"};
    return names[kind];
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
uint32_t synth_bits(struct synth *s) {
    uint64_t z = s->state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return (uint32_t)(z >> 32);
}

float synth_unit(struct synth *s) { return (float)((double)synth_bits(s) / 0x1p31 - 1) * 0.999F; }

void *synth_alloc(struct arena *arena, size_t n, size_t size) {
    struct status st = {0};
    void *at = arena_alloc(arena, n, size, &st);
    if (!at) {
        fprintf(stderr, "a test needs more memory: %s\n", st.message);
        abort();
    }
    return at;
}

static float one_float(struct synth *s, enum synth_kind kind) {
    float x = synth_unit(s);
    switch (kind) {
    case SYNTH_UNIFORM:
    case SYNTH_OUTLIER:
    case SYNTH_SUBNORMAL_SCALES:
    case SYNTH_KINDS: return x;
    case SYNTH_ZEROS: return 0;
    case SYNTH_EXTREMES: return x < 0 ? -1 : 1;
    case SYNTH_SUBNORMAL: return x * 0x1p-127F;
    }
    return x;
}

float *synth_floats(struct arena *arena, struct synth *s, enum synth_kind kind, size_t n_rows, size_t width) {
    float *at = synth_alloc(arena, n_rows * width, sizeof *at);
    for (size_t i = 0; i < n_rows * width; i++) at[i] = one_float(s, kind);
    for (size_t i = 0; kind == SYNTH_OUTLIER && width && i < n_rows; i++)
        at[i * width + synth_bits(s) % width] *= 1000;
    return at;
}

/* A scale as stored: so that weights lie within about 1 / 8; a subnormal half; 0. */
static uint16_t one_scale(struct synth *s, enum synth_kind kind, float largest) {
    if (kind == SYNTH_ZEROS) return 0;
    if (kind == SYNTH_SUBNORMAL_SCALES) return (uint16_t)(synth_bits(s) & 0x83FF);
    return dtype_f32_to_f16((synth_unit(s) + 1.5F) / (16 * largest));
}

static uint8_t one_quant(struct synth *s, enum synth_kind kind, bool nibbles) {
    uint32_t bits = synth_bits(s);
    if (kind != SYNTH_EXTREMES) return (uint8_t)bits;
    if (nibbles) return (uint8_t)((bits & 1 ? 0xF0 : 0) | (bits & 2 ? 0x0F : 0));
    return bits & 1 ? 0x80 : 0x7F; /* -128 and 127 */
}

/* Where the halves of a block lie, and what the quants and sub-scales make of one at most. */
static const struct layout {
    enum dtype type;
    size_t scale_at;
    float largest;
    size_t min_at; /* 0: none */
    float largest_min;
    bool min_is_added;
} layouts[] = {
    {DTYPE_Q4_0, 0, 8, 0, 0, false},          {DTYPE_Q4_1, 0, 8, 2, 8, true},
    {DTYPE_Q5_0, 0, 16, 0, 0, false},         {DTYPE_Q5_1, 0, 16, 2, 16, true},
    {DTYPE_Q8_0, 0, 128, 0, 0, false},        {DTYPE_IQ4_NL, 0, 127, 0, 0, false},
    {DTYPE_Q2_K, 80, 15 * 3, 82, 15, false},  {DTYPE_Q3_K, 108, 32 * 4, 0, 0, false},
    {DTYPE_Q4_K, 0, 63 * 15, 2, 63, false},   {DTYPE_Q5_K, 0, 63 * 31, 2, 63, false},
    {DTYPE_Q6_K, 208, 128 * 32, 0, 0, false}, {DTYPE_IQ4_XS, 0, 32 * 127, 0, 0, false},
};

static bool holds_bytes(enum dtype type, size_t at) {
    return type == DTYPE_Q8_0 || (type == DTYPE_Q6_K && at >= 192);
}

static const struct layout *layout_of(enum dtype type) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].type == type) return &layouts[i];
    return NULL;
}

static void fill_block(uint8_t *block, struct synth *s, enum synth_kind kind, enum dtype type) {
    const struct layout *l = layout_of(type);
    size_t bytes = dtype_info(type)->block_bytes;
    for (size_t i = 0; i < bytes;) {
        bool scale = l && i == l->scale_at, min = l && l->min_at && i == l->min_at;
        if (!scale && !min) {
            block[i] = one_quant(s, kind, !holds_bytes(type, i));
            i++;
            continue;
        }
        uint16_t half = one_scale(s, kind, scale ? l->largest : l->largest_min);
        if (min && l->min_is_added) half ^= 0x8000; /* mostly negative */
        memcpy(block + i, &half, sizeof half);
        i += sizeof half;
    }
    if (type != DTYPE_MXFP4) return;
    block[0] = kind == SYNTH_SUBNORMAL_SCALES ? block[0] & 1 : 120 + (block[0] & 3);
    if (kind == SYNTH_ZEROS) memset(block, 0, bytes); /* its scale is a power of two, and never 0 */
}

static void fill_f16(uint16_t *halves, struct synth *s, enum synth_kind kind, size_t n) {
    for (size_t i = 0; i < n; i++)
        halves[i] =
            kind == SYNTH_SUBNORMAL_SCALES ? one_scale(s, kind, 1) : dtype_f32_to_f16(one_float(s, kind));
}

static void fill_bf16(uint8_t *at, struct synth *s, enum synth_kind kind, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float value = one_float(s, kind);
        memcpy(at + 2 * i, (const uint8_t *)&value + 2, 2);
    }
}

void *synth_weights(struct arena *arena, struct synth *s, enum synth_kind kind, enum dtype type,
                    size_t n_rows, size_t n_cols) {
    if (type == DTYPE_F32) return synth_floats(arena, s, kind, n_rows, n_cols);
    size_t row_bytes = dtype_row_bytes(type, n_cols), block_bytes = dtype_info(type)->block_bytes;
    uint8_t *at = synth_alloc(arena, n_rows, row_bytes);
    if (type == DTYPE_F16) fill_f16((uint16_t *)(void *)at, s, kind, n_rows * n_cols);
    else if (type == DTYPE_BF16) fill_bf16(at, s, kind, n_rows * n_cols);
    else
        for (size_t i = 0; i < n_rows * row_bytes; i += block_bytes) fill_block(at + i, s, kind, type);
    return at;
}
