#include "engine/model/model.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *arch;
    void (*build)(struct builder *b, const struct hparams *h);
} models[] = {
#define MODEL(symbol, arch) {arch, symbol##_build},
#include "engine/model/models.inc"
#undef MODEL
};
enum { N_MODELS = sizeof models / sizeof *models };

static size_t find(const char *arch) {
    size_t i = 0;
    while (i < N_MODELS && strcmp(models[i].arch, arch) != 0) i++;
    return i;
}

bool model_runs(const struct gguf *file, struct status *st) {
    char arch[HPARAMS_ARCH];
    if (!hparams_arch(arch, file, st)) return false;
    if (find(arch) < N_MODELS) return gguf_runnable(file, st);
    struct str list = {0};
    for (size_t i = 0; i < N_MODELS; i++) str_printf(&list, "%s%s", i ? ", " : "", models[i].arch);
    status_fail(st, STATUS_UNSUPPORTED, "%.120s: architecture '%s' is not supported; those that run: %s",
                gguf_path(file), arch, str_c(&list));
    str_free(&list);
    return false;
}

bool model_build(struct program *out, struct arena *arena, const struct gguf *file,
                 const struct hparams *hparams, struct status *st) {
    size_t i = find(hparams->arch);
    assert(i < N_MODELS);
    struct builder b;
    builder_begin(&b, arena, file, hparams->arch, st);
    b.program.n_layers = hparams->n_layers;
    b.program.n_heads = hparams->n_heads;
    b.program.n_kv_heads = hparams->n_kv_heads;
    b.program.head_dim = hparams->head_dim;
    models[i].build(&b, hparams);
    return builder_finish(out, &b);
}
