/* AWQ (Lin et al., arXiv:2306.00978) in its gemm form: AutoAWQ awq/modules/linear/gemm.py and
 * utils/packing_utils.py. */
#include "engine/tensor/layout.h"

void layout_awq(float *out, const struct layout *layout, size_t stored) {
    /* Output 8 w + k is this nibble of word w. */
    static const unsigned nibbles[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    const struct layout_groups *g = &layout->awq;
    size_t n_words = g->width / 8, word = stored / 8;
    unsigned shift = 4 * nibbles[stored % 8];
    size_t group = SIZE_MAX;
    float scale = 0;
    int zero = 0;
    for (size_t c = 0; c < layout->n_cols; c++) {
        size_t of = layout_group(g, c);
        if (of != group) {
            group = of;
            scale = layout_number(g->scales, g->scale_type, group * g->width + stored);
            zero = (int)(layout_word(g->zeros, group * n_words + word) >> shift & 15);
        }
        out[c] = (float)((int)(layout_word(layout->data, c * n_words + word) >> shift & 15) - zero) * scale;
    }
}
