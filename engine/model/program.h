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
#include "engine/tensor/layout.h"

#include <stdint.h>

enum op_code {
#define OP(name, text) OP_##name,
#include "engine/kernels/ops.inc"
#undef OP
    OP_COUNT,
};

enum { PROGRAM_MAX_OPERANDS = 4, PROGRAM_MAX_BUFFERS = 64, PROGRAM_NONE = -1 };

/* A matrix [n_rows][n_cols] (row-major, rows of dtype_row_bytes), a vector (n_rows 1) or n_experts matrices.
 */
struct weight {
    const char *name; /* the tensor's name in the file, for messages */
    enum dtype type;
    size_t n_rows, n_cols;
    const void *data;
    size_t n_experts;            /* matrices of this shape; 0: one that is no expert's */
    const void *const *slices;   /* [n_experts] where each lies; NULL: one behind the other from data */
    const struct layout *layout; /* [n_experts or 1] how it lies, instead of data and slices; NULL: as rows */
};

/* Matrix e of a weight as a weight of its own. */
struct weight weight_expert(const struct weight *weight, size_t e);

enum rope_pairs { ROPE_INTERLEAVED /* (2i, 2i+1) */, ROPE_HALVES /* (i, i + n/2) */ };

struct step {
    enum op_code op;
    int in[PROGRAM_MAX_OPERANDS], out[PROGRAM_MAX_OPERANDS], weight[PROGRAM_MAX_OPERANDS];
    int n; /* operands in use: linear has n weights and n outputs */
    int layer;
    float eps;   /* rms_norm */
    float scale; /* attention: of q.k before the softmax */
    enum rope_pairs pairs;
};
/* Operands, by op:
 *   embed      weight[0] [vocab][d]                              -> out[0] d
 *   rms_norm   in[0] d, weight[0] [1][d] (F32)                   -> out[0] d
 *   linear     in[0] k, weight[i] [m_i][k]                       -> out[i] m_i   (i < n)
 *   rope       out[0] q (n_heads * head_dim), out[1] k (n_kv_heads * head_dim): in place
 *   kv_store   in[0] k, in[1] v -> pages of `layer`
 *   attention  in[0] q -> out[0] (n_heads * head_dim), reads the pages of `layer`
 *   swiglu     in[0] gate, in[1] up -> out[0]
 *   add        in[0] y -> out[0] += y
 *   select     in[0] -> out[0], the rows where the batch asks for logits; buffers after it have as many rows
 */

struct rotary_tables;

struct program {
    const struct weight *weights;
    int n_weights;
    const struct step *steps;
    int n_steps;
    const size_t *widths;
    int n_buffers; /* f32 per row */
    int logits;    /* the buffer that holds them, width n_vocab */
    size_t n_vocab, n_layers, n_heads, n_kv_heads, head_dim;
    size_t context;                   /* positions the model was made for */
    size_t rope_dims;                 /* dims of a head that rotate, even */
    const float *rope_cos, *rope_sin; /* [context][rope_dims / 2]: computed in f64, rounded to f32 */
    struct rotary_tables *rotary;     /* fills them: rotary_reach, before a position is run; NULL: filled */
};

/* What every backend relies on, for the whole program: operands in range, widths and weight shapes that fit
 * the operation, nothing read before it was written, rows of `select` never mixed with rows of the batch,
 * logits at the end. False names the step: a bug in the architecture file that built the program. */
bool program_check(const struct program *program, struct status *st) STATUS_MUST_USE;

const char *program_op_name(enum op_code op);

#endif
