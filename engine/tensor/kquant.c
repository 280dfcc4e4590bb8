#include "engine/tensor/kquant.h"

#include "engine/tensor/block32.h"
#include "engine/tensor/dtype.h"

#include <string.h>

enum { SUB = 32, SMALL_SUB = 16 /* elements of a sub-block */ };

/* Two-bit quants: each half of the super-block has 32 bytes, whose bit pairs are four runs of 32 elements. */
static int two_bits(const uint8_t *quants, int i) {
    return quants[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
}

/* 16 scales (low nibble) and minima (high), 64 bytes of quants, d f16, dmin f16. d * scale * q - dmin * min.
 */
void kquant_q2_k(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block + 80), dmin = dtype_load_f16(block + 82);
    for (int i = 0; i < KQUANT_BLOCK; i++) {
        uint8_t both = block[i / SMALL_SUB];
        out[i] = d * (float)(both & 15) * (float)two_bits(block + 16, i) - dmin * (float)(both >> 4);
    }
}

/* The low nibbles of the 16 scales lie in 8 bytes as elements of Q4_0 do, the high pairs of bits of scales k,
 * k + 4, k + 8 and k + 12 in one byte each of the next 4. */
static int q3_scale(const uint8_t packed[12], int k) {
    int low = packed[k % 8] >> k / 8 * 4 & 15, high = packed[8 + k % 4] >> k / 4 * 2 & 3;
    return (low | high << 4) - 32;
}

static int q3_quant(const uint8_t *block, int i) {
    return two_bits(block + 32, i) | (block[i % 32] >> i / 32 & 1) << 2;
}

/* 32 bytes of high bits, bit r of byte l for element l of run r of 32; 64 bytes of quants as Q2_K's, 12 of
 * scales, d f16. d * scale * (q - 4). */
void kquant_q3_k(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block + 108);
    for (int i = 0; i < KQUANT_BLOCK; i++) {
        out[i] = d * (float)q3_scale(block + 96, i / SMALL_SUB) * (float)(q3_quant(block, i) - 4);
    }
}

static void scale_min(uint8_t *scale, uint8_t *min, const uint8_t packed[12], int j) {
    if (j < 4) {
        *scale = packed[j] & 63, *min = packed[j + 4] & 63;
    } else { /* nibbles, and the two bits that bytes 0 to 7 have left */
        *scale = (uint8_t)((packed[j + 4] & 15) | packed[j - 4] >> 6 << 4);
        *min = (uint8_t)(packed[j + 4] >> 4 | packed[j] >> 6 << 4);
    }
}

/* Nibbles of Q4_K and Q5_K: 32 bytes hold sub-block 2c in their low halves and 2c + 1 in the high ones. */
static int nibble(const uint8_t *quants, int i) {
    return quants[i / 64 * 32 + i % 32] >> i % 64 / 32 * 4 & 15;
}

/* d f16, dmin f16, 12 bytes of scales and minima, 128 of nibbles. d * scale * q - dmin * min. */
void kquant_q4_k(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block), dmin = dtype_load_f16(block + 2);
    for (int i = 0; i < KQUANT_BLOCK; i++) {
        uint8_t scale, min;
        scale_min(&scale, &min, block + 4, i / SUB);
        out[i] = d * (float)scale * (float)nibble(block + 16, i) - dmin * (float)min;
    }
}

static int q5_quant(const uint8_t *block, int i) {
    return nibble(block + 48, i) | (block[16 + i % SUB] >> i / SUB & 1) << 4;
}

/* As Q4_K, with 32 bytes before the nibbles: bit s of byte l is the fifth of element l of sub-block s. */
void kquant_q5_k(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block), dmin = dtype_load_f16(block + 2);
    for (int i = 0; i < KQUANT_BLOCK; i++) {
        uint8_t scale, min;
        scale_min(&scale, &min, block + 4, i / SUB);
        out[i] = d * (float)scale * (float)q5_quant(block, i) - dmin * (float)min;
    }
}

static int q6_quant(const uint8_t *block, int i) {
    int low = block[i / 128 * 64 + i % 64] >> i % 128 / 64 * 4 & 15;
    return low | two_bits(block + 128, i) << 4;
}

/* 128 bytes of nibbles, 64 of high pairs of bits, 16 signed scales, d f16 last. Each half of the super-block
 * has 64 bytes of nibbles, its first 64 elements in the low halves, and 32 bytes whose bit pairs are four
 * runs of 32 elements. d * scale * (q - 32). */
void kquant_q6_k(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block + 208);
    for (int i = 0; i < KQUANT_BLOCK; i++) {
        float scale = (int8_t)block[192 + i / SMALL_SUB];
        out[i] = d * scale * (float)(q6_quant(block, i) - 32);
    }
}

void kquant_scales(uint8_t *scales, uint16_t halves[2], enum dtype type, const uint8_t *block) {
    if (type == DTYPE_Q6_K) {
        memcpy(scales, block + 192, 16);
        memcpy(&halves[0], block + 208, sizeof *halves);
        halves[1] = 0;
        return;
    }
    for (int s = 0; s < KQUANT_BLOCK / SUB; s++) scale_min(&scales[2 * s], &scales[2 * s + 1], block + 4, s);
    memcpy(halves, block, 2 * sizeof *halves);
}

static int iq4_scale(const uint8_t *block, int s) {
    uint16_t high;
    memcpy(&high, block + 2, sizeof high);
    return ((block[4 + s / 2] >> s % 2 * 4 & 15) | (high >> 2 * s & 3) << 4) - 32;
}

static int iq4_quant(const uint8_t *block, int i) {
    return block[8 + i / SUB * 16 + i % 16] >> i % SUB / 16 * 4 & 15;
}

/* d f16, 8 pairs of high scale bits, 8 low nibbles of scales, then eight times 16 bytes of nibbles as
 * IQ4_NL's. d * (scale - 32) * level[q]. */
void kquant_iq4_xs(float *out, const uint8_t *block) {
    float d = dtype_load_f16(block);
    for (int i = 0; i < KQUANT_BLOCK; i++)
        out[i] = d * (float)iq4_scale(block, i / SUB) * (float)block32_nonlinear[iq4_quant(block, i)];
}

void kquant_codes(uint8_t codes[KQUANT_BLOCK], enum dtype type, const uint8_t *block) {
    for (int i = 0; i < KQUANT_BLOCK; i++)
        codes[i] = (uint8_t)(type == DTYPE_Q2_K   ? two_bits(block + 16, i)
                             : type == DTYPE_Q3_K ? q3_quant(block, i)
                                                  : iq4_quant(block, i));
}

void kquant_factors(uint8_t subs[KQUANT_SUBS], uint16_t halves[2], enum dtype type, const uint8_t *block) {
    const size_t d = type == DTYPE_Q2_K ? 80 : type == DTYPE_Q3_K ? 108 : 0;
    memcpy(&halves[0], block + d, sizeof *halves);
    halves[1] = 0;
    if (type == DTYPE_Q2_K) {
        memcpy(&halves[1], block + 82, sizeof *halves);
        memcpy(subs, block, KQUANT_SUBS);
        return;
    }
    for (int s = 0; s < (type == DTYPE_Q3_K ? KQUANT_SUBS : KQUANT_BLOCK / SUB); s++)
        subs[s] = (uint8_t)(type == DTYPE_Q3_K ? q3_scale(block + 96, s) : iq4_scale(block, s));
}
