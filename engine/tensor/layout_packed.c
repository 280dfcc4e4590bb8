/* compressed-tensors' pack-quantized integers (W4A16, W8A16): compressors/pack_quantized in its own package.
 * Codes and zero points are stored with 2^(bits - 1) added, which cancels out. */
#include "engine/tensor/layout.h"

void layout_packed(float *out, const struct layout *layout, size_t stored) {
    const struct layout_groups *g = &layout->packed;
    size_t n_words = (layout->n_cols * g->bits + 31) / 32;
    size_t n_groups = g->group ? (layout->n_cols + g->group - 1) / g->group : 1;
    const char *codes = (const char *)layout->data + stored * n_words * sizeof(uint32_t);
    size_t group = SIZE_MAX;
    float scale = 0;
    int zero = 1 << (g->bits - 1);
    for (size_t c = 0; c < layout->n_cols; c++) {
        size_t of = layout_group(g, c);
        if (of != group) {
            group = of;
            scale = layout_number(g->scales, g->scale_type, stored * n_groups + group);
            if (g->zeros) {
                const char *column = (const char *)g->zeros + group * sizeof(uint32_t);
                zero = (int)layout_code(column, n_groups, stored, g->bits);
            }
        }
        out[c] = (float)((int)layout_code(codes, 1, c, g->bits) - zero) * scale;
    }
}
