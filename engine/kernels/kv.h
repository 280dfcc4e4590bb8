/* kv: how keys and values lie in memory, one layout for every lane. Constants and one struct; owns nothing.
 */
#ifndef ENGINE_KERNELS_KV_H
#define ENGINE_KERNELS_KV_H

#include <stddef.h>

enum { KV_PAGE = 32 }; /* tokens a page */

/* One layer. Page p begins p * page_stride floats into both arrays:
 *   keys   [n_kv_heads][key_dim][KV_PAGE]     position innermost: the scores of 16 keys are 16 lanes
 *   values [n_kv_heads][KV_PAGE][value_dim]   dimension innermost: so are 16 dims of the result
 * Neither dot product then needs a sum across lanes. A latent (MLA) is one head whose values are the first
 * dims of its keys; an indexer's keys have value_dim 0. */
struct kv {
    float *keys, *values;
    size_t page_stride, n_kv_heads, key_dim, value_dim;
};

/* keys[dim * KV_PAGE + position] and values[position * value_dim + dim] of one head in one page */
static inline float *kv_keys(const struct kv *kv, size_t page, size_t head) {
    return kv->keys + page * kv->page_stride + head * kv->key_dim * KV_PAGE;
}

static inline float *kv_values(const struct kv *kv, size_t page, size_t head) {
    return kv->values + page * kv->page_stride + head * kv->value_dim * KV_PAGE;
}

#endif
