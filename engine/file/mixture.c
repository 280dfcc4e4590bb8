#include "engine/file/mixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct mixture mixtures[] = {
    {"Q8_0", DTYPE_Q8_0, 7, "8.5 bits a weight: next to nothing is lost"},
    {"Q6_K", DTYPE_Q6_K, 18, "6.6 bits: almost nothing"},
    {"Q5_K_M", DTYPE_Q5_K, 17, "about 5.7 bits: little"},
    {"Q4_K_M", DTYPE_Q4_K, 15, "about 4.8 bits: some; the usual choice"},
    {"Q4_0", DTYPE_Q4_0, 2, "4.5 bits: more than Q4_K_M; blocks of 32"},
    {"F16", DTYPE_F16, 1, "16 bits"},
    {"BF16", DTYPE_BF16, 32, "16 bits, with the range of F32"},
    {"F32", DTYPE_F32, 0, "32 bits: what a quantised file says, exactly"},
};
enum { N_MIXTURES = sizeof mixtures / sizeof *mixtures };

const struct mixture *mixture_find(const char *name) {
    for (size_t i = 0; i < N_MIXTURES; i++)
        if (strcasecmp(mixtures[i].name, name) == 0) return &mixtures[i];
    return NULL;
}

const struct mixture *mixture_at(size_t i) { return i < N_MIXTURES ? &mixtures[i] : NULL; }

bool mixture_model_read(struct mixture_model *out, const struct gguf *file, struct status *st) {
    struct view arch;
    char key[96];
    *out = (struct mixture_model){.tied = !gguf_find_tensor(file, "output.weight")};
    if (!gguf_string(&arch, file, "general.architecture", "", st)) return false;
    snprintf(key, sizeof key, "%.*s.block_count", (int)(arch.n < 48 ? arch.n : 48), arch.at);
    if (!gguf_u64(&out->n_layers, file, key, 1 << 16, 0, st)) return false;
    snprintf(key, sizeof key, "%.*s.expert_count", (int)(arch.n < 48 ? arch.n : 48), arch.at);
    return gguf_u64(&out->n_experts, file, key, 1 << 16, 0, st);
}

/* --- names ---------------------------------------------------------------------------------------------- */

static bool has(struct view name, const char *part) {
    return name.n && memmem(name.at, name.n, part, strlen(part));
}

static long layer_of(struct view name) {
    return view_starts(name, "blk.") ? strtol(name.at + 4, NULL, 10) : -1;
}

/* Only matrices that a product reads; the small ones that steer (routers, convolutions, state) stay exact. */
static bool is_quantised(const struct gguf_tensor *t) {
    static const char *const kept[] = {
        "_norm",      "ffn_gate_inp", "altup",      "laurel",      "per_layer_model_proj",
        "pos_embd",   "token_types",  "ssm_conv1d", "shortconv",   "time_mix",
        "attn_rel_b", "indexer.",     "rope_freqs", "exp_probs_b", "attn_sinks"};
    if (t->n_dims < 2 || !view_ends(t->name, "weight")) return false;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (has(t->name, kept[i])) return false;
    return true;
}

/* --- types ---------------------------------------------------------------------------------------------- */

/* The first and the last eighth of the layers, and every third of the others. */
static bool deserves_more(long layer, uint64_t n_layers) {
    long n = (long)n_layers;
    return layer < n / 8 || layer >= 7 * n / 8 || (layer - n / 8) % 3 == 2;
}

static bool is_medium(const struct mixture *m) { return m->usual == DTYPE_Q4_K || m->usual == DTYPE_Q5_K; }

static enum dtype of_attention(const struct mixture *m, const struct mixture_model *model, struct view name) {
    bool eight = model->n_experts == 8,
         v = has(name, "attn_v.") || has(name, "attn_qkv.") || has(name, "attn_kv_b.");
    if (eight && (v || has(name, "attn_k."))) return DTYPE_Q8_0;
    if (v && is_medium(m) && deserves_more(layer_of(name), model->n_layers)) return DTYPE_Q6_K;
    if (eight && m->usual == DTYPE_Q4_K && has(name, "attn_output.")) return DTYPE_Q5_K;
    return m->usual;
}

static enum dtype wanted(const struct mixture *m, const struct mixture_model *model, struct view name) {
    bool output = view_is(name, "output.weight") || (model->tied && view_is(name, "token_embd.weight"));
    if (dtype_info(m->usual)->block_elements == 1) return m->usual;
    if (output) return m->usual == DTYPE_Q8_0 ? DTYPE_Q8_0 : DTYPE_Q6_K;
    if (has(name, "attn_")) return of_attention(m, model, name);
    if (!has(name, "ffn_down")) return m->usual;
    if (is_medium(m) && deserves_more(layer_of(name), model->n_layers)) return DTYPE_Q6_K;
    bool early = layer_of(name) < (long)model->n_layers / 8;
    return m->usual == DTYPE_Q4_0 && model->importance && early ? DTYPE_Q4_1 : m->usual;
}

static enum dtype fitting(enum dtype type, uint64_t n_cols) {
    static const struct {
        enum dtype from, to;
    } smaller[] = {{DTYPE_Q4_K, DTYPE_Q5_0}, {DTYPE_Q5_K, DTYPE_Q5_1}, {DTYPE_Q6_K, DTYPE_Q8_0}};
    for (size_t i = 0; i < 3; i++)
        if (type == smaller[i].from && n_cols % 256 != 0) type = smaller[i].to;
    return n_cols % dtype_info(type)->block_elements == 0 ? type : DTYPE_F16;
}

uint32_t mixture_type(const struct mixture *m, const struct mixture_model *model,
                      const struct gguf_tensor *t) {
    if (m->usual == DTYPE_F32) return DTYPE_F32;
    if (!is_quantised(t)) return t->type;
    return fitting(wanted(m, model, t->name), t->dims[0]);
}
