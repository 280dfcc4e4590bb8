/* quant_tile: the size of the tiles in which products with quantised weights are taken. Owns nothing; any
 * thread. */
#ifndef ENGINE_KERNELS_EXACT_QUANT_TILE_H
#define ENGINE_KERNELS_EXACT_QUANT_TILE_H

#include "engine/kernels/exact/vec.h"

/* Tokens a micro-kernel takes at most: two accumulators each, of 32 or 16 vector registers. */
enum { QUANT_TOKENS = VEC_BYTES == 64 ? 8 : 4 };
/* How far ahead of the sum weights are asked for: a decode step reads each once, and the prefetcher of the
 * hardware stops at every 4 KiB. Past the end of the weights it is no fault. */
enum { PREFETCH_BYTES = 8192 };

#endif
