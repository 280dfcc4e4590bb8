/* decoder: the blocks that decoder-only transformers are made of. An architecture puts them in its own order.
 *
 * Owns:    nothing; what it makes is the builder's.
 * Trusts:  the architecture for order and for what it says in struct decoder.
 * Threads: as the builder.
 *
 * Every block reads one buffer (`norm`, say) and leaves its result in `branch`; decoder_add joins that to the
 * residual stream `x`. Buffers serve all layers. Tensor names are ggml's, after "blk.N.".
 */
#ifndef ENGINE_MODEL_DECODER_H
#define ENGINE_MODEL_DECODER_H

#include "engine/model/hparams.h"
#include "engine/model/steps.h"

enum decoder_norms { DECODER_NO_NORMS, DECODER_HEAD_NORMS /* of each head */, DECODER_ROW_NORMS };

enum decoder_activation { DECODER_SWIGLU, DECODER_GEGLU, DECODER_CLAMPED /* gpt-oss */ };

struct decoder {
    struct builder *b;
    const struct hparams *h;
    enum rope_pairs pairs;
    enum decoder_norms norms; /* of q and k, where the file has them */
    enum decoder_activation activation;
    bool fused_qkv, fused_mlp; /* attn_qkv holds q, k and v; ffn_up holds gate and up */
    float scale;               /* of attention scores */
    int table;                 /* token_embd.weight */
    int rope;                  /* rotary table */
    size_t layer;              /* the one that is being built */
    int x;                     /* the residual stream */
    int norm, q, k, v, mixed, branch, gate, up, hidden;
    struct {
        int logits, ids, weights, gate, up, hidden, out;
        int shared_gate, shared_up, shared_hidden, shared, open;
    } experts;
};

/* The embedding, times `scale`, into x; pairs as the architecture's GGUF has them. */
void decoder_begin(struct decoder *d, struct builder *b, const struct hparams *h, enum rope_pairs pairs,
                   float scale);

/* How the file scales rotation, its divisors included. */
struct rotary decoder_rotary(const struct decoder *d);

/* The table of that rotation. */
int decoder_rope(struct decoder *d);

/* A yes or no for this layer (hparams_layer). */
bool decoder_flag(struct decoder *d, const char *key, bool otherwise);

/* norm = rms_norm(x) by the layer's tensor `name`. */
void decoder_norm(struct decoder *d, const char *name);

/* Projections, norms, rotation, the pages, attention and its output: in -> branch. `rope` or PROGRAM_NONE for
 * none; `window` or 0; returns the attention step, for caps. */
struct step *decoder_attention(struct decoder *d, int in, int rope, size_t window);

/* A dense feed-forward: in -> branch. */
void decoder_mlp(struct decoder *d, int in);

/* A mixture of experts, with the shared one where there is one: norm -> branch. */
void decoder_experts(struct decoder *d, const struct routing *how);

/* x += branch, which goes through the norm `name` first where that is not NULL. */
void decoder_add(struct decoder *d, const char *name);

/* Attention and feed-forward with a norm before each, the second named `ffn_norm`; the feed-forward is the
 * experts, chosen by `how`, where that is not NULL and the layer is not one of the leading dense ones. */
void decoder_layer(struct decoder *d, int rope, size_t window, const char *ffn_norm,
                   const struct routing *how);

/* Logits of the selected rows; without output.weight the token table serves twice. */
void decoder_head(struct decoder *d);

#endif
