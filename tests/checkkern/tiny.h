/* tiny: a small Llama-shaped program with random weights, for tests that need a model and no file.
 *
 * Owns:    struct tiny owns everything in its arena.
 * Trusts:  the shape: heads divide evenly, widths fit the type's blocks.
 * Threads: constant after tiny_build.
 */
#ifndef TESTS_CHECKKERN_TINY_H
#define TESTS_CHECKKERN_TINY_H

#include "engine/model/program.h"

struct tiny_shape {
    enum dtype type; /* of the matrices and the embedding; norms are F32 */
    size_t vocab, width, hidden, n_layers, n_heads, n_kv_heads, head_dim, context;
    enum rope_pairs pairs;
    uint64_t seed; /* of the weights; 0: the usual one */
};

struct tiny {
    struct arena arena;
    struct program program;
};

void tiny_build(struct tiny *tiny, const struct tiny_shape *t);
void tiny_release(struct tiny *tiny);

#endif
