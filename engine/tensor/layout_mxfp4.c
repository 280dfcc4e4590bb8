/* MXFP4 as gpt-oss ships it: transformers integrations/mxfp4.py; OCP Microscaling Formats 1.0. Neighbours
 * share a byte; ggml's MXFP4 has elements 16 apart there. */
#include "engine/tensor/layout.h"

#include <math.h>

enum { BLOCK = 32 };

void layout_mxfp4(float *out, const struct layout *layout, size_t stored) {
    static const float levels[16] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6, -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6};
    const uint8_t *codes = (const uint8_t *)layout->data + stored * (layout->n_cols / 2);
    const uint8_t *scales = layout->mxfp4.scales + stored * (layout->n_cols / BLOCK);
    for (size_t c = 0; c < layout->n_cols; c++) {
        unsigned code = codes[c / 2] >> 4 * (c % 2) & 15;
        out[c] = ldexpf(levels[code], (int)scales[c / BLOCK] - 127);
    }
}

/* As ggml has it: the scale, then 16 bytes, byte j with elements j and j + 16. */
void layout_mxfp4_copy(void *out, const struct layout *layout, size_t stored) {
    const uint8_t *pairs = (const uint8_t *)layout->data + stored * (layout->n_cols / 2);
    const uint8_t *scales = layout->mxfp4.scales + stored * (layout->n_cols / BLOCK);
    uint8_t *to = out;
    for (size_t b = 0; b < layout->n_cols / BLOCK; b++, pairs += BLOCK / 2) {
        *to++ = scales[b];
        for (size_t j = 0; j < BLOCK / 2; j++) {
            unsigned low = pairs[j / 2] >> 4 * (j % 2) & 15,
                     high = pairs[j / 2 + BLOCK / 4] >> 4 * (j % 2) & 15;
            *to++ = (uint8_t)(low | high << 4);
        }
    }
}
