#include "engine/tensor/quantize_row.h"

#include <assert.h>
#include <string.h>

bool quantize_row_runs(enum dtype type) {
    switch (type) {
    case DTYPE_F32:
    case DTYPE_F16:
    case DTYPE_BF16:
    case DTYPE_Q8_0:
    case DTYPE_Q4_0:
    case DTYPE_Q4_1:
    case DTYPE_Q5_0:
    case DTYPE_Q5_1:
    case DTYPE_Q4_K:
    case DTYPE_Q5_K:
    case DTYPE_Q6_K: return true;
    default: return false;
    }
}

/* The upper half of an f32, rounded to nearest even. */
static uint16_t bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static void put_halves(uint8_t *out, const float *row, size_t n, enum dtype type) {
    for (size_t i = 0; i < n; i++) {
        uint16_t bits = type == DTYPE_F16 ? dtype_f32_to_f16(row[i]) : bf16(row[i]);
        memcpy(out + 2 * i, &bits, sizeof bits);
    }
}

static double mean_square(const float *row, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)row[i] * (double)row[i];
    return sum / (double)n;
}

void quantize_row(void *out, enum dtype type, const float *row, size_t n, const float *importance) {
    const struct dtype_info *info = dtype_info(type);
    uint8_t *at = out;
    assert(quantize_row_runs(type) && n % info->block_elements == 0);
    if (type == DTYPE_F32) memcpy(out, row, n * sizeof *row);
    else if (info->block_elements == 1) put_halves(out, row, n, type);
    double square = importance && info->block_elements == 32 ? mean_square(row, n) : 0;
    for (size_t i = 0; info->block_elements > 1 && i < n;
         i += info->block_elements, at += info->block_bytes) {
        const float *own = importance ? importance + i : NULL;
        if (info->block_elements == 32) quantize_block32(at, type, row + i, own, square);
        else quantize_kquant(at, type, row + i, own);
    }
}
