#include "engine/kernels/kv.h"

#include "engine/tensor/dtype.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { QUAD = 4, ALIGN = 64 };

static const struct {
    const char *name;
    size_t bytes; /* an element, 0: blocks */
} types[KV_TYPES] = {
    [KV_F32] = {"f32", 4}, [KV_F16] = {"f16", 2}, [KV_BF16] = {"bf16", 2}, [KV_Q8_0] = {"q8_0", 0}};

const char *kv_type_name(enum kv_type type) { return types[type].name; }

bool kv_type_find(enum kv_type *out, const char *name) {
    for (int type = 0; type < KV_TYPES; type++)
        if (strcmp(types[type].name, name) == 0) {
            *out = (enum kv_type)type;
            return true;
        }
    return false;
}

static size_t up_to(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

size_t kv_key_bytes(enum kv_type type, size_t dim) {
    if (type != KV_Q8_0) return up_to(dim * KV_PAGE * types[type].bytes, ALIGN);
    return kv_blocks(dim) * KV_PAGE * sizeof(float) + up_to(dim, QUAD) * KV_PAGE;
}

size_t kv_value_bytes(enum kv_type type, size_t dim) {
    size_t row = kv_value_row(dim);
    if (type != KV_Q8_0) return up_to(row * KV_PAGE * types[type].bytes, ALIGN);
    return kv_blocks(dim) * KV_PAGE * sizeof(float) + row * KV_PAGE;
}

/* --- floats --- */

static uint16_t bf16_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x)) return (uint16_t)(bits >> 16 | 0x40); /* rounding could carry it to infinity */
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static void put(enum kv_type type, void *at, size_t index, float x) {
    if (type == KV_F32) ((float *)at)[index] = x;
    else ((uint16_t *)at)[index] = type == KV_F16 ? dtype_f32_to_f16(x) : bf16_of(x);
}

static double get(enum kv_type type, const void *at, size_t index) {
    if (type == KV_F32) return (double)((const float *)at)[index];
    uint16_t stored = ((const uint16_t *)at)[index];
    if (type == KV_F16) return (double)dtype_f16_to_f32(stored);
    uint32_t bits = (uint32_t)stored << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/* --- q8_0 --- */

static int8_t *codes_of(void *page, size_t dim) {
    return (int8_t *)page + kv_blocks(dim) * KV_PAGE * sizeof(float);
}

static size_t key_code(size_t d, size_t slot) { return (d / QUAD * KV_PAGE + slot) * QUAD + d % QUAD; }

static size_t value_code(size_t d, size_t slot, size_t dim) {
    return (slot / QUAD * kv_value_row(dim) + d) * QUAD + slot % QUAD;
}

static float largest_of(const float *x, size_t n) {
    float largest = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return NAN;
        largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    }
    return largest;
}

/* The scale of n values and their codes. */
static float quantize(int8_t codes[KV_BLOCK], const float *x, size_t n) {
    float largest = largest_of(x, n), scale = largest / 127;
    memset(codes, 0, KV_BLOCK);
    if (!(scale >= 0x1p-126F)) return isnan(scale) ? NAN : 0;
    for (size_t i = 0; i < n; i++) codes[i] = (int8_t)lrintf(x[i] * (127 / largest));
    return scale;
}

static size_t block_end(size_t from, size_t dim) { return dim - from < KV_BLOCK ? dim : from + KV_BLOCK; }

/* A key, whose codes are bytes 128 larger, or a value. */
static void put_q8(void *page, size_t slot, const float *x, size_t dim, bool is_key) {
    float *scales = page;
    int8_t *codes = codes_of(page, dim), block[KV_BLOCK];
    for (size_t from = 0; from < dim; from += KV_BLOCK) {
        scales[from / KV_BLOCK * KV_PAGE + slot] = quantize(block, x + from, block_end(from, dim) - from);
        for (size_t d = from; d < block_end(from, dim); d++)
            if (is_key) codes[key_code(d, slot)] = (int8_t)(block[d - from] ^ -128);
            else codes[value_code(d, slot, dim)] = block[d - from];
    }
}

/* --- one position --- */

void kv_put_key(enum kv_type type, void *keys, size_t slot, const float *x, size_t dim) {
    if (type == KV_Q8_0) put_q8(keys, slot, x, dim, true);
    else
        for (size_t d = 0; d < dim; d++) put(type, keys, d * KV_PAGE + slot, x[d]);
}

void kv_put_value(enum kv_type type, void *values, size_t slot, const float *x, size_t dim) {
    if (type == KV_Q8_0) put_q8(values, slot, x, dim, false);
    else
        for (size_t d = 0; d < dim; d++) put(type, values, slot * kv_value_row(dim) + d, x[d]);
}

void kv_get_key(double *x, enum kv_type type, const void *keys, size_t slot, size_t dim) {
    const float *scales = keys;
    const int8_t *codes = (const int8_t *)keys + kv_blocks(dim) * KV_PAGE * sizeof(float);
    for (size_t d = 0; d < dim; d++)
        x[d] = type != KV_Q8_0 ? get(type, keys, d * KV_PAGE + slot)
                               : (double)scales[d / KV_BLOCK * KV_PAGE + slot] *
                                     (double)(int8_t)(codes[key_code(d, slot)] ^ -128);
}

void kv_get_value(double *x, enum kv_type type, const void *values, size_t slot, size_t dim) {
    const float *scales = values;
    const int8_t *codes = (const int8_t *)values + kv_blocks(dim) * KV_PAGE * sizeof(float);
    for (size_t d = 0; d < dim; d++)
        x[d] = type != KV_Q8_0
                   ? get(type, values, slot * kv_value_row(dim) + d)
                   : (double)scales[d / KV_BLOCK * KV_PAGE + slot] * (double)codes[value_code(d, slot, dim)];
}
