#include "engine/file/checkpoint.h"

#include "engine/file/hfmodel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool gguf_rope_halves(const struct gguf *file) { return file->rope_halves; }
bool gguf_is_foreign(const struct gguf *file) { return file->source != NULL; }

bool gguf_is_mapped(const struct gguf *file, const void *at) {
    const struct hfdir *dir = file->source ? ((const struct hfmodel *)file->source)->dir : NULL;
    bool found = mapping_holds(&file->map, at);
    for (unsigned i = 1; i < file->n_parts && !found; i++) found = mapping_holds(&file->parts[i]->map, at);
    for (size_t i = 0; dir && i < dir->n_shards && !found; i++)
        found = safetensors_is_mapped(dir->shards[i], at);
    return found;
}

void checkpoint_let_go(const struct gguf *file) {
    const struct hfdir *dir = file->source ? ((const struct hfmodel *)file->source)->dir : NULL;
    mapping_let_go(&file->map);
    for (unsigned i = 1; i < file->n_parts; i++) mapping_let_go(&file->parts[i]->map);
    for (size_t i = 0; dir && i < dir->n_shards; i++) safetensors_let_go(dir->shards[i]);
}

static bool identify(struct str *out, const char *path, struct status *st) {
    struct stat info;
    if (stat(path, &info) != 0) return status_fail_errno(st, "cannot stat '%s'", path);
    str_printf(out, "%lld %lld.%09ld %llu\n", (long long)info.st_size, (long long)info.st_mtim.tv_sec,
               info.st_mtim.tv_nsec, (unsigned long long)info.st_ino);
    return str_ok(out, st);
}

bool checkpoint_identity(struct str *out, const struct gguf *file, struct status *st) {
    const struct hfdir *dir = file->source ? ((const struct hfmodel *)file->source)->dir : NULL;
    bool ok = dir || identify(out, file->path, st);
    for (unsigned i = 1; i < file->n_parts && ok; i++) ok = identify(out, file->parts[i]->path, st);
    for (size_t i = 0; dir && i < dir->n_shards && ok; i++)
        ok = identify(out, safetensors_path(dir->shards[i]), st);
    return ok;
}

bool checkpoint_beside(struct str *out, const struct gguf *file, const char *suffix, struct status *st) {
    bool directory = hfdir_is_directory(file->path);
    str_puts(out, file->path);
    str_printf(out, "%s%s", directory ? "/model." : ".", suffix);
    return str_ok(out, st);
}

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
