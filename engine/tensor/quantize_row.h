/* quantize_row: f32 weights into blocks of fewer bits, for files (activations are quantised in
 * engine/kernels).
 *
 * Owns nothing. Trusts the caller for whole blocks, and for finite numbers. Any thread; the bytes depend on
 * the arguments alone.
 *
 * Q8_0 and, without importance, Q4_0, Q4_1, Q5_0 and Q5_1 follow ggml's rules to the bit
 * (ggml/src/ggml-quants.c, quantize_row_*_ref). The K-quants search as Kawrakow's do
 * (ggml-org/llama.cpp#1684, #4861): scale and minimum of each sub-block by weighted least squares over some
 * roundings, then their six bits; and go on: the scales of the super-block are fitted again to the quants
 * they gave, as long as the weighted error falls.
 */
#ifndef ENGINE_TENSOR_QUANTIZE_ROW_H
#define ENGINE_TENSOR_QUANTIZE_ROW_H

#include "engine/tensor/dtype.h"

/* Is there a way to this type? F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K. */
bool quantize_row_runs(enum dtype type);

/* out = the row's n elements, whole blocks, as `type`. importance (NULL: none): for each column how much an
 * error there counts, not negative: the mean square of what it is multiplied with. */
void quantize_row(void *out, enum dtype type, const float *row, size_t n, const float *importance);

/* --- for the files of this family: one block each, n_importance as above or NULL --- */

void quantize_block32(uint8_t *out, enum dtype type, const float *x, const float *importance,
                      double mean_square);
void quantize_kquant(uint8_t *out, enum dtype type, const float *x, const float *importance);

#endif
