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

void layout_exl2(float *out, const struct layout *layout, size_t stored) {
    const struct layout_exl2 *e = &layout->exl2;
    size_t row = 0;
    for (size_t r = 0; r < e->n_runs; r++) {
        const struct layout_exl2_run *run = &e->runs[r];
        const char *codes =
            (const char *)layout->data + (run->first_word * e->width + stored) * sizeof(uint32_t);
        float scale = run_scale(e, r, stored);
        int middle = 1 << (run->bits - 1);
        for (size_t i = 0; i < run->n; i++)
            out[e->columns[row++]] =
                (float)((int)layout_code(codes, e->width, i, run->bits) - middle) * scale;
    }
}
