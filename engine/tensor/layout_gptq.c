/* GPTQ (Frantar et al., arXiv:2210.17323) as AutoGPTQ and GPTQModel store it: GPTQModel
 * nn_modules/qlinear/__init__.py and utils/model.py (versions 1 and 2 of the zero points). */
#include "engine/tensor/layout.h"

/* Version 1 is version 2 less one in every field, by one subtraction a word: a zero point of 0 borrows from
 * its neighbour, and only an addition to the whole word gives that back. Fields of three bits straddle words
 * and are taken one by one. */
static uint32_t zero_point(const struct layout_gptq *q, size_t group, size_t output) {
    const struct layout_groups *g = &q->groups;
    size_t n_words = (g->width * g->bits + 31) / 32, at = output * g->bits;
    const char *row = (const char *)g->zeros + group * n_words * sizeof(uint32_t);
    uint32_t mask = (UINT32_C(1) << g->bits) - 1;
    if (!q->zeros_minus_one) return layout_code(row, 1, output, g->bits);
    if (g->bits == 3) return (layout_code(row, 1, output, 3) + 1) & mask;
    uint32_t ones = UINT32_MAX / mask; /* 1 in every field */
    return (layout_word(row, at / 32) + ones) >> at % 32 & mask;
}

void layout_gptq_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                       struct layout_place place) {
    const struct layout_groups *g = &layout->gptq.groups;
    for (size_t i = 0; i < n; i++)
        codes[i] = (uint8_t)layout_code((const char *)layout->data + stored[i] * sizeof(uint32_t), g->width,
                                        place.column, g->bits);
}

struct layout_factor layout_gptq_factor(const struct layout *layout, size_t stored, size_t group) {
    const struct layout_groups *g = &layout->gptq.groups;
    return (struct layout_factor){layout_number(g->scales, g->scale_type, group * g->width + stored),
                                  (int)zero_point(&layout->gptq, group, stored)};
}

void layout_gptq(float *out, const struct layout *layout, size_t stored) {
    layout_grouped(out, layout, &layout->gptq.groups, stored);
}
