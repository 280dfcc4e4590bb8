#include "engine/tensor/block32.h"

#include "engine/tensor/dtype.h"

#include <string.h>

enum { HALF = 16 /* elements whose nibbles are low; as many follow in the high ones */ };

const int8_t block32_nonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                      1,    13,   25,  38,  53,  69,  89,  113};

/* d f16, 16 bytes of nibbles: element j in the low half of byte j, j + 16 in the high half. d * (q - 8). */
void block32_q4_0(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block);
    for (int j = 0; j < HALF; j++) {
        uint8_t pair = block[2 + j];
        out[j] = (float)((pair & 15) - 8) * d;
        out[j + HALF] = (float)((pair >> 4) - 8) * d;
    }
}

/* d f16, m f16, nibbles as Q4_0. d * q + m; the product is exact (15 bits), so one rounding whatever the
 * compiler does. */
void block32_q4_1(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block), m = dtype_load_f16(block + 2);
    for (int j = 0; j < HALF; j++) {
        uint8_t pair = block[4 + j];
        out[j] = (float)(pair & 15) * d + m;
        out[j + HALF] = (float)(pair >> 4) * d + m;
    }
}

/* The five bits of element j: a nibble, and bit j of a word that is only 2-aligned in the file. */
static int five_bits(const uint8_t *high_bits, const uint8_t *nibbles, int j) {
    uint32_t high;
    memcpy(&high, high_bits, sizeof high);
    int nibble = nibbles[j % HALF] >> j / HALF * 4 & 15;
    return nibble | (int)(high >> j & 1) << 4;
}

/* d f16, 32 fifth bits, nibbles as Q4_0. d * (q - 16). */
void block32_q5_0(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block);
    for (int j = 0; j < 2 * HALF; j++) out[j] = (float)(five_bits(block + 2, block + 6, j) - 16) * d;
}

/* d f16, m f16, 32 fifth bits, nibbles as Q4_0. d * q + m, the product exact. */
void block32_q5_1(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block), m = dtype_load_f16(block + 2);
    for (int j = 0; j < 2 * HALF; j++) out[j] = (float)five_bits(block + 4, block + 8, j) * d + m;
}

/* d f16, 32 signed bytes. d * q. */
void block32_q8_0(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block);
    for (int j = 0; j < 2 * HALF; j++) out[j] = (float)(int8_t)block[2 + j] * d;
}

static void look_up(float *out, const uint8_t *nibbles, const int8_t levels[16], float d) {
    for (int j = 0; j < HALF; j++) {
        out[j] = (float)levels[nibbles[j] & 15] * d;
        out[j + HALF] = (float)levels[nibbles[j] >> 4] * d;
    }
}

/* d f16, nibbles as Q4_0. d * level[q]. */
void block32_iq4_nl(float *out, const uint8_t *block) {
    look_up(out, block + 2, block32_nonlinear, dtype_load_f16(block));
}

float block32_half_e8m0(uint8_t e) {
    uint32_t bits = e < 2 ? UINT32_C(0x00200000) << e : (uint32_t)(e - 1) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* e E8M0, nibbles as Q4_0, each an E2M1 float: OCP Microscaling Formats 1.0. There e = 255 is NaN; ggml,
 * which we follow, goes on to 2^128. */
void block32_mxfp4(float *out, const uint8_t *block) {
    static const int8_t doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    look_up(out, block + 1, doubled, block32_half_e8m0(block[0]));
}

void block32_codes(uint8_t codes[32], enum dtype type, const uint8_t *block) {
    const size_t header = type == DTYPE_Q5_1 ? 8 : type == DTYPE_Q5_0 ? 6 : type == DTYPE_MXFP4 ? 1 : 2;
    const bool five = type == DTYPE_Q5_0 || type == DTYPE_Q5_1;
    for (int j = 0; j < 2 * HALF; j++)
        codes[j] = (uint8_t)(five ? five_bits(block + header - 4, block + header, j)
                                  : block[header + (size_t)(j % HALF)] >> j / HALF * 4 & 15);
}
