/* Activations in 16 bits, one scale for 32 values (exact.h). Eight bits, as llama.cpp's Q8_0 and Q8_1, cost
 * a small model 3 % of its top-1 tokens; sixteen cost nothing that can be measured. */
#include "engine/kernels/exact/exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Largest |x| as bits: integers compare as magnitudes do, and infinity and NaN are above every number. */
static uint32_t largest_magnitude(const float *x) {
    uint32_t largest = 0;
    for (int j = 0; j < QUANT_BLOCK; j++) {
        uint32_t bits;
        memcpy(&bits, &x[j], sizeof bits);
        bits &= 0x7FFFFFFF;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

static int32_t round_all(int16_t *q, const float *x, float inverse) {
    const float shifter = 0x1.8p23F; /* adding it rounds to a whole number, to even on ties */
    int32_t sum = 0;
    for (int j = 0; j < QUANT_BLOCK; j++) {
        int32_t rounded = (int32_t)(x[j] * inverse + shifter - shifter);
        q[j] = (int16_t)rounded;
        sum += rounded;
    }
    return sum;
}

static void quantize_block(int16_t *q, float *scale, float *scaled_sum, const float *x) {
    uint32_t bits = largest_magnitude(x);
    float amax;
    memcpy(&amax, &bits, sizeof amax);
    float d = amax / 32767;
    bool usable = bits < 0x7F800000 && d >= FLT_MIN;
    int32_t sum = 0;
    if (usable) sum = round_all(q, x, 32767 / amax);
    else memset(q, 0, QUANT_BLOCK * sizeof *q);
    *scale = usable ? d : bits < 0x7F800000 ? 0 : NAN;
    *scaled_sum = *scale * (float)sum;
}

void EXACT(quantize)(const struct task *task, size_t begin, size_t end, void *scratch) {
    (void)scratch;
    const struct quantize_task *t = &task->quantize;
    size_t n_blocks = t->out.width / QUANT_BLOCK;
    for (size_t i = begin; i < end; i++)
        for (size_t b = 0; b < n_blocks; b++) {
            size_t at = i * n_blocks + b;
            quantize_block(t->out.q + at * QUANT_BLOCK, t->out.scale + at, t->out.scaled_sum + at,
                           t->in.at + i * t->in.stride + b * QUANT_BLOCK);
        }
}
