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
