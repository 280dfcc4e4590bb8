/* model: from a checkpoint to a program, whatever its architecture.
 *
 * Owns:    nothing; programs lie in the caller's arena and point into the mapped file.
 * Trusts:  the file as far as gguf_open checked it, and no further.
 * Threads: any.
 */
#ifndef ENGINE_MODEL_MODEL_H
#define ENGINE_MODEL_MODEL_H

#include "engine/model/builder.h"
#include "engine/model/hparams.h"

/* Can this build run the file? An unknown architecture is refused with the list of those that run, then a
 * tensor type that has no kernels. */
bool model_runs(const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* The forward pass of a file that model_runs. Tensors that are not those of the architecture are refused. */
bool model_build(struct program *out, struct arena *arena, const struct gguf *file,
                 const struct hparams *hparams, struct status *st) STATUS_MUST_USE;

/* One function an architecture (models.inc): adds weights and steps, sets the sizes of b->program. What goes
 * wrong is remembered by the builder. */
#define MODEL(symbol, arch, groups) void symbol##_build(struct builder *b, const struct hparams *h);
#include "engine/model/models.inc"
#undef MODEL

#endif
