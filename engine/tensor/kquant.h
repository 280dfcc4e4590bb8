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

#include <stdint.h>

enum { KQUANT_BLOCK = 256 };

void kquant_q2_k(float *out, const uint8_t *block);
void kquant_q3_k(float *out, const uint8_t *block);
void kquant_q4_k(float *out, const uint8_t *block);
void kquant_q5_k(float *out, const uint8_t *block);
void kquant_q6_k(float *out, const uint8_t *block);
void kquant_iq4_xs(float *out, const uint8_t *block);

/* Scale and minimum, 6 bits each, of sub-block j of 8, out of the 12 bytes where Q4_K and Q5_K keep them. */
void kquant_scale_min(uint8_t *scale, uint8_t *min, const uint8_t packed[12], int j);

#endif
