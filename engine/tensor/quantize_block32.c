/* quantize_block32: blocks of 32 elements with one scale, or a scale and a minimum. */
#include "engine/tensor/quantize_fit.h"
#include "engine/tensor/quantize_row.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32, HALF = BLOCK / 2 };

static void put_half(uint8_t *at, float value) {
    uint16_t half = dtype_f32_to_f16(value);
    memcpy(at, &half, sizeof half);
}

/* --- codes ---------------------------------------------------------------------------------------------- */

/* The low four bits: elements 0 to 15 in low nibbles, 16 to 31 in high ones. */
static void put_nibbles(uint8_t *at, const uint8_t *codes) {
    for (int i = 0; i < HALF; i++) at[i] = (uint8_t)((codes[i] & 15) | (codes[i + HALF] & 15) << 4);
}

/* The fifth bits, element i at bit i. */
static void put_fifth_bits(uint8_t *at, const uint8_t *codes) {
    uint32_t bits = 0;
    for (int i = 0; i < BLOCK; i++) bits |= (uint32_t)(codes[i] >> 4 & 1) << i;
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(bits >> 8 * i);
}

/* --- by ggml's rules ------------------------------------------------------------------------------------ */

static void q8_0(uint8_t *out, const float *x) {
    float largest = 0;
    for (int i = 0; i < BLOCK; i++) largest = fmaxf(largest, fabsf(x[i]));
    float d = largest / 127, inverse = d != 0 ? 1 / d : 0;
    put_half(out, d);
    for (int i = 0; i < BLOCK; i++) out[2 + i] = (uint8_t)(int8_t)roundf(x[i] * inverse);
}

/* A half is rounded up, as ggml does. An infinite inverse (a scale below the smallest normal number) gives
 * one of the ends. */
static uint8_t nearest(float level, int most) {
    return (uint8_t)fmaxf(0, fminf(floorf(level + 0.5F), (float)most));
}

/* The element of largest magnitude, with its sign, becomes the lowest level, -top. */
static float signed_codes(uint8_t *codes, const float *x, int top) {
    float largest = 0, signed_largest = 0;
    for (int i = 0; i < BLOCK; i++) {
        if (fabsf(x[i]) > largest) {
            largest = fabsf(x[i]);
            signed_largest = x[i];
        }
    }
    float d = signed_largest / (float)-top, inverse = d != 0 ? 1 / d : 0;
    for (int i = 0; i < BLOCK; i++) {
        codes[i] = nearest(x[i] * inverse + (float)top, 2 * top - 1);
    }
    return d;
}

static float affine_codes(uint8_t *codes, float *minimum, const float *x, int top) {
    float low = x[0], high = x[0];
    for (int i = 1; i < BLOCK; i++) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    float d = (high - low) / (float)top, inverse = d != 0 ? 1 / d : 0;
    for (int i = 0; i < BLOCK; i++) {
        codes[i] = nearest((x[i] - low) * inverse, top);
    }
    *minimum = low;
    return d;
}

/* --- by importance -------------------------------------------------------------------------------------- */

static void weigh(float *weights, const float *x, const float *importance, double mean_square) {
    for (int i = 0; i < BLOCK; i++)
        weights[i] = (float)((double)importance[i] * sqrt(mean_square + (double)x[i] * (double)x[i]));
}

static float weighted_signed(uint8_t *codes, const float *x, const float *weights, int top) {
    float d = (float)quantize_fit_signed(x, weights, BLOCK, top);
    double stored = (double)dtype_f16_to_f32(dtype_f32_to_f16(d));
    for (int i = 0; i < BLOCK; i++) {
        double level = stored != 0 ? (double)x[i] / stored : 0;
        codes[i] = (uint8_t)(quantize_fit_nearest(level, -top, top - 1) + top);
    }
    return d;
}

static float weighted_affine(uint8_t *codes, float *minimum, const float *x, const float *weights, int top) {
    double taken, d = quantize_fit_affine(&taken, x, weights, BLOCK, top);
    *minimum = (float)-taken;
    double stored = (double)dtype_f16_to_f32(dtype_f32_to_f16((float)d));
    double low = (double)dtype_f16_to_f32(dtype_f32_to_f16(*minimum));
    for (int i = 0; i < BLOCK; i++)
        codes[i] = (uint8_t)quantize_fit_nearest(stored != 0 ? ((double)x[i] - low) / stored : 0, 0, top);
    return (float)d;
}

/* --- a block -------------------------------------------------------------------------------------------- */

void quantize_block32(uint8_t *out, enum dtype type, const float *x, const float *importance,
                      double mean_square) {
    uint8_t codes[BLOCK];
    float weights[BLOCK], minimum = 0, d;
    bool five = type == DTYPE_Q5_0 || type == DTYPE_Q5_1, affine = type == DTYPE_Q4_1 || type == DTYPE_Q5_1;
    if (type == DTYPE_Q8_0) {
        q8_0(out, x);
        return;
    }
    int top = affine ? (five ? 31 : 15) : (five ? 16 : 8);
    if (importance) weigh(weights, x, importance, mean_square);
    if (affine)
        d = importance ? weighted_affine(codes, &minimum, x, weights, top)
                       : affine_codes(codes, &minimum, x, top);
    else d = importance ? weighted_signed(codes, x, weights, top) : signed_codes(codes, x, top);
    put_half(out, d);
    out += 2;
    if (affine) put_half(out, minimum), out += 2;
    if (five) put_fifth_bits(out, codes), out += 4;
    put_nibbles(out, codes);
}
