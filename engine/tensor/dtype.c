#include "engine/tensor/dtype.h"

#include "engine/tensor/block32.h"
#include "engine/tensor/kquant.h"

#include <assert.h>
#include <string.h>

static const struct {
    uint32_t id;
    struct dtype_info info;
} decodable[] = {
#define DTYPE(name, id, elements, bytes) {id, {#name, elements, bytes}},
#define DTYPE_OWN DTYPE
#include "engine/tensor/dtypes.inc"
#undef DTYPE_OWN
#undef DTYPE
};

const struct dtype_info *dtype_info(uint32_t id) {
    for (size_t i = 0; i < sizeof decodable / sizeof *decodable; i++)
        if (decodable[i].id == id) return &decodable[i].info;
    return NULL;
}

/* enum ggml_type in ggml/include/ggml.h. Retired ids keep a name so that a message can say so. */
const char *dtype_ggml_name(uint32_t id) {
    static const char *const names[] = {
        [0] = "F32",     [1] = "F16",      [2] = "Q4_0",     [3] = "Q4_1",     [4] = "removed",
        [5] = "removed", [6] = "Q5_0",     [7] = "Q5_1",     [8] = "Q8_0",     [9] = "Q8_1",
        [10] = "Q2_K",   [11] = "Q3_K",    [12] = "Q4_K",    [13] = "Q5_K",    [14] = "Q6_K",
        [15] = "Q8_K",   [16] = "IQ2_XXS", [17] = "IQ2_XS",  [18] = "IQ3_XXS", [19] = "IQ1_S",
        [20] = "IQ4_NL", [21] = "IQ3_S",   [22] = "IQ2_S",   [23] = "IQ4_XS",  [24] = "I8",
        [25] = "I16",    [26] = "I32",     [27] = "I64",     [28] = "F64",     [29] = "IQ1_M",
        [30] = "BF16",   [31] = "removed", [32] = "removed", [33] = "removed", [34] = "TQ1_0",
        [35] = "TQ2_0",  [36] = "removed", [37] = "removed", [38] = "removed", [39] = "MXFP4",
        [40] = "NVFP4",  [41] = "Q1_0",    [42] = "Q2_0",
    };
    return id < sizeof names / sizeof *names ? names[id] : NULL;
}

size_t dtype_row_bytes(enum dtype type, size_t n) {
    const struct dtype_info *info = dtype_info(type);
    assert(info && n % info->block_elements == 0);
    return n / info->block_elements * info->block_bytes;
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float dtype_f16_to_f32(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 31) return float_of_bits(sign | 0x7F800000 | mantissa << 13); /* infinity, NaN */
    if (exponent > 0) return float_of_bits(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
    float magnitude = (float)mantissa * 0x1p-24F; /* subnormal: exact in f32 */
    return sign ? -magnitude : magnitude;
}

uint16_t dtype_f32_to_f16(float value) {
    uint32_t bits = bits_of_float(value), magnitude = bits & 0x7FFFFFFF;
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    if (magnitude > 0x7F800000) /* NaN: quiet, with what fits of its payload */
        return (uint16_t)(sign | 0x7E00 | (magnitude >> 13 & 0x3FF));
    if (magnitude >= 0x477FF000) return sign | 0x7C00; /* 65520 and above round to infinity */
    uint32_t kept, rest, half_ulp;
    if (magnitude >=
        0x38800000) { /* 2^-14: normal halves; a carry out of the mantissa is the next exponent */
        kept = (magnitude - ((127 - 15) << 23)) >> 13;
        rest = magnitude & 0x1FFF;
        half_ulp = 0x1000;
    } else { /* subnormal halves count units of 2^-24 */
        uint32_t exponent = magnitude >> 23, shift = 126 - exponent;
        if (exponent < 102) return sign; /* below 2^-25, half of the smallest */
        uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
        kept = mantissa >> shift;
        rest = mantissa & ((1U << shift) - 1);
        half_ulp = 1U << (shift - 1);
    }
    bool up = rest > half_ulp || (rest == half_ulp && (kept & 1));
    return (uint16_t)(sign | (kept + up));
}

float dtype_load_f16(const void *at) {
    uint16_t half;
    memcpy(&half, at, sizeof half);
    return dtype_f16_to_f32(half);
}

/* The upper half of an f32. */
static float load_bf16(const uint8_t *at) {
    uint16_t upper;
    memcpy(&upper, at, sizeof upper);
    return float_of_bits((uint32_t)upper << 16);
}

/* Sign, four bits of exponent (bias 7), three of mantissa; no infinity, 0x7F is NaN. */
static float f8_e4m3(uint8_t code) {
    uint32_t sign = (uint32_t)(code & 0x80) << 24, exponent = code >> 3 & 15, mantissa = code & 7;
    if ((code & 0x7F) == 0x7F) return float_of_bits(sign | 0x7FC00000);
    if (exponent) return float_of_bits(sign | (exponent + 127 - 7) << 23 | mantissa << 20);
    float magnitude = (float)mantissa * 0x1p-9F;
    return sign ? -magnitude : magnitude;
}

/* 2^(code - 127); 255 is NaN. */
static float f8_e8m0(uint8_t code) {
    if (code == 255) return float_of_bits(0x7FC00000);
    return float_of_bits(code ? (uint32_t)code << 23 : 0x00400000);
}

static void decode_blocks(float *out, enum dtype type, const uint8_t *row, size_t n,
                          void (*decode)(float *, const uint8_t *)) {
    const struct dtype_info *info = dtype_info(type);
    assert(n % info->block_elements == 0);
    for (size_t i = 0; i < n; i += info->block_elements, row += info->block_bytes) decode(out + i, row);
}

void dtype_decode(float *out, enum dtype type, const void *row, size_t n) {
    const uint8_t *at = row;
    switch (type) {
    case DTYPE_F32: memcpy(out, row, n * sizeof *out); return;
    case DTYPE_F16:
        for (size_t i = 0; i < n; i++) out[i] = dtype_load_f16(at + 2 * i);
        return;
    case DTYPE_BF16:
        for (size_t i = 0; i < n; i++) out[i] = load_bf16(at + 2 * i);
        return;
    case DTYPE_F8_E4M3:
        for (size_t i = 0; i < n; i++) out[i] = f8_e4m3(at[i]);
        return;
    case DTYPE_F8_E5M2: /* the upper half of an f16 */
        for (size_t i = 0; i < n; i++) out[i] = dtype_f16_to_f32((uint16_t)(at[i] << 8));
        return;
    case DTYPE_F8_E8M0:
        for (size_t i = 0; i < n; i++) out[i] = f8_e8m0(at[i]);
        return;
    case DTYPE_Q4_0: decode_blocks(out, type, at, n, block32_q4_0); return;
    case DTYPE_Q4_1: decode_blocks(out, type, at, n, block32_q4_1); return;
    case DTYPE_Q5_0: decode_blocks(out, type, at, n, block32_q5_0); return;
    case DTYPE_Q5_1: decode_blocks(out, type, at, n, block32_q5_1); return;
    case DTYPE_Q8_0: decode_blocks(out, type, at, n, block32_q8_0); return;
    case DTYPE_IQ4_NL: decode_blocks(out, type, at, n, block32_iq4_nl); return;
    case DTYPE_MXFP4: decode_blocks(out, type, at, n, block32_mxfp4); return;
    case DTYPE_Q2_K: decode_blocks(out, type, at, n, kquant_q2_k); return;
    case DTYPE_Q3_K: decode_blocks(out, type, at, n, kquant_q3_k); return;
    case DTYPE_Q4_K: decode_blocks(out, type, at, n, kquant_q4_k); return;
    case DTYPE_Q5_K: decode_blocks(out, type, at, n, kquant_q5_k); return;
    case DTYPE_Q6_K: decode_blocks(out, type, at, n, kquant_q6_k); return;
    case DTYPE_IQ4_XS: decode_blocks(out, type, at, n, kquant_iq4_xs); return;
    case DTYPE_GPTQ:
    case DTYPE_AWQ:
    case DTYPE_EXL2:
    case DTYPE_PACKED: break; /* layout_decode's */
    }
    assert(false && "a type that dtype_info refuses");
}
