/* program: what a model asks a backend to do for one batch, planned once when the model is loaded.
 *
 * Owns:    nothing; a program lives in the model's arena, weights lie in the mapped file.
 * Trusts:  the architecture file that built it; program_check says where that trust was misplaced.
 * Threads: constant after it is built, but for the rotary tables, which grow between runs.
 *
 * Data flows one way: an architecture (engine/model/llama.c ...) turns checked metadata and tensors into a
 * program; a backend runs programs. Architectures never see a kernel, backends never see a file.
 *
 * A buffer is one f32 matrix [tokens of the batch][width], row-major. Steps name buffers and weights by
 * index. A step reads all of its inputs before the next one starts.
 */
#ifndef ENGINE_MODEL_PROGRAM_H
#define ENGINE_MODEL_PROGRAM_H

#include "base/arena.h"
#include "base/status.h"
#include "engine/kernels/routing.h"
#include "engine/tensor/layout.h"

#include <stdint.h>

enum op_code {
#define OP(name, text) OP_##name,
#include "engine/kernels/ops.inc"
#undef OP
    OP_COUNT,
};

enum { PROGRAM_MAX_OPERANDS = 4, PROGRAM_MAX_BUFFERS = 64 /* bits of a set */, PROGRAM_NONE = -1 };

/* A matrix [n_rows][n_cols] (row-major, rows of dtype_row_bytes), a vector (n_rows 1), or one such matrix for
 * each expert or head. */
struct weight {
    const char *name; /* the tensor's name in the file, for messages */
    enum dtype type;
    size_t n_rows, n_cols;
    const void *data;
    size_t n_experts;            /* matrices of this shape; 0: one that is no expert's */
    const void *const *slices;   /* [n_experts] where each lies; NULL: one behind the other from data */
    const struct layout *layout; /* [n_experts or 1] how it lies, instead of data and slices; NULL: as rows */
    bool
        mapped; /* data lies in a read-only mapping of a file: pages that are let go come back as they were */
};

enum rope_pairs { ROPE_INTERLEAVED /* (2i, 2i+1) */, ROPE_HALVES /* (i, i + n/2) */ };

struct step {
    enum op_code op;
    int in[PROGRAM_MAX_OPERANDS], out[PROGRAM_MAX_OPERANDS], weight[PROGRAM_MAX_OPERANDS];
    int n;     /* operands in use: linear has n weights and n outputs */
    int cache; /* of program.caches */
    int state; /* of program.states */
    int rope;  /* of program.ropes */
    /* A row is so many equal parts; of each an op may use what begins at `at` and leave the rest alone. */
    size_t heads[PROGRAM_MAX_OPERANDS], in_at[PROGRAM_MAX_OPERANDS], out_at[PROGRAM_MAX_OPERANDS];
    float eps;          /* rms_norm, layer_norm */
    float scale;        /* embed; attention, dsa_select: of q.k */
    float cap;          /* softcap; attention: of the scores, 0: none */
    float alpha, limit; /* swiglu_clamped */
    size_t window;      /* attention: 0: none */
    size_t group; /* delta_net: value heads of a key head whose a and b stand together; 0: plain order */
    bool tiled;   /* delta_net: value heads take key heads in turn */
    enum rope_pairs pairs;
    struct routing routing;
};
/* Operands, by op; `h` is heads[0], and a row of h heads of d is h * d wide:
 *   embed          weight[0] [vocab][d]                              -> out[0] d
 *   rms_norm       in[0] h heads, weight[0] [1][d] (F32)             -> out[0] h heads; the first d of each
 *   layer_norm     in[0] d, weight[0], weight[1] [1][d] (F32)        -> out[0] d
 *   linear         in[0] k, weight[i] [m_i][k]                       -> out[i] m_i   (i < n)
 *   head_linear    in[0] h heads, weight[0] h matrices [m][k]        -> out[0] h heads: m from the first k
 *   bias           weight[i] [1][m_i] (F32)                          -> out[i] += weight   (i < n)
 *   rope           in[i] heads[i] heads                              -> out[i], which may be in[i]   (i < n)
 *   kv_store       in[0] k, in[1] v -> pages of `cache`: of each head the first key_dim, value_dim
 *   attention      in[0] q, weight[0] [1][h] sinks (F32) or none     -> out[0] h heads of value_dim
 *   dsa_select     in[0] q, in[1] h weights, pages of `cache`        -> out[0] positions
 *   dsa_attention  in[0] q, in[1] positions                          -> out[0] h heads of value_dim
 *   swiglu, geglu, swiglu_clamped   in[0] gate, in[1] up             -> out[0], which may be one of them
 *   add            in[0] y                                           -> out[0] += y
 *   sigmoid_gate   in[0] h heads or 1                                -> out[0] *= sigmoid of in_at[0] on
 *   softcap                                                             out[0] in place
 *   select         in[0] -> out[0], the rows where the batch asks for logits; buffers after it have as many
 *   route          in[0] experts, weight[0] [1][experts] (F32) or none -> out[0] ids, out[1] weights: s wide
 *   experts        in[0] k or s * k, in[1] ids, weight[i] experts [m][k], weight[n + i] [experts][m] or none
 *                                                                    -> out[i] s * m   (i < n <= 2)
 *   mix            in[0] s * d, in[1] weights s                      -> out[0] d
 *   short_conv     in[0] d, weight[0] [d][taps] (F32), `state`       -> out[0] d, which may be in[0]
 *   delta_net      in[0] q, k, v; in[1] a, in[2] b: heads[1] value heads over h key heads,
 *                  weight[0] decay, weight[1] dt_bias [1][heads[1]], `state` -> out[0] heads[1] heads
 */

struct rotary_tables;

/* Tables [context][dims / 2], computed in f64 and rounded to f32; [1] for extended sequences, else as [0]. */
struct program_rope {
    size_t dims; /* of a head that rotate, even */
    const float *cos[2], *sin[2];
    struct rotary_tables *rotary[2]; /* fill them: rotary_reach, before a position is run; NULL: filled */
};

/* Pages of keys and values: what kv_store writes. */
struct program_cache {
    size_t n_heads, key_dim, value_dim;
};

struct program {
    const struct weight *weights;
    int n_weights;
    const struct step *steps;
    int n_steps;
    const size_t *widths;
    int n_buffers; /* f32 per row */
    int logits;    /* the buffer that holds them, width n_vocab */
    size_t n_vocab;
    size_t context; /* positions the model was made for */
    const struct program_rope *ropes;
    int n_ropes;
    const struct program_cache *caches;
    int n_caches;
    const size_t *states; /* floats that a sequence keeps, beside pages */
    int n_states;
    size_t extended_from; /* longer sequences are extended: rotated by the second tables; 0: none is */
};

/* What every backend relies on, for the whole program: operands in range, widths and weight shapes that fit
 * the operation, nothing read before it was written, rows of `select` never mixed with rows of the batch,
 * logits at the end. False names the step: a bug in the architecture file that built the program. */
bool program_check(const struct program *program, struct status *st) STATUS_MUST_USE;

/* For those who look at how values flow through a program: operands as a set, a bit for each buffer; and does
 * the step write all of its outputs, whatever was there? The others change or complete them. */
uint64_t program_buffers(const int operands[PROGRAM_MAX_OPERANDS]);
bool program_fills(const struct program *program, const struct step *step);

const char *program_op_name(enum op_code op);

#endif
