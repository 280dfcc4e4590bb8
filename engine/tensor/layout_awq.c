/* AWQ (Lin et al., arXiv:2306.00978) in its gemm form: AutoAWQ awq/modules/linear/gemm.py and
 * utils/packing_utils.py. */
#include "engine/tensor/layout.h"

/* Output 8 w + k is this nibble of word w. */
static unsigned nibble_at(size_t output) {
    static const unsigned nibbles[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    return 4 * nibbles[output % 8];
}

void layout_awq_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                      struct layout_place place) {
    const char *words =
        (const char *)layout->data + place.column * (layout->awq.width / 8) * sizeof(uint32_t);
    for (size_t i = 0; i < n; i++)
        codes[i] = (uint8_t)(layout_word(words, stored[i] / 8) >> nibble_at(stored[i]) & 15);
}

struct layout_factor layout_awq_factor(const struct layout *layout, size_t stored, size_t group) {
    const struct layout_groups *g = &layout->awq;
    uint32_t zeros = layout_word(g->zeros, group * (g->width / 8) + stored / 8);
    return (struct layout_factor){layout_number(g->scales, g->scale_type, group * g->width + stored),
                                  (int)(zeros >> nibble_at(stored) & 15)};
}

void layout_awq(float *out, const struct layout *layout, size_t stored) {
    layout_grouped(out, layout, &layout->awq, stored);
}
