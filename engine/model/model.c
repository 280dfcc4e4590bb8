#include "engine/model/model.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *arch;
    unsigned groups; /* enum hparams_group */
    void (*build)(struct builder *b, const struct hparams *h);
} models[] = {
#define MODEL(symbol, arch, groups) {arch, groups, symbol##_build},
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

/* Running a model without what its keys ask for would give wrong text in silence. */
static bool check_groups(struct builder *b, const struct hparams *h, unsigned implemented) {
    static const struct {
        unsigned group;
        const char *key;
    } groups[] = {
        {HPARAMS_WINDOW, "attention.sliding_window"},
        {HPARAMS_EXPERTS, "expert_count"},
        {HPARAMS_CAPS, "attn_logit_softcapping, final_logit_softcapping"},
        {HPARAMS_LATENT, "attention.kv_lora_rank"},
        {HPARAMS_INDEXER, "attention.indexer.head_count"},
        {HPARAMS_RECURRENT, "ssm.conv_kernel"},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (h->has & groups[i].group & ~implemented)
            return builder_fail(b, STATUS_UNSUPPORTED, "%s.%s: this build does not support it for %s",
                                h->arch, groups[i].key, h->arch);
    return true;
}

bool model_build(struct program *out, struct arena *arena, const struct gguf *file,
                 const struct hparams *hparams, struct status *st) {
    size_t i = find(hparams->arch);
    assert(i < N_MODELS);
    struct builder b;
    builder_begin(&b, arena, file, hparams->arch, st);
    if (check_groups(&b, hparams, models[i].groups)) models[i].build(&b, hparams);
    return builder_finish(out, &b);
}
