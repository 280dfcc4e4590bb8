/* randommodel: GGUF files of well-known shapes with random weights, to measure speed with.
 *
 * Owns:    nothing but memory for a while.
 * Trusts:  nothing.
 * Threads: any.
 *
 * Blocks are drawn as they lie in the file, so that a model of a thousand million weights takes a second and
 * not a quantiser's minutes. Scales are such that a product keeps the size of its input: activations stay
 * finite through any number of layers. The same shape and type give the same bytes everywhere. The tokenizer
 * is one whose only use is to be there: SPM, a byte for each of 256 ids, made-up words for the others.
 */
#ifndef ENGINE_FILE_RANDOMMODEL_H
#define ENGINE_FILE_RANDOMMODEL_H

#include "base/status.h"
#include "engine/tensor/dtype.h"

#include <stddef.h>

struct randommodel_shape {
    const char *name; /* "1b" */
    const char *text; /* "Llama-3.2-1B with 32,000 tokens" */
    size_t n_layers, d, d_ff, n_heads, n_kv_heads, head_dim, n_vocab, context;
    size_t n_experts, n_used; /* 0: a dense model */
};

/* By name, in any case; NULL: there is none. _shape_at lists them: NULL behind the last. */
const struct randommodel_shape *randommodel_shape(const char *name);
const struct randommodel_shape *randommodel_shape_at(size_t i);

/* What the matrices may be: the mixtures of `fak quantize` (mixture.h) and every block type that is read
 * (with Q6_K for the embedding, as llama-quantize has it). The name as it is written, or NULL. */
const char *randommodel_type(const char *name);
const char *randommodel_type_at(size_t i);

/* Writes the file. `type` is one of randommodel_type's answers. */
bool randommodel_write(const char *path, const struct randommodel_shape *shape, const char *type,
                       struct status *st) STATUS_MUST_USE;

/* n_rows rows of n_cols random weights of about +- 1 / sqrt(n_cols). `seed` says which. */
void randommodel_rows(void *out, enum dtype type, size_t n_rows, size_t n_cols, uint64_t *seed);

/* n random bytes. */
void randommodel_bytes(void *out, size_t n, uint64_t *seed);

#endif
