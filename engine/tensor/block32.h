/* block32: weights in blocks of 32 elements that share a scale.
 *
 * Owns nothing. Trusts the caller for whole blocks. Any thread.
 *
 * Every function writes the 32 exact values of one block, in the operations that ggml's dequantize_row_* uses
 * (ggml/src/ggml-quants.c), so that they are bit-equal to ggml's. Layouts: ggml/src/ggml-common.h.
 */
#ifndef ENGINE_TENSOR_BLOCK32_H
#define ENGINE_TENSOR_BLOCK32_H

#include "engine/tensor/dtype.h"

#include <stdint.h>

/* The sixteen levels of IQ4_NL and IQ4_XS, not evenly spaced (ggml-org/llama.cpp#5590). */
extern const int8_t block32_nonlinear[16];

/* Half of the scale 2^(e - 127): MXFP4's levels are kept doubled, to be integers. */
float block32_half_e8m0(uint8_t e);

/* The codes of a block of Q5_0, Q5_1, IQ4_NL or MXFP4 in the order of its elements, for those who lay it out
 * anew. */
void block32_codes(uint8_t codes[32], enum dtype type, const uint8_t *block);

void block32_q4_0(float *out, const uint8_t *block);
void block32_q4_1(float *out, const uint8_t *block);
void block32_q5_0(float *out, const uint8_t *block);
void block32_q5_1(float *out, const uint8_t *block);
void block32_q8_0(float *out, const uint8_t *block);
void block32_iq4_nl(float *out, const uint8_t *block);
void block32_mxfp4(float *out, const uint8_t *block);

#endif
