/* hybrid: the two attentions of Qwen3-Next and Qwen3.5: a gated delta net in most layers (arXiv:2412.06464),
 * and attention whose output a gate from the query's projection opens, in the others.
 *
 * Owns nothing, trusts hparams for sizes; one builder, one thread.
 */
#ifndef ENGINE_MODEL_HYBRID_H
#define ENGINE_MODEL_HYBRID_H

#include "engine/model/decoder.h"

struct hybrid {
    bool tiled;                   /* value head j has key head j % n; else neighbours share one */
    int q_gate;                   /* [q, gate] of each head */
    int qkv, z, a, b, ba, values; /* b and a as two buffers, or as one, by key head */
};

void hybrid_begin(struct hybrid *y, struct decoder *d, bool tiled);

/* Every layer, the head last; `how`: experts in every layer, NULL: dense ones. */
void hybrid_layers(struct hybrid *y, struct decoder *d, const struct routing *how);

#endif
