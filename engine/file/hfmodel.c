#include "engine/file/hfmodel.h"

#include <stdlib.h>
#include <string.h>

/* Without config.json the tensors are shown under their own names; nothing can be run. */
static bool name_plainly(struct hfmodel *m) {
    for (size_t i = 0; i < m->dir->n_tensors; i++) {
        const struct safetensors_tensor *from = m->dir->tensors[i];
        char *name = arena_copy(&m->file->arena, from->name.at, from->name.n, m->st);
        struct gguf_tensor *t = name ? hfmodel_tensor(m, name, from->name) : NULL;
        if (!t) return false;
        int type = safetensors_dtype(from->type);
        t->n_dims = from->n_dims < 4 ? from->n_dims : 4;
        for (unsigned d = 0; d < t->n_dims; d++) t->dims[d] = from->dims[from->n_dims - 1 - d];
        t->type = type < 0 ? GGUF_FOREIGN_TYPE + (uint32_t)from->type : (uint32_t)type;
        t->offset = from->offset;
        t->bytes = from->bytes;
        t->data = from->data;
    }
    return true;
}

static bool fill(struct hfmodel *m) {
    const struct hfdir *dir = m->dir;
    struct gguf *file = m->file;
    file->n_files = (unsigned)dir->n_shards;
    for (size_t i = 0; i < dir->n_shards; i++) file->n_bytes += safetensors_size(dir->shards[i]);
    file->rope_halves = true;
    if (dir->config.doc.root ? !hfmodel_config(m) || !hfquant_config(m) || !hfmodel_tensors(m)
                             : !name_plainly(m))
        return false;
    return ggufread_sort_values(file, m->st) && ggufread_sort_tensors(file, m->st);
}

static void release(void *dir) { hfdir_close(dir); }

bool hfmodel_fill(struct gguf *file, struct hfdir *dir, struct status *st) {
    struct hfmodel m = {.dir = dir, .file = file, .st = st};
    file->source = dir;
    file->close_source = release;
    return fill(&m);
}
