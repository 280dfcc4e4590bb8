/* hparams: what a checkpoint's metadata says about the model, checked.
 *
 * Owns:    nothing.
 * Trusts:  nothing; every number is bounded, every quotient is whole, every rule that this build does not
 *          know is refused by its key. Sizes are held against the tensors later, by the builder.
 * Threads: any.
 *
 * All keys that change the arithmetic are read here, whatever the architecture; `has` says which groups of
 * them a file has, models.inc which an architecture implements, and model_build refuses the difference:
 * running without them would give wrong text in silence.
 */
#ifndef ENGINE_MODEL_HPARAMS_H
#define ENGINE_MODEL_HPARAMS_H

#include "engine/file/gguf.h"
#include "engine/kernels/kv.h"
#include "engine/kernels/routing.h"
#include "engine/model/rotary.h"

enum { HPARAMS_ARCH = 32 };

/* Groups of keys that not every architecture has. */
enum hparams_group {
    HPARAMS_WINDOW = 1,    /* attention.sliding_window */
    HPARAMS_EXPERTS = 2,   /* expert_count ... */
    HPARAMS_CAPS = 4,      /* attn_logit_softcapping, final_logit_softcapping */
    HPARAMS_LATENT = 8,    /* attention.kv_lora_rank ... (MLA) */
    HPARAMS_INDEXER = 16,  /* attention.indexer.* (DSA) */
    HPARAMS_RECURRENT = 32 /* ssm.* (gated delta net) */
};

struct hparams {
    char arch[HPARAMS_ARCH]; /* general.architecture, the prefix of the keys */
    unsigned has;            /* enum hparams_group */
    size_t n_layers;         /* without those that predict further tokens ... */
    size_t n_extra_layers;   /* ... which stand behind them and are not run */
    size_t d;                /* width of the residual stream */
    size_t d_ff;             /* width of the feed-forward; 0: the file has none that is dense */
    size_t n_heads, n_kv_heads, head_dim;
    size_t context; /* positions; the caller may lower it before a program is built */
    float eps;
    struct rotary rope;          /* without divisors */
    double local_base;           /* of windowed layers, where they have their own */
    double yarn_log;             /* deepseek: the score's mscale is 1 + yarn_log * ln(factor); 0: none */
    size_t window;               /* 0: none */
    double score_cap, logit_cap; /* 0: none */
    double scale;                /* of the scores, given by the file; 0: by the size of a head */
    struct {
        size_t n, n_used;          /* n 0: no experts */
        size_t n_dense;            /* leading layers without */
        size_t d, d_shared;        /* widths; d_shared 0: no shared expert */
        struct routing how;        /* as far as the file says it ... */
        bool says_gate, says_norm; /* ... which it may leave to the architecture */
    } experts;
    struct {
        size_t q, kv;      /* ranks; q 0: queries come from the stream itself */
        size_t key, value; /* dims of a head before it is absorbed */
    } latent;
    struct {
        size_t n_heads, dim, n_kept;
    } indexer;
    struct {
        size_t taps, key_dim, n_key_heads, n_heads, value_dim;
        size_t every; /* layer i has attention when i + 1 is a multiple of it, unless recurrent_layers says */
    } recurrent;
};

/* general.architecture alone: what to ask before anything else. */
bool hparams_arch(char out[HPARAMS_ARCH], const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* The metadata of a transformer with grouped heads, in the keys of ggml's docs/gguf.md. */
bool hparams_read(struct hparams *out, const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* A yes or no for each layer: item `layer` of the boolean array at ARCH.name; all layers but each n-th where
 * that is a number n; `otherwise` where there is no such key. */
bool hparams_layer(bool *out, const struct gguf *file, const struct hparams *h, const char *name,
                   size_t layer, bool otherwise, struct status *st) STATUS_MUST_USE;

/* Bytes of keys and values of this type that one position takes, over all layers. */
size_t hparams_kv_bytes(const struct hparams *h, enum kv_type type);

#endif
