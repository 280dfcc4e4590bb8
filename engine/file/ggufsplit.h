/* ggufsplit: models that are split over several files (llama.cpp tools/gguf-split). Only engine/file includes
 * this.
 *
 * Owns:    the first file owns the others.
 * Trusts:  nothing: every part is read as a file of its own, and has to say that it is part i of n.
 */
#ifndef ENGINE_FILE_GGUFSPLIT_H
#define ENGINE_FILE_GGUFSPLIT_H

#include "engine/file/ggufread.h"

typedef bool ggufsplit_open(struct gguf **out, const char *path, struct status *st);

/* Does nothing to a file that is not split. Else *file has to be the first part: opens the others beside it
 * and takes their tensors in. On false gguf_close(file) closes what was opened. */
bool ggufsplit_join(struct gguf *file, ggufsplit_open *open, struct status *st) STATUS_MUST_USE;

#endif
