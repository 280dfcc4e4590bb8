/* tile: 2 vectors of rows of a slab times a few tokens, the inner loop of every product with many tokens.
 *
 * Owns nothing. Trusts the caller. Any thread.
 *
 * Every accumulator is a register: one of integers and one of floats for each vector and token, which is why
 * a tile is 2 x 7 where there are 32 registers. A broadcast of activations is loaded once for both vectors,
 * so that a load port has less to do than a multiplier. Per block of 32 columns and vector, 16
 * multiply-and-adds of words (8 of quads) and 3 instructions of floats, 4 with a minimum: 80 to 84 % (67 to
 * 73 %) of the peak.
 */
#ifndef ENGINE_KERNELS_EXACT_TILE_H
#define ENGINE_KERNELS_EXACT_TILE_H

#include "engine/kernels/exact/exact.h"
#include "engine/kernels/exact/slab.h"
#include "engine/kernels/exact/vec.h"

/* Tokens of a tile of this clone. */
enum { TILE_TOKENS = VEC_BYTES == 64 ? TILE_MOST : 4 };

/* Eight-bit products of a block are summed on top of the bits of 1.5 * 2^23: then the sum i is, read as a
 * float, 1.5 * 2^23 + i, and scale * that - scale * 1.5 * 2^23 is scale * i rounded once (exact.h). */
enum { TILE_BITS = 0x4B400000 };
#define TILE_FLOAT 0x1.8p23F

/* What is to be multiplied. */
struct tile_kind {
    int together; /* of quads, as feed_together has it; 0: words by vec_dot2 */
    bool minimum; /* weights have one */
    int parts;    /* scales of a block: 1 or 2 */
};

struct tile {
    const struct slab *slab;
    const struct slab_feed *feed;
    size_t n_blocks;
    bool first; /* sums begin here; else `out` has them so far */
    int n_tokens;
    /* of each token from the slab's first column on; results of 2 * LANES rows */
    const void *x[TILE_MOST];
    const float *scale[TILE_MOST], *scaled_sum[TILE_MOST]; /* sums of parts, where they have minima */
    float *out[TILE_MOST];
};

void EXACT(tile)(const struct tile *tile, struct tile_kind kind);

#endif
