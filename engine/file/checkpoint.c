#include "engine/file/checkpoint.h"

#include "engine/file/hfmodel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gguf_rope_halves(const struct gguf *file) { return file->rope_halves; }
bool gguf_is_foreign(const struct gguf *file) { return file->source != NULL; }

/* A safetensors file begins with the length of a JSON object. */
static bool looks_like_safetensors(const char *path) {
    unsigned char head[9] = {0};
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file) fclose(file);
    if (n >= 4 && memcmp(head, "GGUF", 4) == 0) return false;
    return view_ends(view_of(path), ".safetensors") || (n == sizeof head && head[8] == '{');
}

static bool open_foreign(struct gguf **out, const char *path, struct status *st) {
    struct hfdir *dir;
    *out = NULL;
    if (!hfdir_open(&dir, path, st)) return false;
    struct gguf *file = calloc(1, sizeof *file);
    if (file) file->path = strdup(path);
    if (!file || !file->path) {
        free(file);
        hfdir_close(dir);
        return status_fail(st, STATUS_NO_MEMORY, "%.120s: out of memory", path);
    }
    if (hfmodel_fill(file, dir, st)) *out = file;
    else gguf_close(file);
    return *out != NULL;
}

bool checkpoint_open(struct gguf **out, const char *path, struct status *st) {
    if (hfdir_is_directory(path) || looks_like_safetensors(path)) return open_foreign(out, path, st);
    return gguf_open_header(out, path, st);
}
