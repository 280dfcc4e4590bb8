/* kv: how keys and values lie in memory, one layout for every lane, in one of four types.
 *
 * Owns:    nothing; the pages are the backend's.
 * Trusts:  pages, heads, slots and dims in range.
 * Threads: any number that read; a slot is written by one.
 *
 * One layer. A page holds KV_PAGE positions; page p begins p * page_stride bytes into both arrays. Head by
 * head:
 *
 *   f32, f16, bf16   keys   [key_dim][KV_PAGE]         position innermost: the scores of 16 keys are 16 lanes
 *                    values [KV_PAGE][value_row]       dimension innermost: so are 16 dims of the result
 *   q8_0             keys   f32 [blocks][KV_PAGE], then u8 [quads][KV_PAGE][4]     codes + 128, 4 dims
 * together values f32 [blocks][KV_PAGE], then i8 [KV_PAGE / 4][value_row][4]     4 positions together
 *
 * Neither dot product then needs a sum across lanes. A block is KV_BLOCK dims of one position, which share a
 * scale; a quad is 4 dims, what one instruction of the integer dot products takes; the last of each may be
 * cut short. A value_row is value_dim up to a multiple of 16. A latent (MLA) is one head whose values are the
 * first dims of its keys; an indexer's keys have value_dim 0.
 *
 * f16 and bf16 are rounded to nearest even. q8_0: scale = largest |x| of the block / 127, code = x * (127 /
 * largest |x|) to nearest even; where that scale would be subnormal both are 0, where an x is no finite
 * number the scale is NaN.
 */
#ifndef ENGINE_KERNELS_KV_H
#define ENGINE_KERNELS_KV_H

#include <stdbool.h>
#include <stddef.h>

enum {
    KV_PAGE = 32,  /* tokens a page */
    KV_BLOCK = 32, /* dims that share a scale */
};

enum kv_type { KV_F32, KV_F16, KV_BF16, KV_Q8_0, KV_TYPES };

struct kv {
    void *keys, *values;
    size_t page_stride; /* bytes, a multiple of 64 */
    size_t n_kv_heads, key_dim, value_dim;
    enum kv_type type;
};

/* "f32", "f16", "bf16", "q8_0"; false where there is no such type. */
const char *kv_type_name(enum kv_type type);
bool kv_type_find(enum kv_type *out, const char *name);

/* Bytes of one head's keys or values of this dim in one page: a multiple of 64, so that heads are aligned as
 * pages are; 0 of dim 0. */
size_t kv_key_bytes(enum kv_type type, size_t key_dim);
size_t kv_value_bytes(enum kv_type type, size_t value_dim);

static inline size_t kv_value_row(size_t value_dim) { return (value_dim + 15) / 16 * 16; }
static inline size_t kv_blocks(size_t dim) { return (dim + KV_BLOCK - 1) / KV_BLOCK; }

/* The keys and values of one head in one page. */
static inline void *kv_keys(const struct kv *kv, size_t page, size_t head) {
    return (char *)kv->keys + page * kv->page_stride + head * kv_key_bytes(kv->type, kv->key_dim);
}

static inline void *kv_values(const struct kv *kv, size_t page, size_t head) {
    return (char *)kv->values + page * kv->page_stride + head * kv_value_bytes(kv->type, kv->value_dim);
}

/* One position of one head, slot = position % KV_PAGE. `keys` and `values` as kv_keys and kv_values give
 * them. */
void kv_put_key(enum kv_type type, void *keys, size_t slot, const float *x, size_t dim);
void kv_put_value(enum kv_type type, void *values, size_t slot, const float *x, size_t dim);

/* Dims [0, dim) of it as numbers, exactly what is stored. */
void kv_get_key(double *x, enum kv_type type, const void *keys, size_t slot, size_t dim);
void kv_get_value(double *x, enum kv_type type, const void *values, size_t slot, size_t dim);

#endif
