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
    size_t stored = layout->rows ? layout->rows[row] : layout->first + row * layout->step;
    decoders[layout->kind](out, layout, stored);
}
