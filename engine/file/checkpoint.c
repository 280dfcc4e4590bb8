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

/* --- one weight ----------------------------------------------------------------------------------------- */

bool checkpoint_find(struct gguf_tensor *out, const struct gguf *file, const char *name, struct status *st) {
    const struct gguf_tensor *found = gguf_find_tensor(file, name);
    char shown[VIEW_SHOWN];
    *out = (struct gguf_tensor){0};
    if (found && dtype_info(found->type)) {
        *out = *found;
        return true;
    }
    if (found && !file->source)
        return status_fail(st, STATUS_UNSUPPORTED,
                           "%.120s: tensor '%s' is %s, which this build cannot decode", file->path,
                           view_shown(shown, found->name), gguf_tensor_type_name(found->type));
    if (!file->source)
        return status_fail(st, STATUS_NOT_FOUND,
                           "%.120s: there is no tensor '%s'; fak inspect lists those it has", file->path,
                           view_shown(shown, view_of(name)));
    struct hfmodel *m = file->source;
    m->st = st;
    bool ok = hfmodel_stored(out, m, name);
    m->st = NULL;
    return ok;
}

bool checkpoint_row(float *out, const struct gguf_tensor *t, size_t row, struct status *st) {
    size_t n = (size_t)t->dims[0], per_matrix = (size_t)t->dims[1], e = row / per_matrix,
           r = row % per_matrix;
    const struct dtype_info *info = dtype_info(t->type);
    if (t->layout) {
        layout_decode(out, &t->layout[e], r);
        return true;
    }
    if (!info->block_bytes || n % info->block_elements)
        return status_fail(st, STATUS_UNSUPPORTED, "rows of %zu are no whole blocks of %s", n, info->name);
    const void *at = t->slices
                         ? t->slices[e]
                         : (const char *)t->data + e * per_matrix * dtype_row_bytes((enum dtype)t->type, n);
    dtype_decode(out, (enum dtype)t->type, (const char *)at + r * dtype_row_bytes((enum dtype)t->type, n), n);
    return true;
}

/* --- opening -------------------------------------------------------------------------------------------- */

bool checkpoint_open(struct gguf **out, const char *path, struct status *st) {
    if (hfdir_is_directory(path) || looks_like_safetensors(path)) return open_foreign(out, path, st);
    return gguf_open_header(out, path, st);
}
