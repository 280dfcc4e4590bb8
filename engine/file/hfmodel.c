#include "engine/file/hfmodel.h"

#include <stdlib.h>
#include <string.h>

/* A tensor as it is stored, whatever it may be for. */
static void show_raw(struct gguf_tensor *t, const struct safetensors_tensor *from) {
    int type = safetensors_dtype(from->type);
    t->n_dims = from->n_dims < 4 ? from->n_dims : 4;
    for (unsigned d = 0; d < t->n_dims; d++) t->dims[d] = from->dims[from->n_dims - 1 - d];
    t->type = type < 0 ? GGUF_FOREIGN_TYPE + (uint32_t)from->type : (uint32_t)type;
    t->offset = from->offset;
    t->bytes = from->bytes;
    t->data = from->data;
}

static bool name_plainly(struct hfmodel *m) {
    for (size_t i = 0; i < m->dir->n_tensors; i++) {
        const struct safetensors_tensor *from = m->dir->tensors[i];
        char *name = arena_copy(&m->file->arena, from->name.at, from->name.n, m->st);
        struct gguf_tensor *t = name ? hfmodel_tensor(m, name, from->name) : NULL;
        if (!t) return false;
        show_raw(t, from);
    }
    return true;
}

static bool fill(struct hfmodel *m) {
    const struct hfdir *dir = m->dir;
    struct gguf *file = m->file;
    file->n_files = (unsigned)dir->n_shards;
    for (size_t i = 0; i < dir->n_shards; i++) file->n_bytes += safetensors_size(dir->shards[i]);
    file->rope_halves = true;
    if (!hfmodel_family(m) || (dir->config.doc.root && !hfquant_config(m)) ||
        (m->arch ? !hfmodel_config(m) || !hfmodel_tensors(m) : !name_plainly(m)))
        return false;
    return ggufread_sort_values(file, m->st) && ggufread_sort_tensors(file, m->st);
}

static void release(void *source) {
    struct hfmodel *m = source;
    hfdir_close(m->dir);
    free(m);
}

bool hfmodel_fill(struct gguf *file, struct hfdir *dir, struct status *st) {
    struct hfmodel *m = calloc(1, sizeof *m);
    if (!m) {
        hfdir_close(dir);
        return status_fail(st, STATUS_NO_MEMORY, "%.120s: out of memory", file->path);
    }
    *m = (struct hfmodel){.dir = dir, .file = file, .st = st};
    file->source = m;
    file->close_source = release;
    bool ok = fill(m);
    m->st = NULL;
    return ok;
}

/* --- one stored weight -----------------------------------------------------------------------------------
 */

/* NAME_blocks and NAME_scales of all experts. */
static bool stored_blocks(struct gguf_tensor *out, struct hfmodel *m,
                          const struct safetensors_tensor *blocks) {
    struct hfmatrix *all = hfmxfp4_experts(m, blocks);
    size_t n = (size_t)blocks->dims[0];
    struct layout *layouts = all ? arena_alloc(&m->file->arena, n, sizeof *layouts, m->st) : NULL;
    for (size_t e = 0; layouts && e < n; e++) layouts[e] = all[e].layout;
    if (!layouts) return false;
    *out = (struct gguf_tensor){
        .n_dims = 3, .dims = {all->n_cols, all->n_rows, n, 1}, .type = all->type, .layout = layouts};
    return true;
}

static bool stored_matrix(struct gguf_tensor *out, struct hfmodel *m, const struct hfmodule *module) {
    struct hfmatrix matrix;
    struct layout *layout = arena_alloc(&m->file->arena, 1, sizeof *layout, m->st);
    if (!layout || !hfquant_matrix(&matrix, m, module)) return false;
    hfquant_lay(&matrix);
    *layout = matrix.layout;
    *out = (struct gguf_tensor){
        .n_dims = 2, .dims = {matrix.n_cols, matrix.n_rows, 1, 1}, .type = matrix.type, .layout = layout};
    return true;
}

/* The parts of `name`: they begin with it and a dot. */
static bool find_module(struct hfmodule *out, const struct hfdir *dir, struct view name) {
    *out = (struct hfmodule){.name = name};
    for (size_t i = 0; i < dir->n_tensors; i++) {
        struct view full = dir->tensors[i]->name;
        bool part = full.n > name.n + 1 && memcmp(full.at, name.at, name.n) == 0 && full.at[name.n] == '.';
        if (!part && out->n_parts) break;
        if (part && out->n_parts++ == 0) out->parts = &dir->tensors[i];
    }
    return out->n_parts > 0;
}

/* The tensor NAME and what is added to it, or NULL. */
static const struct safetensors_tensor *find_raw(const struct hfmodel *m, const char *name,
                                                 const char *ending) {
    struct str whole = {0};
    struct status st;
    str_printf(&whole, "%s%s", name, ending);
    const struct safetensors_tensor *found = str_ok(&whole, &st) ? hfdir_find(m->dir, str_c(&whole)) : NULL;
    str_free(&whole);
    return found;
}

/* Numbers that stand for themselves: anything but a matrix, which may have scales beside it. */
static bool is_plain(const struct safetensors_tensor *t) {
    return t && safetensors_dtype(t->type) >= 0 && (t->n_dims != 2 || !view_ends(t->name, ".weight"));
}

bool hfmodel_stored(struct gguf_tensor *out, struct hfmodel *m, const char *name) {
    const struct safetensors_tensor *raw = find_raw(m, name, ""), *weight = find_raw(m, name, ".weight");
    const struct safetensors_tensor *blocks = find_raw(m, name, "_blocks");
    struct view module_name = view_of(name);
    struct hfmodule module;
    char shown[VIEW_SHOWN];
    *out = (struct gguf_tensor){.dims = {1, 1, 1, 1}};
    if (is_plain(raw) || is_plain(weight)) {
        show_raw(out, is_plain(raw) ? raw : weight);
        return true;
    }
    if (blocks) return stored_blocks(out, m, blocks);
    if (view_ends(module_name, ".weight")) module_name.n -= strlen(".weight");
    if (find_module(&module, m->dir, module_name)) return stored_matrix(out, m, &module);
    return status_fail(m->st, STATUS_NOT_FOUND,
                       "%.120s: there is no tensor '%s'; fak inspect lists those it has", m->file->path,
                       view_shown(shown, view_of(name)));
}
