/* kquant: weights in super-blocks of 256 elements, whose sub-blocks have small integer scales.
 *
 * Owns nothing. Trusts the caller for whole blocks. Any thread.
 *
 * Every function writes the 256 exact values of one super-block, in the operations that ggml's
 * dequantize_row_* uses (ggml/src/ggml-quants.c), so that they are bit-equal to ggml's. A scale of 11 bits, a
 * sub-scale of at most 8 and a quant of at most 6 multiply exactly in f32: each value is rounded once, where
 * a minimum is taken off, or never. Layouts: ggml/src/ggml-common.h; K-quants are Kawrakow's
 * (ggml-org/llama.cpp#1684), IQ4_XS too (#5747).
 */
#ifndef ENGINE_TENSOR_KQUANT_H
#define ENGINE_TENSOR_KQUANT_H

#include "engine/tensor/dtype.h"

#include <stdint.h>

enum { KQUANT_BLOCK = 256, KQUANT_SUBS = 16 /* at most */ };

void kquant_q2_k(float *out, const uint8_t *block);
void kquant_q3_k(float *out, const uint8_t *block);
void kquant_q4_k(float *out, const uint8_t *block);
void kquant_q5_k(float *out, const uint8_t *block);
void kquant_q6_k(float *out, const uint8_t *block);
void kquant_iq4_xs(float *out, const uint8_t *block);

/* What multiplies the quants of a super-block of Q4_K, Q5_K or Q6_K, for those who lay it out anew: for each
 * 32 elements two bytes, scale and minimum, or for Q6_K the signed scales of their halves; d and dmin, or d
 * and 0. */
void kquant_scales(uint8_t *scales, uint16_t halves[2], enum dtype type, const uint8_t *block);

/* The same of Q2_K, Q3_K and IQ4_XS: the codes; and a byte for each 16 elements, for IQ4_XS 32, a signed
 * scale or for Q2_K a scale (low nibble) and a minimum (high), with d and dmin, or d and 0. */
void kquant_codes(uint8_t codes[KQUANT_BLOCK], enum dtype type, const uint8_t *block);
void kquant_factors(uint8_t subs[KQUANT_SUBS], uint16_t halves[2], enum dtype type, const uint8_t *block);

#endif
