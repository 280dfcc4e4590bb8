#include "engine/tensor/layout.h"

#include <string.h>

uint32_t layout_word(const void *words, size_t i) {
    uint32_t word;
    memcpy(&word, (const char *)words + i * sizeof word, sizeof word);
    return word;
}

float layout_number(const void *numbers, enum dtype type, size_t i) {
    float value;
    dtype_decode(&value, type, (const char *)numbers + i * dtype_row_bytes(type, 1), 1);
    return value;
}

uint32_t layout_code(const void *words, size_t stride, size_t i, unsigned bits) {
    size_t at = i * bits, word = at / 32, shift = at % 32;
    uint64_t both = layout_word(words, word * stride);
    if (shift + bits > 32) both |= (uint64_t)layout_word(words, (word + 1) * stride) << 32;
    return (uint32_t)(both >> shift) & ((UINT32_C(1) << bits) - 1);
}

void layout_decode(float *out, const struct layout *layout, size_t row) {
    static void (*const decoders[])(float *, const struct layout *, size_t) = {
#define LAYOUT(kind, decoder) layout_##decoder,
#include "engine/tensor/layouts.inc"
#undef LAYOUT
    };
    decoders[layout->kind](out, layout, layout_stored(layout, row));
}

static const struct coding {
    void (*codes)(uint8_t *, const struct layout *, const size_t *, size_t, struct layout_place);
    struct layout_factor (*factor)(const struct layout *, size_t, size_t);
} codings[] = {
    [LAYOUT_GPTQ] = {layout_gptq_codes, layout_gptq_factor},
    [LAYOUT_AWQ] = {layout_awq_codes, layout_awq_factor},
    [LAYOUT_PACKED] = {layout_packed_codes, layout_packed_factor},
    [LAYOUT_EXL2] = {layout_exl2_codes, layout_exl2_factor},
};

void layout_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                  struct layout_place place) {
    codings[layout->kind].codes(codes, layout, stored, n, place);
}

struct layout_factor layout_factor_of(const struct layout *layout, size_t stored, size_t group) {
    return codings[layout->kind].factor(layout, stored, group);
}

void layout_grouped(float *out, const struct layout *layout, const struct layout_groups *groups,
                    size_t stored) {
    const struct coding *coding = &codings[layout->kind];
    struct layout_factor factor = {0};
    size_t group = SIZE_MAX;
    for (size_t c = 0; c < layout->n_cols; c++) {
        size_t of = layout_group(groups, c);
        uint8_t code;
        if (of != group) factor = coding->factor(layout, stored, group = of);
        coding->codes(&code, layout, &stored, 1, (struct layout_place){of, c});
        out[c] = (float)((int)code - factor.zero) * factor.scale;
    }
}

bool layout_is_rows(const struct layout *layout, enum dtype *type) {
    *type = layout->kind == LAYOUT_MXFP4 ? DTYPE_MXFP4 : layout->plain.type;
    return layout->kind == LAYOUT_MXFP4 || (layout->kind == LAYOUT_PLAIN && !layout->plain.tiles.scales);
}

void layout_copy(void *out, const struct layout *layout, size_t row) {
    size_t stored = layout_stored(layout, row);
    if (layout->kind == LAYOUT_MXFP4) layout_mxfp4_copy(out, layout, stored);
    else layout_plain_copy(out, layout, stored);
}

static size_t exl2_bytes(const struct layout_exl2 *e) {
    size_t words = 0;
    for (size_t r = 0; r < e->n_runs; r++) words += e->runs[r].n * e->runs[r].bits / 32;
    return words * e->width * sizeof(uint32_t);
}

size_t layout_bytes(const struct layout *layout, size_t n_rows) {
    const struct layout_groups *g = &layout->gptq.groups;
    size_t n_cols = layout->n_cols;
    switch (layout->kind) {
    case LAYOUT_GPTQ: return (n_cols * g->bits + 31) / 32 * g->width * sizeof(uint32_t);
    case LAYOUT_AWQ: return n_cols * (layout->awq.width / 8) * sizeof(uint32_t);
    case LAYOUT_PACKED: return n_rows * ((n_cols * layout->packed.bits + 31) / 32) * sizeof(uint32_t);
    case LAYOUT_EXL2: return exl2_bytes(&layout->exl2);
    case LAYOUT_MXFP4: return n_rows * (n_cols / 2);
    case LAYOUT_PLAIN: break;
    }
    return (layout->plain.transposed ? n_cols : n_rows) * layout->plain.stride *
           dtype_row_bytes(layout->plain.type, 1);
}
