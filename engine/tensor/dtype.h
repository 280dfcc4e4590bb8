/* dtype: number formats of weights, their block sizes and their exact values.
 *
 * Owns nothing. Trusts the caller for lengths (asserted to be whole blocks). Any thread.
 *
 * Block layouts are ggml's (ggml/src/ggml-common.h); ids are those a GGUF file carries. Everything that
 * this build can decode is one row of dtypes.inc; an id that is not there is refused by name, never guessed.
 */
#ifndef ENGINE_TENSOR_DTYPE_H
#define ENGINE_TENSOR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DTYPE(NAME, gguf_id, elements per block, bytes per block) */
enum dtype {
#define DTYPE(name, id, elements, bytes) DTYPE_##name = id,
#define DTYPE_OWN DTYPE
#include "engine/tensor/dtypes.inc"
#undef DTYPE_OWN
#undef DTYPE
};

struct dtype_info {
    const char *name; /* "Q4_1" */
    unsigned block_elements, block_bytes;
};

/* NULL when this build cannot decode the type of this GGUF id. */
const struct dtype_info *dtype_info(uint32_t id);

/* The name ggml gives an id even when we cannot decode it ("IQ2_XS"), "removed" for retired ids, or NULL. */
const char *dtype_ggml_name(uint32_t id);

/* Bytes of one row of n elements; n is a multiple of block_elements. */
size_t dtype_row_bytes(enum dtype type, size_t n);

/* out[n] = the exact value of each element, as f32 (f32 products of the stored scale, in the order that
 * ggml's dequantize_row_* uses, so that the values are bit-equal to ggml's). */
void dtype_decode(float *out, enum dtype type, const void *row, size_t n);

float dtype_f16_to_f32(uint16_t half);
float dtype_load_f16(const void *at);   /* two bytes that need no alignment */
uint16_t dtype_f32_to_f16(float value); /* round to nearest even */

#endif
