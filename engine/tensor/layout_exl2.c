/* EXL2: exllamav2 exllamav2_ext/cuda/q_matrix.cu, quant/qdq_util.cuh, ext.py (make_q_matrix). */
#include "engine/tensor/layout.h"

/* Two roundings to f16 are part of the format: the largest scale over 256, usually a subnormal, and its
 * product with the square of the group's own. The converter chose the codes against the result. */
static float run_scale(const struct layout_exl2 *e, size_t run, size_t output) {
    uint32_t nibble = layout_word(e->scales, run * (e->width / 8) + output / 8) >> 4 * (output % 8) & 15;
    float largest = layout_number(e->scale_max, DTYPE_F16, run) * (1.0F / 256);
    float unit = dtype_f16_to_f32(dtype_f32_to_f16(largest));
    return dtype_f16_to_f32(dtype_f32_to_f16((float)((nibble + 1) * (nibble + 1)) * unit));
}

static const char *run_codes(const struct layout *layout, const struct layout_exl2_run *run, size_t stored) {
    return (const char *)layout->data + (run->first_word * layout->exl2.width + stored) * sizeof(uint32_t);
}

void layout_exl2_codes(uint8_t *codes, const struct layout *layout, const size_t *stored, size_t n,
                       struct layout_place place) {
    const struct layout_exl2_run *run = &layout->exl2.runs[place.group];
    for (size_t i = 0; i < n; i++)
        codes[i] = (uint8_t)layout_code(run_codes(layout, run, stored[i]), layout->exl2.width, place.column,
                                        run->bits);
}

struct layout_factor layout_exl2_factor(const struct layout *layout, size_t stored, size_t group) {
    return (struct layout_factor){run_scale(&layout->exl2, group, stored),
                                  1 << (layout->exl2.runs[group].bits - 1)};
}

void layout_exl2(float *out, const struct layout *layout, size_t stored) {
    const struct layout_exl2 *e = &layout->exl2;
    size_t row = 0;
    for (size_t r = 0; r < e->n_runs; r++) {
        const struct layout_exl2_run *run = &e->runs[r];
        struct layout_factor factor = layout_exl2_factor(layout, stored, r);
        for (size_t i = 0; i < run->n; i++) {
            int code = (int)layout_code(run_codes(layout, run, stored), e->width, i, run->bits);
            out[e->columns[row++]] = (float)(code - factor.zero) * factor.scale;
        }
    }
}
