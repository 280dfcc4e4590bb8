/* slab: weights of a few rows unpacked once for many tokens, and what else a product keeps in a thread's
 * scratch. Sizes are those of the widest clone.
 *
 * Owns nothing; a thread's own.
 *
 * A slab is 2 vectors of rows times at most SLAB_COLUMNS columns. Its codes are, block by block, either quads
 * as in a panel, for clones that multiply bytes, or words less the offset in pairs of columns; both vectors
 * of a quad or of a pair stand together. A few slabs stay in the second-level cache while every tile of
 * tokens goes past them, prepared once for all. Unpacking once for all tokens is ik_llama.cpp's idea
 * (iqk_mul_mat.cpp, is_dequant_better), the blocking Goto's and van de Geijn's (Anatomy of High-Performance
 * Matrix Multiplication, 2008).
 */
#ifndef ENGINE_KERNELS_EXACT_SLAB_H
#define ENGINE_KERNELS_EXACT_SLAB_H

#include "engine/kernels/kernel.h"

enum {
    SLAB_VECTORS = 2,
    SLAB_ROWS = 32, /* of the widest clone */
    SLAB_COLUMNS = 2048,
    SLAB_BLOCKS = SLAB_COLUMNS / QUANT_BLOCK,
    SLAB_PARTS = 2,   /* scales of a block at most */
    SLAB_TOKENS = 64, /* fewer than these are worth no more than a slab that the first cache holds */
    SLAB_TOGETHER = 4,
    TILE_MOST = 7, /* tokens of a tile at most */
};

struct slab {
    int16_t codes[SLAB_COLUMNS * SLAB_ROWS];
    float d[SLAB_BLOCKS * SLAB_PARTS * SLAB_ROWS];
    float m[SLAB_BLOCKS * SLAB_PARTS * SLAB_ROWS];
};

/* Of the tokens of a tile: activations of eight bits as words, feed.h's `start`, `shift` and `sums`. */
struct slab_feed {
    int16_t words[TILE_MOST * SLAB_COLUMNS];
    int32_t start[TILE_MOST * SLAB_BLOCKS * SLAB_PARTS];
    float shift[TILE_MOST * SLAB_BLOCKS], sums[TILE_MOST * SLAB_BLOCKS * SLAB_PARTS];
    float edge[TILE_MOST * SLAB_ROWS]; /* results of which some are past the last row */
};

struct slabs {
    struct slab at[SLAB_TOGETHER];
    struct slab_feed feed;
};

#endif
