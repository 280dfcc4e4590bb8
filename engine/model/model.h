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

/* The forward pass of the architecture that hparams->arch names. An unknown one is refused with the list of
 * those that run; so is a file whose tensors are not those of the architecture. */
bool model_build(struct program *out, struct arena *arena, const struct gguf *file,
                 const struct hparams *hparams, struct status *st) STATUS_MUST_USE;

/* False, with the list of those that run, when there is no architecture of this name. */
bool model_known(const char *arch, const char *path, struct status *st) STATUS_MUST_USE;

/* One function an architecture (models.inc): adds weights and steps, sets the sizes of b->program. What goes
 * wrong is remembered by the builder. */
#define MODEL(symbol, arch) void symbol##_build(struct builder *b, const struct hparams *h);
#include "engine/model/models.inc"
#undef MODEL

#endif
