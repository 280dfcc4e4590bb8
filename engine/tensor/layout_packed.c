/* compressed-tensors' pack-quantized integers (W4A16, W8A16): compressors/pack_quantized in its own package.
 * Codes and zero points are stored with 2^(bits - 1) added, which cancels out. */
#include "engine/tensor/layout.h"

void layout_packed_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                         struct layout_place place) {
    unsigned bits = layout->packed.bits;
    size_t n_words = (layout->n_cols * bits + 31) / 32;
    for (size_t i = 0; i < n; i++)
        codes[i] = (uint8_t)layout_code((const char *)layout->data + stored[i] * n_words * sizeof(uint32_t),
                                        1, place.column, bits);
}

struct layout_factor layout_packed_factor(const struct layout *layout, size_t stored, size_t group) {
    const struct layout_groups *g = &layout->packed;
    size_t n_groups = g->group ? (layout->n_cols + g->group - 1) / g->group : 1;
    struct layout_factor factor = {layout_number(g->scales, g->scale_type, stored * n_groups + group),
                                   1 << (g->bits - 1)};
    if (g->zeros) {
        const char *column = (const char *)g->zeros + group * sizeof(uint32_t);
        factor.zero = (int)layout_code(column, n_groups, stored, g->bits);
    }
    return factor;
}

void layout_packed(float *out, const struct layout *layout, size_t stored) {
    layout_grouped(out, layout, &layout->packed, stored);
}
