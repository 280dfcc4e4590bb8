/* kernel: one operation on a range of units, in one lane.
 *
 * Owns:    nothing. Kernels never allocate, lock, fail or read globals.
 * Trusts:  the task: shapes fit, ids and pages are in range. The backend checked them when it planned.
 * Threads: any number at once, on disjoint ranges of one task.
 *
 * A task says what to do with all rows of a batch; its units are independent, so a backend gives each
 * thread a range of them and the result does not depend on how it cut. 0 rows and empty ranges are legal.
 *
 * A kernel is one file, engine/kernels/LANE/OP.c, and one row of kernels.inc. Lanes:
 *   ref    textbook order, double accumulation, weights as they lie in the file: the oracle
 *   exact  the same bits on every CPU, compiler and vector width; engine/kernels/exact/exact.h has the
 *          contract. One source, built once for each of KERNEL_CLONES.
 * What a lane has no kernel for, ref does.
 */
#ifndef ENGINE_KERNELS_KERNEL_H
#define ENGINE_KERNELS_KERNEL_H

#include "engine/kernels/kv.h"
#include "engine/kernels/routing.h"
#include "engine/tensor/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LINEAR_ROWS = 16,              /* weight rows a unit of `linear`, one panel (engine/kernels/panel.h) */
    KERNEL_ATTENTION_QUERIES = 64, /* query heads that attention takes over a page while it is hot, at most */
    QUANT_BLOCK = 32, /* elements that share a scale: of weights, and of activations against them */
};

/* f32 rows: row i is at[i * stride], `width` of them. */
struct rows {
    float *at;
    size_t width, stride;
};

/* The tokens of a batch: what the rows are about. */
struct tokens {
    const int32_t *ids, *positions; /* [n] */
    const int32_t *sequences;       /* [n] row of `pages` */
    const int32_t *pages;           /* [sequences][pages_per_sequence], -1: none */
    size_t pages_per_sequence;
    const size_t *wanted; /* the rows whose logits are asked for, ascending */
    const bool *extended; /* [n] rotates by the second of a rope's tables; NULL: none does */
};

/* The page that holds `position` of row i's sequence, -1: none. */
static inline int32_t tokens_page(const struct tokens *tokens, size_t i, size_t position) {
    const int32_t *pages = tokens->pages + (size_t)tokens->sequences[i] * tokens->pages_per_sequence;
    return pages[position / KV_PAGE];
}

/* Activations as integers with one scale for each QUANT_BLOCK of a row. */
struct quantized {
    int bits;          /* 16 or 8 */
    void *q;           /* [n][width] int16_t; or int8_t, the middle two of every four in each other's place */
    float *scale;      /* [n][width / QUANT_BLOCK] */
    float *scaled_sum; /* [n][width / QUANT_BLOCK], scale * sum of q: what a weight's minimum multiplies */
    int32_t *sums;     /* [n][2 * width / QUANT_BLOCK], of q, of the halves of each block */
    size_t width;
};

/* Matrices [n_rows][n_cols] of one shape and type: where each lies, as in struct weight. */
struct matrices {
    enum dtype type;
    size_t n_rows, n_cols;
    const void *data;            /* one behind the other ... */
    const void *const *slices;   /* ... or, unless NULL, each where this says ... */
    const struct layout *layout; /* ... or, unless NULL, as this says */
    /* For lanes other than ref, each as panels: */
    const void *const *panels;
    bool is_float;              /* of numbers, not of codes */
    const struct lpanel *codes; /* how each is laid out, for linear_codes; NULL: as `type` is */
};

/* Units of attention: a KV head's blocks of `rows_per_unit` rows, then the next head's. So a thread that
 * takes half of them has half of the long rows as well. */
struct attention_unit {
    size_t kv_head, begin, end; /* rows */
};

static inline size_t attention_blocks(size_t n, size_t rows_per_unit) {
    return (n + rows_per_unit - 1) / rows_per_unit;
}

static inline struct attention_unit attention_unit(size_t n, size_t rows_per_unit, size_t unit) {
    size_t blocks = attention_blocks(n, rows_per_unit), begin = unit % blocks * rows_per_unit;
    return (struct attention_unit){unit / blocks, begin,
                                   n - begin < rows_per_unit ? n : begin + rows_per_unit};
}

/* What a layer remembers of each sequence beside pages: one row of floats, zeros before position 0. */
struct state {
    float *at; /* of sequence 0 */
    size_t stride;
};

static inline float *state_of(const struct state *state, const struct tokens *tokens, size_t i) {
    return state->at + (size_t)tokens->sequences[i] * state->stride;
}

struct task {
    size_t n; /* rows */
    const struct tokens *tokens;
    union {
        struct embed_task { /* unit: a row */
            enum dtype type;
            const void *table;           /* [vocab][out.width], as in the file */
            const struct layout *layout; /* how it lies, instead of `table`; NULL: as rows */
            struct rows out;
            float scale;
        } embed;
        struct rms_norm_task { /* unit: a row; out may be in */
            struct rows in, out;
            const float *weight; /* [dim] */
            float eps;
            size_t n_heads, dim; /* a norm for the first `dim` of each of n_heads equal parts of a row */
        } rms_norm;
        struct layer_norm_task { /* unit: a row; out may be in */
            struct rows in, out;
            const float *weight, *bias;
            float eps;
        } layer_norm;
        struct quantize_task { /* unit: a row */
            struct rows in;
            struct quantized out;
            const int32_t *columns; /* [out.width] which one to take, -1: a 0; NULL: all in order */
        } quantize;
        struct linear_task { /* unit: LINEAR_ROWS rows of the weights */
            enum dtype type;
            size_t n_rows, n_cols;
            const void *weights; /* rows as in the file, or panels where the kernel wants them */
            const struct layout
                *layout;         /* how they lie, instead of `weights`: for `ref` only; NULL: as rows */
            struct rows in, out; /* n_cols and n_rows wide */
            struct quantized quantized; /* `in` once more, for kernels that multiply integers */
            const struct lpanel *codes; /* how `weights` are laid out, for linear_codes */
        } linear;
        struct head_linear_task {    /* unit: LINEAR_ROWS rows of one head's matrix */
            struct matrices weights; /* one for each head */
            size_t n_heads;
            int bits; /* of activations that are to be multiplied as integers */
            struct rows in,
                out; /* n_heads equal parts each; the first n_cols and n_rows of a part are used */
        } head_linear;
        struct bias_task { /* unit: a row; in place */
            struct rows out;
            const float *bias;
        } bias;
        struct rope_task { /* unit: a row; out may be in, then all else stays */
            struct rows in, out;
            size_t n_heads;               /* equal parts of a row */
            size_t in_at, out_at;         /* the first dim of a head that rotates: read, written */
            size_t dims;                  /* so many rotate, by pairs */
            const float *cos[2], *sin[2]; /* [position][dims / 2]; the second for extended sequences */
            bool halves;                  /* pairs (i, i + dims / 2); else (2i, 2i + 1) */
        } rope;
        struct kv_store_task { /* unit: a row */
            struct rows k, v;  /* kv.n_kv_heads equal parts, of which the first key_dim and value_dim count */
            struct kv kv;
        } kv_store;
        struct attention_task { /* unit: some rows and a KV head, with the query heads that share it */
            struct rows q, out; /* heads of key_dim and of value_dim */
            struct kv kv;
            size_t n_heads;
            size_t rows_per_unit; /* not 0 */
            float scale;
            size_t window; /* position i sees j while i - j < window; 0: all before it */
            float cap;     /* scores become cap * tanh(score / cap); 0: they stay */
            const float
                *sinks; /* [n_heads] a score that takes part in the sum and has no value; NULL: none */
            struct rows chosen; /* dsa_attention: the positions to look at, ascending, then -1s */
        } attention;
        struct dsa_select_task {    /* unit: a row */
            struct rows q, weights; /* n_heads heads of kv.key_dim, and a weight for each */
            struct kv kv;           /* one key head, no values */
            size_t n_heads;
            float scale;
            struct rows out; /* the out.width best positions, ascending, then -1s; whole numbers */
        } dsa_select;
        struct swiglu_task { /* unit: a row; out may be gate or up; geglu and swiglu_clamped too */
            struct rows gate, up, out;
            float alpha, limit; /* swiglu_clamped */
        } swiglu;
        struct add_task { /* unit: a row */
            struct rows in, out;
        } add;
        struct sigmoid_gate_task { /* unit: a row; in place */
            struct rows gate, out;
            size_t n_heads,
                at; /* of n_heads parts of a gate row, the values from `at` on; 1 value: for all */
        } sigmoid_gate;
        struct softcap_task { /* unit: a row; in place */
            struct rows out;
            float cap;
        } softcap;
        struct select_task { /* unit: a wanted row, n of them */
            struct rows in, out;
        } select;
        struct route_task {           /* unit: a row */
            struct rows in;           /* a logit for each expert */
            const float *bias;        /* [in.width] added to the scores for the choice alone; NULL: none */
            struct rows ids, weights; /* of the chosen experts, the best first; ids are whole numbers */
            struct routing how;
        } route;
        struct experts_task {        /* unit: LINEAR_ROWS rows of one expert's matrix; lanes other than ref
                                        count those that a token chose alone */
            struct matrices weights; /* one for each expert */
            size_t n_experts;
            const float *bias;          /* [n_experts][n_rows]; NULL: none */
            struct rows in;             /* n_cols wide, or so much for each chosen expert */
            struct quantized quantized; /* `in` once more; q is NULL where matrices quantise themselves */
            struct rows ids, out;       /* out: n_rows for each chosen expert */
        } experts;
        struct mix_task {                 /* unit: a row */
            struct rows in, weights, out; /* in: out.width for each weight */
        } mix;
        struct short_conv_task { /* unit: LINEAR_ROWS channels, over all rows in order; out may be in */
            struct rows in, out;
            const float *weight; /* [channels][taps], the last for the token itself */
            size_t taps;
            struct state state; /* [taps - 1][channels] of the inputs before, the oldest first */
        } short_conv;
        struct delta_net_task { /* unit: a value head, over all rows in order */
            struct rows q, k, v, a, b, out;
            size_t n_key_heads, n_heads, key_dim, value_dim;
            size_t run, step;             /* a and b of head j stand at j / run * step + j % run */
            bool tiled;                   /* head j has key head j % n_key_heads; else neighbours share one */
            const float *decay, *dt_bias; /* [n_heads] */
            struct state state;           /* [n_heads][key_dim][value_dim] */
        } delta_net;
    };
};

/* Units [begin, end) of the task. `scratch` is this thread's own, 64-byte aligned, of kernel_scratch bytes.
 */
typedef void kernel_fn(const struct task *task, size_t begin, size_t end, void *scratch);

/* Bytes of scratch that any kernel needs for rows of up to `width` and heads of `head_dim` (keys or values).
 */
size_t kernel_scratch(size_t width, size_t head_dim);

struct kernel {
    const char *op, *lane;
    const char *clone; /* of KERNEL_CLONES, "" where there is one version */
    const char *file;  /* from the repository root */
    bool (*runs_here)(void);
    kernel_fn *run;
};

extern const struct kernel kernel_table[];
extern const size_t kernel_count;

/* The kernel of this op in this lane and clone ("" for a lane without), else ref's; NULL when there is no
 * such op. Whether this CPU can run it is the caller's to know. */
const struct kernel *kernel_find(const char *op, const char *lane, const char *clone);

/* The same for a product with weights of this type: "linear_q4_1" where the lane has it, else "linear". */
const struct kernel *kernel_find_linear(enum dtype type, const char *lane, const char *clone);

/* The versions that one source of lane `exact` is built in: KERNEL_CLONES(ROW, op) is ROW(op, name) for
 * each, narrowest first. The Makefile knows the flags. "c" is portable C without an instruction by name: the
 * others must give its bits. */
#if defined(__x86_64__)
#define KERNEL_CLONES(ROW, op) ROW(op, c) ROW(op, avx2) ROW(op, avx512bw) ROW(op, avx512vnni)
#elif defined(__aarch64__)
#define KERNEL_CLONES(ROW, op) ROW(op, c) ROW(op, asimd) ROW(op, dotprod) ROW(op, i8mm)
#else
#define KERNEL_CLONES(ROW, op) ROW(op, c)
#endif

/* The widest clone that this CPU runs of what people choose from: "c", "avx2", "avx512", "neon", or "auto",
 * all of them. A clone's own name means itself. NULL where this CPU runs none; `exists`, unless NULL, says
 * whether any CPU could. */
const char *kernel_choose_clone(const char *isa, bool *exists);

/* What people choose a clone by, and what it needs beyond that: "avx512 vnni". "" for "". */
const char *kernel_clone_text(const char *clone);

/* "c, avx2, avx512": what this CPU can run. Returns out. */
const char *kernel_isas_here(char *out, size_t size);

/* Every kernel's function: OP_ref, OP_exact_CLONE. */
#define KERNEL_DECLARE_ref(op) kernel_fn op##_ref;
#define KERNEL_DECLARE_CLONE(op, clone) kernel_fn op##_exact_##clone;
#define KERNEL_DECLARE_exact(op) KERNEL_CLONES(KERNEL_DECLARE_CLONE, op)
#define KERNEL(op, lane, needs) KERNEL_DECLARE_##lane(op)
#include "engine/kernels/kernels.inc"
#undef KERNEL

#endif
