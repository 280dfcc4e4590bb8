/* workload: what a model asks of a machine for each token: bytes to read, operations to do.
 *
 * Owns:    nothing.
 * Trusts:  the file (checked when it was opened).
 * Threads: any.
 */
#ifndef CMD_FAK_ENGINE_WORKLOAD_H
#define CMD_FAK_ENGINE_WORKLOAD_H

#include "engine/file/gguf.h"

struct workload {
    size_t bytes, n_params; /* of all tensors */
    double read;            /* bytes of weights that one token reads: of experts those that it uses, of a
                               table of embeddings (that is not the output matrix, too) none */
    double kv_read;         /* bytes of f32 keys and values for each position before it */
    double prompt_ops;      /* multiplications and additions of a token's products, without the output matrix,
                               which only the last token of a prompt needs, and without attention */
    bool integers;          /* most of them are with integer weights */
};

bool workload_of(struct workload *out, const struct gguf *file, const char *kv,
                 struct status *st) STATUS_MUST_USE;

#endif
