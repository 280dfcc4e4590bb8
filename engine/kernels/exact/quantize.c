/* Activations in 16 or 8 bits, one scale for 32 values (exact.h). Eight bits, as llama.cpp's Q8_0 and Q8_1,
 * cost a small model 3 % of its top-1 tokens; sixteen cost nothing that can be measured. */
#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/vec.h"

#include <float.h>

enum { VECTORS = QUANT_BLOCK / LANES, PART = QUANT_BLOCK / 2 };

/* Largest |x| as bits: integers compare as magnitudes do, and infinity and NaN are above every number. */
VEC uint32_t largest_magnitude(const vec_f32 *x) {
    vec_i32 most = {0};
    VEC_UNROLL for (int v = 0; v < VECTORS; v++) {
        vec_i32 bits = (vec_i32)x[v] & 0x7FFFFFFF, more = bits > most;
        most = (more & bits) | (~more & most);
    }
    return (uint32_t)vec_largest(most);
}

VEC int32_t sum_part(const vec_i32 *q) {
    vec_i32 sum = {0};
    VEC_UNROLL for (int v = 0; v < VECTORS / 2; v++) sum += q[v];
    return vec_total(sum);
}

/* The middle two of every four lanes in each other's place. */
VEC vec_i32 exchange_middle(vec_i32 v) {
#if defined(VEC_AVX512)
    return __builtin_shufflevector(v, v, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
#elif defined(VEC_AVX2)
    return __builtin_shufflevector(v, v, 0, 2, 1, 3, 4, 6, 5, 7);
#else
    return __builtin_shufflevector(v, v, 0, 2, 1, 3);
#endif
}

VEC void store_block(char *to, const vec_i32 *q, int bits) {
    if (bits == 16) {
        VEC_UNROLL for (int v = 0; v < VECTORS; v++) vec_store_words(to + v * LANES * 2, q[v]);
    } else {
        VEC_UNROLL for (int v = 0; v < VECTORS; v++) vec_store_bytes(to + v * LANES, exchange_middle(q[v]));
    }
}

VEC void quantize_block(char *to, float *scale, float *scaled_sum, int32_t *sums, const float *from,
                        int bits) {
    const float shifter = 0x1.8p23F; /* adding it rounds to a whole number, to even on ties */
    const float levels = bits == 16 ? 32767 : 127;
    const uint32_t too_large = bits == 16 ? 0x7F800000 : 0x73800000; /* infinity; 2^104 */
    vec_f32 x[VECTORS];
    vec_i32 q[VECTORS];
    VEC_UNROLL for (int v = 0; v < VECTORS; v++) x[v] = vec_load(from + v * LANES);
    uint32_t largest = largest_magnitude(x), scale_bits;
    float amax, d;
    memcpy(&amax, &largest, sizeof amax);
    d = amax / levels;
    memcpy(&scale_bits, &d, sizeof d);
    if (bits == 8) scale_bits = (scale_bits + 3) & ~UINT32_C(3); /* 22 significant bits, rounded up */
    memcpy(&d, &scale_bits, sizeof d);
    bool usable = largest < too_large && d >= FLT_MIN;
    vec_f32 by = vec_splat(usable ? levels / amax : 0);
    vec_i32 kept = (vec_i32){0} - (int32_t)usable;
    VEC_UNROLL for (int v = 0; v < VECTORS; v++) q[v] =
        ((vec_i32)(x[v] * by + shifter) - (vec_i32)vec_splat(shifter)) & kept;
    store_block(to, q, bits);
    int32_t first = sum_part(q), second = sum_part(q + VECTORS / 2);
    sums[0] = first, sums[1] = second;
    *scale = usable ? d : largest < too_large ? 0 : __builtin_nanf("");
    *scaled_sum = *scale * (float)(first + second);
}

/* The values of block b of a row: as they stand, or gathered into `room`. */
static const float *values_of(float room[QUANT_BLOCK], const struct quantize_task *t, size_t i, size_t b) {
    const float *row = t->in.at + i * t->in.stride;
    if (!t->columns) return row + b * QUANT_BLOCK;
    const int32_t *columns = t->columns + b * QUANT_BLOCK;
    for (int j = 0; j < QUANT_BLOCK; j++) room[j] = columns[j] < 0 ? 0 : row[columns[j]];
    return room;
}

VEC void quantize_rows(const struct quantize_task *t, size_t begin, size_t end, int bits) {
    const struct quantized *out = &t->out;
    size_t n_blocks = out->width / QUANT_BLOCK, block_bytes = QUANT_BLOCK * (size_t)bits / 8;
    for (size_t i = begin; i < end; i++)
        for (size_t b = 0; b < n_blocks; b++) {
            size_t at = i * n_blocks + b;
            float room[QUANT_BLOCK];
            quantize_block((char *)out->q + at * block_bytes, out->scale + at, out->scaled_sum + at,
                           out->sums + 2 * at, values_of(room, t, i, b), bits);
        }
}

void EXACT(quantize)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    if (task->quantize.out.bits == 8) quantize_rows(&task->quantize, begin, end, 8);
    else quantize_rows(&task->quantize, begin, end, 16);
}
