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
    int layer;
    struct builder_list weights, steps, widths;
    bool *used; /* [tensors of the file] asked for */
    struct program program;
};

void builder_begin(struct builder *b, struct arena *arena, const struct gguf *file, const char *arch,
                   struct status *st);

/* Records a refusal (the first one counts) and is false; the file's path is put before it. */
bool builder_fail(struct builder *b, enum status_code code, const char *format, ...) STATUS_PRINTF(3, 4);

/* Steps added from now on belong to this layer. */
void builder_layer(struct builder *b, size_t layer);

/* A new activation buffer of `width` f32 a token. */
int builder_buffer(struct builder *b, size_t width);

/* The number of token ids: the rows of token_embd.weight. */
size_t builder_n_vocab(struct builder *b);

/* The tensor of this (printf) name as a weight [n_rows][n_cols], or as an F32 vector of n. */
int builder_matrix(struct builder *b, size_t n_rows, size_t n_cols, const char *format, ...)
    STATUS_PRINTF(4, 5);
int builder_vector(struct builder *b, size_t n, const char *format, ...) STATUS_PRINTF(3, 4);

/* The values of an optional F32 vector that no step reads; NULL when the file has none. */
const float *builder_values(struct builder *b, size_t n, const char *name);

/* The rotary tables of the program for `context` positions (rotary.h). */
struct rotary;
void builder_rope_tables(struct builder *b, size_t context, const struct rotary *rotary);

void builder_embed(struct builder *b, int table, int out);
void builder_rms_norm(struct builder *b, int in, int weight, float eps, int out);
void builder_linear(struct builder *b, int in, int n, const int *weights, const int *outs);
void builder_rope(struct builder *b, int q, int k, enum rope_pairs pairs);
void builder_kv_store(struct builder *b, int k, int v);
void builder_attention(struct builder *b, int q, float scale, int out);
void builder_swiglu(struct builder *b, int gate, int up, int out);
void builder_add(struct builder *b, int y, int x); /* x += y */
void builder_select(struct builder *b, int in, int out);

/* The finished, checked program; refuses a file with tensors that nothing asked for. */
bool builder_finish(struct program *out, struct builder *b) STATUS_MUST_USE;

#endif
