/* ggufwrite: a GGUF file (v3, little-endian), written from front to back.
 *
 * Owns:    the metadata until it is written, and a temporary file beside the wanted one.
 * Trusts:  the caller for the order: metadata, then tensors, then their rows one after the other.
 * Threads: one writer, one thread.
 *
 * The file appears under its name when ggufwrite_end succeeds and not before: a full disk leaves what was
 * there. A writer that failed remembers it and does nothing more; ggufwrite_end says so.
 *
 *     ggufwrite_open(&w, path, &st)
 *     ggufwrite_string(w, "general.architecture", view_of("llama")) ...
 *     ggufwrite_tensor(w, "output.weight", 2, (uint64_t[]){48, 304}, DTYPE_F16) ...
 *     ggufwrite_rows(w, bytes, n) ...           // all bytes of all tensors, in their order
 *     ggufwrite_end(w, &st)                     // frees w, whatever it says
 */
#ifndef ENGINE_FILE_GGUFWRITE_H
#define ENGINE_FILE_GGUFWRITE_H

#include "engine/file/gguf.h"

struct ggufwrite;

bool ggufwrite_open(struct ggufwrite **out, const char *path, struct status *st) STATUS_MUST_USE;

/* The same into memory: *bytes is the caller's to free once ggufwrite_end succeeded. */
bool ggufwrite_open_memory(struct ggufwrite **out, char **bytes, size_t *n,
                           struct status *st) STATUS_MUST_USE;

void ggufwrite_u32(struct ggufwrite *w, const char *key, uint32_t value);
void ggufwrite_i32(struct ggufwrite *w, const char *key, int32_t value);
void ggufwrite_f32(struct ggufwrite *w, const char *key, float value);
void ggufwrite_bool(struct ggufwrite *w, const char *key, bool value);
void ggufwrite_string(struct ggufwrite *w, const char *key, struct view value);
void ggufwrite_strings(struct ggufwrite *w, const char *key, const struct view *values, size_t n);
void ggufwrite_array(struct ggufwrite *w, const char *key, enum gguf_type type, const void *values, size_t n);
/* A value as another file has it. */
void ggufwrite_value(struct ggufwrite *w, const struct gguf_value *value);

/* Announces the next tensor: dims[0] is contiguous. */
void ggufwrite_tensor(struct ggufwrite *w, struct view name, unsigned n_dims, const uint64_t *dims,
                      enum dtype type);

/* The next n bytes of the tensors' data; a tensor that is full is padded. */
void ggufwrite_rows(struct ggufwrite *w, const void *bytes, size_t n);

/* False, too, when the rows were not all that the tensors announced. */
bool ggufwrite_end(struct ggufwrite *w, struct status *st) STATUS_MUST_USE;
void ggufwrite_abandon(struct ggufwrite *w); /* NULL is fine */

#endif
