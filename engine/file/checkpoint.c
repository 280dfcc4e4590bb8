#include "engine/file/checkpoint.h"

#include "engine/file/ggufread.h"

bool checkpoint_open(struct gguf **out, const char *path, struct status *st) {
    return gguf_open_header(out, path, st);
}

bool gguf_rope_halves(const struct gguf *file) { return file->rope_halves; }
