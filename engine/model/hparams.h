/* hparams: what a checkpoint's metadata says about the model, checked.
 *
 * Owns:    nothing.
 * Trusts:  nothing; every number is bounded, every quotient is whole, every rule that this build does not
 *          know is refused by its key. Sizes are held against the tensors later, by the builder.
 * Threads: any.
 */
#ifndef ENGINE_MODEL_HPARAMS_H
#define ENGINE_MODEL_HPARAMS_H

#include "engine/file/gguf.h"

enum { HPARAMS_ARCH = 32 };

struct hparams {
    char arch[HPARAMS_ARCH]; /* general.architecture, the prefix of the keys */
    size_t n_layers;
    size_t d;    /* width of the residual stream */
    size_t d_ff; /* width of the feed-forward */
    size_t n_heads, n_kv_heads, head_dim;
    size_t context; /* positions; the caller may lower it before a program is built */
    size_t rope_dims;
    double rope_base, rope_factor; /* rope_factor: linear scaling, 1: none */
    float eps;
};

/* general.architecture alone: what to ask before anything else. */
bool hparams_arch(char out[HPARAMS_ARCH], const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* The metadata of a transformer with grouped heads, in the keys of ggml's docs/gguf.md. */
bool hparams_read(struct hparams *out, const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* Bytes of F32 keys and values that one position takes, over all layers. */
size_t hparams_kv_bytes(const struct hparams *h);

#endif
