/* builder: turns the tensors of a checkpoint into a program, step by step.
 *
 * Owns:    nothing; what it makes lies in the caller's arena, weights stay in the mapped file.
 * Trusts:  the architecture file for order; nothing of the checkpoint: a tensor that is missing, of another
 *          shape or not used at all is refused by name.
 * Threads: one builder, one thread.
 *
 * A builder that failed remembers it and does nothing more, so that an architecture reads as the forward pass
 * it is; builder_finish says whether all went well. Names are ggml's (gguf-py/gguf/constants.py).
 */
#ifndef ENGINE_MODEL_BUILDER_H
#define ENGINE_MODEL_BUILDER_H

#include "engine/file/gguf.h"
#include "engine/model/program.h"
#include "engine/model/rotary.h"

struct builder_list {
    void *at;
    size_t n, room;
};

struct builder {
    struct arena *arena;
    const struct gguf *file;
    const char *arch; /* for messages */
    struct status *st;
    bool failed;
    struct builder_list weights, steps, widths, ropes, caches, states;
    bool *used; /* [tensors of the file] asked for */
    struct program program;
    struct step nowhere; /* what a failed builder's steps are written to */
};

void builder_begin(struct builder *b, struct arena *arena, const struct gguf *file, const char *arch,
                   struct status *st);

/* Records a refusal (the first one counts) and is false; the file's path is put before it. */
bool builder_fail(struct builder *b, enum status_code code, const char *format, ...) STATUS_PRINTF(3, 4);

/* --- what the steps work on; each gives its index */

/* A new activation buffer of `width` f32 a token. */
int builder_buffer(struct builder *b, size_t width);

/* Rotary tables for `context` positions; `extended` for sequences beyond program.extended_from, NULL: the
 * same. */
int builder_rope_table(struct builder *b, size_t context, const struct rotary *rotary,
                       const struct rotary *extended);

/* Pages for keys and values; what a sequence keeps beside them, in floats. */
int builder_cache(struct builder *b, size_t n_heads, size_t key_dim, size_t value_dim);
int builder_state(struct builder *b, size_t n);

/* --- tensors, by (printf) name; a PROGRAM_NONE is a refusal unless said otherwise */

/* Does the file have it? */
bool builder_has(struct builder *b, const char *format, ...) STATUS_PRINTF(2, 3);

/* The number of token ids: the rows of token_embd.weight. */
size_t builder_n_vocab(struct builder *b);

/* A matrix [n_rows][n_cols], an F32 vector of n, or PROGRAM_NONE where the file has no such vector. */
int builder_matrix(struct builder *b, size_t n_rows, size_t n_cols, const char *format, ...)
    STATUS_PRINTF(4, 5);
int builder_vector(struct builder *b, size_t n, const char *format, ...) STATUS_PRINTF(3, 4);
int builder_optional(struct builder *b, size_t n, const char *format, ...) STATUS_PRINTF(3, 4);

/* Rows [first, first + n_rows) of a matrix of `all` rows: projections that one tensor holds. */
int builder_part(struct builder *b, size_t first, size_t n_rows, size_t all, size_t n_cols,
                 const char *format, ...) STATUS_PRINTF(6, 7);

/* n matrices [n_rows][n_cols]: experts, heads. */
int builder_matrices(struct builder *b, size_t n, size_t n_rows, size_t n_cols, const char *format, ...)
    STATUS_PRINTF(5, 6);

/* The values of an optional F32 vector that no step reads; NULL when the file has none. */
const float *builder_values(struct builder *b, size_t n, const char *name);

/* Leaves a layer's tensors out: those that predict a second token ahead. */
void builder_skip_layer(struct builder *b, size_t layer);

/* --- the program */

/* A further step, all of whose operands are PROGRAM_NONE (steps.h has one function for each operation). */
struct step *builder_step(struct builder *b, enum op_code op);

/* The finished, checked program; refuses a file with tensors that nothing asked for. */
bool builder_finish(struct program *out, struct builder *b) STATUS_MUST_USE;

#endif
