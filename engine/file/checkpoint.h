/* checkpoint: a model's files, whatever their format, in GGUF's terms.
 *
 * Owns:    as gguf.h: the mappings and an arena of tables and small vectors.
 * Trusts:  nothing: see gguf.h.
 * Threads: constant after open.
 *
 * An architecture asks for metadata by GGUF's keys and for tensors by GGUF's names and shapes, and never
 * learns where they come from. A GGUF file gives them as it stands. What else differs from the GGUF of the
 * same model is said by the tensors:
 *   * rows of q and k lie as in the file: gguf_rope_halves says that pairs to rotate are (i, i + n/2) where
 *     ggml's converter would have made them neighbours;
 *   * experts may be tensors of their own (`slices`), and matrices may lie in another way than as rows of
 *     blocks (`layout`: parts of fused matrices, GPTQ ...). Neither is copied;
 *   * vectors are F32, with what ggml's converter does to them done (gemma's norms are 1 + w).
 */
#ifndef ENGINE_FILE_CHECKPOINT_H
#define ENGINE_FILE_CHECKPOINT_H

#include "engine/file/gguf.h"

/* Opens a GGUF file (the first part of a split one), a Hugging Face directory (config.json and safetensors),
 * or a safetensors file with config.json beside it. Types that this build cannot run are refused by
 * gguf_runnable. */
bool checkpoint_open(struct gguf **out, const char *path, struct status *st) STATUS_MUST_USE;

/* It is no GGUF file: the keys and names are what an adapter made of it (engine/file/hfkeys.inc,
 * hfnames.inc). */
bool gguf_is_foreign(const struct gguf *file);

/* The tensor of this GGUF name; in a checkpoint that is none, also the weight of a module or tensor by its
 * own name, as its format means it ("model.layers.0.mlp.down_proj", with or without ".weight"). *out is good
 * while the file is open. */
bool checkpoint_find(struct gguf_tensor *out, const struct gguf *file, const char *name,
                     struct status *st) STATUS_MUST_USE;

/* out[dims[0]] = the exact values of a row, counted over all matrices. */
bool checkpoint_row(float *out, const struct gguf_tensor *tensor, size_t row,
                    struct status *st) STATUS_MUST_USE;

/* ggml's converter was not here: pairs of q and k to rotate are (i, i + n/2) even for the architectures whose
 * GGUF has them as neighbours (llama). */
bool gguf_rope_halves(const struct gguf *file);

/* `at` is a place in a mapping of the model's files, not in memory that was made from them. */
bool gguf_is_mapped(const struct gguf *file, const void *at);

/* The pages of the files that were read are given back; what is read again comes from the files again. */
void checkpoint_let_go(const struct gguf *file);

/* Appends what tells this state of the model's files from another: size, time and number (inode) of each. */
bool checkpoint_identity(struct str *out, const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* out = the path of a file of ours that belongs to the model: MODEL.suffix, or DIR/model.suffix. */
bool checkpoint_beside(struct str *out, const struct gguf *file, const char *suffix,
                       struct status *st) STATUS_MUST_USE;

#endif
