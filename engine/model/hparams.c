#include "engine/model/hparams.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bounds for numbers that no tensor holds down; the rest is held against the tensors. Positions are int32
 * and their tables cost memory; the largest published context is 10 million. */
static const uint64_t max_size = 1u << 28, max_context = 1u << 24, max_experts = 1u << 16;

struct reader {
    const struct gguf *file;
    const char *arch;
    struct status *st;
    char key[96];
};

static const char *key_of(struct reader *r, const char *name) {
    snprintf(r->key, sizeof r->key, "%s.%s", r->arch, name);
    return r->key;
}

static bool refuse(const struct reader *r, enum status_code code, const char *format, ...)
    STATUS_PRINTF(3, 4);
static bool refuse(const struct reader *r, enum status_code code, const char *format, ...) {
    char what[300];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return status_fail(r->st, code, "%.120s: %s", gguf_path(r->file), what);
}

static bool not_zero(struct reader *r, const char *name, uint64_t value) {
    return value > 0 || refuse(r, STATUS_BAD_INPUT, "%s is 0", key_of(r, name));
}

static bool size_required(size_t *out, struct reader *r, const char *name, uint64_t high) {
    uint64_t value;
    if (!gguf_u64_required(&value, r->file, key_of(r, name), high, r->st)) return false;
    *out = (size_t)value;
    return not_zero(r, name, value);
}

static bool size_or(size_t *out, struct reader *r, const char *name, uint64_t high, size_t otherwise) {
    uint64_t value;
    if (!gguf_u64(&value, r->file, key_of(r, name), high, otherwise, r->st)) return false;
    *out = (size_t)value;
    return not_zero(r, name, value);
}

static bool positive(struct reader *r, const char *name, double value) {
    return (isfinite(value) && value > 0.0) ||
           refuse(r, STATUS_BAD_INPUT, "%s is %g; it has to be a positive number", key_of(r, name), value);
}

/* Every block has tensors, so block_count cannot exceed their number: a lie costs no memory. */
static bool read_layers(struct hparams *h, struct reader *r) {
    if (!size_required(&h->n_layers, r, "block_count", UINT64_MAX)) return false;
    if (h->n_layers <= gguf_n_tensors(r->file)) return true;
    return refuse(r, STATUS_BAD_INPUT, "%s is %zu, but the file holds %zu tensors in all",
                  key_of(r, "block_count"), h->n_layers, gguf_n_tensors(r->file));
}

static bool read_heads(struct hparams *h, struct reader *r) {
    if (!size_required(&h->n_heads, r, "attention.head_count", max_size) ||
        !size_or(&h->n_kv_heads, r, "attention.head_count_kv", max_size, h->n_heads))
        return false;
    if (h->n_heads % h->n_kv_heads)
        return refuse(r, STATUS_BAD_INPUT, "%zu attention heads cannot share %zu key-value heads evenly",
                      h->n_heads, h->n_kv_heads);
    if (!gguf_find(r->file, key_of(r, "attention.key_length")) && h->d % h->n_heads)
        return refuse(r, STATUS_BAD_INPUT, "an embedding of %zu does not divide among %zu heads", h->d,
                      h->n_heads);
    size_t value_length;
    if (!size_or(&h->head_dim, r, "attention.key_length", max_size, h->d / h->n_heads) ||
        !size_or(&value_length, r, "attention.value_length", max_size, h->head_dim))
        return false;
    if (h->head_dim > max_size / h->n_heads)
        return refuse(r, STATUS_BAD_INPUT, "%zu heads of %zu dimensions are more than any model has",
                      h->n_heads, h->head_dim);
    return value_length == h->head_dim || h->has & HPARAMS_LATENT ||
           refuse(r, STATUS_UNSUPPORTED, "keys of %zu and values of %zu dimensions a head are not supported",
                  h->head_dim, value_length);
}

/* A number that may be missing but not be nonsense. */
static bool number_or(double *out, struct reader *r, const char *name, double otherwise) {
    return gguf_f64(out, r->file, key_of(r, name), otherwise, r->st) && positive(r, name, *out);
}

/* cos and sin grow by 0.1 ln(factor) + 1, unless a config.json gives the number outright. In a GGUF
 * attn_factor multiplies it. DeepSeek's files say by yarn_log_multiplier that the scores have it instead. */
static bool read_yarn(struct hparams *h, struct reader *r) {
    bool rounded;
    double given, grown = 1 + 0.1 * log(h->rope.factor > 1 ? h->rope.factor : 1);
    if (!number_or(&h->rope.fast, r, "rope.scaling.yarn_beta_fast", 32) ||
        !number_or(&h->rope.slow, r, "rope.scaling.yarn_beta_slow", 1) ||
        !gguf_f64(&h->yarn_log, r->file, key_of(r, "rope.scaling.yarn_log_multiplier"), 0, r->st) ||
        !number_or(&given, r, "rope.scaling.attention_factor", h->yarn_log == 0 ? grown : 1) ||
        !gguf_bool(&rounded, r->file, key_of(r, "rope.scaling.yarn_truncate"),
                   strcmp(r->arch, "gpt-oss") != 0, r->st))
        return false;
    h->rope.smooth = !rounded;
    h->rope.magnitude *= given;
    return isfinite(h->yarn_log) ||
           refuse(r, STATUS_BAD_INPUT, "%s is no number", key_of(r, "rope.scaling.yarn_log_multiplier"));
}

/* As llama.cpp reads it: a factor without a type is linear, and old files call it rope.scale_linear. What
 * Llama 3 does is said by the divisors of rope_freqs.weight. */
static bool read_rope_scaling(struct hparams *h, struct reader *r) {
    struct view type;
    char shown[VIEW_SHOWN];
    double old;
    size_t original;
    struct rotary *rope = &h->rope;
    if (!gguf_string(&type, r->file, key_of(r, "rope.scaling.type"), "linear", r->st) ||
        !gguf_f64(&old, r->file, key_of(r, "rope.scale_linear"), 1.0, r->st) ||
        !gguf_f64(&rope->factor, r->file, key_of(r, "rope.scaling.factor"), old, r->st) ||
        !size_or(&original, r, "rope.scaling.original_context_length", max_context, h->context) ||
        !number_or(&rope->magnitude, r, "rope.scaling.attn_factor", 1))
        return false;
    rope->original = (double)original;
    bool longrope = view_is(type, "longrope"); /* all that it says stands in two tensors */
    if (view_is(type, "none") || longrope || rope->factor == 0.0) rope->factor = 1.0;
    else if (view_is(type, "yarn")) rope->rule = ROTARY_YARN;
    else if (!view_is(type, "linear"))
        return refuse(r, STATUS_UNSUPPORTED, "%s is '%s'; this build knows none, linear, yarn and longrope",
                      key_of(r, "rope.scaling.type"), view_shown(shown, type));
    if (rope->rule == ROTARY_YARN && !read_yarn(h, r)) return false;
    return positive(r, "rope.scaling.factor", rope->factor);
}

static bool read_rope(struct hparams *h, struct reader *r) {
    if (!size_or(&h->rope.dims, r, "rope.dimension_count", max_size, h->head_dim) ||
        !gguf_f64(&h->rope.base, r->file, key_of(r, "rope.freq_base"), 10000.0, r->st) ||
        !number_or(&h->local_base, r, "rope.freq_base_swa", 10000.0))
        return false;
    if (h->rope.dims % 2 || h->rope.dims > h->head_dim)
        return refuse(r, STATUS_BAD_INPUT, "%s is %zu; it has to be even and at most the head size %zu",
                      key_of(r, "rope.dimension_count"), h->rope.dims, h->head_dim);
    return positive(r, "rope.freq_base", h->rope.base) && read_rope_scaling(h, r);
}

/* --- groups that not every architecture has ------------------------------------------------------------- */

static bool read_window(struct hparams *h, struct reader *r) {
    uint64_t window;
    if (!gguf_u64(&window, r->file, key_of(r, "attention.sliding_window"), UINT64_MAX, 0, r->st))
        return false;
    h->window = window < max_context ? (size_t)window : 0; /* wider than any context is none */
    if (h->window) h->has |= HPARAMS_WINDOW;
    return true;
}

static bool read_caps(struct hparams *h, struct reader *r) {
    struct {
        double *out;
        const char *key;
    } caps[] = {{&h->score_cap, "attn_logit_softcapping"}, {&h->logit_cap, "final_logit_softcapping"}};
    for (size_t i = 0; i < 2; i++) {
        if (!gguf_f64(caps[i].out, r->file, key_of(r, caps[i].key), 0, r->st)) return false;
        if (*caps[i].out == 0) continue;
        if (!positive(r, caps[i].key, *caps[i].out)) return false;
        h->has |= HPARAMS_CAPS;
    }
    return gguf_f64(&h->scale, r->file, key_of(r, "attention.scale"), 0, r->st) &&
           (h->scale == 0 || positive(r, "attention.scale", h->scale));
}

/* 1 softmax, 2 sigmoid (gguf-py ExpertGatingFuncType). */
static bool read_gate(struct hparams *h, struct reader *r) {
    uint64_t gate;
    struct routing *how = &h->experts.how;
    double scale;
    h->experts.says_gate = gguf_find(r->file, key_of(r, "expert_gating_func")) != NULL;
    h->experts.says_norm = gguf_find(r->file, key_of(r, "expert_weights_norm")) != NULL;
    if (!gguf_u64(&gate, r->file, key_of(r, "expert_gating_func"), UINT32_MAX, 1, r->st) ||
        !gguf_bool(&how->normalised, r->file, key_of(r, "expert_weights_norm"), false, r->st) ||
        !gguf_f64(&scale, r->file, key_of(r, "expert_weights_scale"), 1, r->st))
        return false;
    if (gate != 1 && gate != 2)
        return refuse(r, STATUS_UNSUPPORTED, "%s is %llu; this build knows 1 (softmax) and 2 (sigmoid)",
                      key_of(r, "expert_gating_func"), (unsigned long long)gate);
    how->sigmoid = gate == 2;
    how->scale = (float)(scale == 0 ? 1 : scale); /* 0: none, in old files */
    return positive(r, "expert_weights_scale", (double)how->scale);
}

static bool read_groups(struct hparams *h, struct reader *r) {
    struct routing *how = &h->experts.how;
    how->group_top = 2;
    if (!size_or(&how->n_groups, r, "expert_group_count", ROUTE_MAX_GROUPS, 1) ||
        !size_or(&how->n_groups_used, r, "expert_group_used_count", ROUTE_MAX_GROUPS, how->n_groups))
        return false;
    size_t n = h->experts.n;
    if (n % how->n_groups || how->n_groups_used > how->n_groups ||
        h->experts.n_used > n / how->n_groups * how->n_groups_used)
        return refuse(r, STATUS_BAD_INPUT, "%zu of %zu experts cannot be chosen out of %zu of %zu groups",
                      h->experts.n_used, n, how->n_groups_used, how->n_groups);
    return true;
}

static bool read_experts(struct hparams *h, struct reader *r) {
    uint64_t n, dense, shared;
    if (!gguf_u64(&n, r->file, key_of(r, "expert_count"), max_experts, 0, r->st)) return false;
    if (n == 0) return true;
    h->has |= HPARAMS_EXPERTS;
    h->experts.n = (size_t)n;
    if (!size_required(&h->experts.n_used, r, "expert_used_count", n) ||
        !size_or(&h->experts.d, r, "expert_feed_forward_length", max_size, h->d_ff ? h->d_ff : 1) ||
        !gguf_u64(&dense, r->file, key_of(r, "leading_dense_block_count"), UINT32_MAX, 0, r->st) ||
        !gguf_u64(&shared, r->file, key_of(r, "expert_shared_count"), max_experts, 0, r->st))
        return false;
    h->experts.n_dense = (size_t)dense;
    uint64_t width = shared * h->experts.d;
    if (!gguf_u64(&width, r->file, key_of(r, "expert_shared_feed_forward_length"), max_size, width, r->st))
        return false;
    h->experts.d_shared = (size_t)width;
    if (h->experts.d > max_size / h->experts.n_used || width > max_size)
        return refuse(r, STATUS_BAD_INPUT, "%zu experts of %zu are more than any model has",
                      h->experts.n_used, h->experts.d);
    return read_groups(h, r) && read_gate(h, r);
}

static bool read_latent(struct hparams *h, struct reader *r) {
    uint64_t rank;
    if (!gguf_find(r->file, key_of(r, "attention.kv_lora_rank"))) return true;
    h->has |= HPARAMS_LATENT;
    if (!size_required(&h->latent.kv, r, "attention.kv_lora_rank", max_size) ||
        !gguf_u64(&rank, r->file, key_of(r, "attention.q_lora_rank"), max_size, 0, r->st) ||
        !size_required(&h->latent.key, r, "attention.key_length_mla", max_size) ||
        !size_required(&h->latent.value, r, "attention.value_length_mla", max_size))
        return false;
    h->latent.q = (size_t)rank;
    return true;
}

/* A latent head is the latent and the part that rotates; before it is absorbed it has a part that does not.
 */
static bool check_latent(struct hparams *h, struct reader *r) {
    if (!(h->has & HPARAMS_LATENT)) return true;
    if (h->n_kv_heads != 1 || h->latent.kv + h->rope.dims != h->head_dim || h->latent.key <= h->rope.dims)
        return refuse(r, STATUS_BAD_INPUT,
                      "a latent of %zu and %zu dimensions that rotate are no keys of %zu for %zu heads",
                      h->latent.kv, h->rope.dims, h->head_dim, h->n_kv_heads);
    if (h->latent.key > max_size / h->n_heads || h->latent.value > max_size / h->n_heads)
        return refuse(r, STATUS_BAD_INPUT, "%zu heads of %zu and %zu dimensions are more than any model has",
                      h->n_heads, h->latent.key, h->latent.value);
    return true;
}

static bool read_indexer(struct hparams *h, struct reader *r) {
    if (!gguf_find(r->file, key_of(r, "attention.indexer.head_count"))) return true;
    h->has |= HPARAMS_INDEXER;
    if (!size_required(&h->indexer.n_heads, r, "attention.indexer.head_count", 1u << 12) ||
        !size_required(&h->indexer.dim, r, "attention.indexer.key_length", 1u << 16) ||
        !size_required(&h->indexer.n_kept, r, "attention.indexer.top_k", max_context))
        return false;
    return h->indexer.dim >= h->rope.dims ||
           refuse(r, STATUS_BAD_INPUT, "%s is %zu, less than the %zu dimensions that rotate",
                  key_of(r, "attention.indexer.key_length"), h->indexer.dim, h->rope.dims);
}

static bool read_recurrent(struct hparams *h, struct reader *r) {
    if (!gguf_find(r->file, key_of(r, "ssm.conv_kernel"))) return true;
    h->has |= HPARAMS_RECURRENT;
    size_t inner;
    if (!size_required(&h->recurrent.taps, r, "ssm.conv_kernel", 64) ||
        !size_required(&h->recurrent.key_dim, r, "ssm.state_size", 1u << 12) ||
        !size_required(&h->recurrent.n_key_heads, r, "ssm.group_count", 1u << 12) ||
        !size_required(&h->recurrent.n_heads, r, "ssm.time_step_rank", 1u << 12) ||
        !size_required(&inner, r, "ssm.inner_size", 1u << 24) ||
        !size_or(&h->recurrent.every, r, "full_attention_interval", UINT32_MAX, 4))
        return false;
    h->recurrent.value_dim = inner / h->recurrent.n_heads;
    return (inner % h->recurrent.n_heads == 0 && h->recurrent.n_heads % h->recurrent.n_key_heads == 0) ||
           refuse(r, STATUS_BAD_INPUT, "%zu value heads cannot share %zu and %zu key heads evenly",
                  h->recurrent.n_heads, inner, h->recurrent.n_key_heads);
}

/* --- what no architecture of this build implements --------------------------------------------------------
 */

/* Names and neutral values: llama.cpp src/llama-arch.cpp, llama-model.cpp. */
static bool refuse_unknown(struct reader *r) {
    double clamp;
    bool causal;
    if (!gguf_f64(&clamp, r->file, key_of(r, "attention.clamp_kqv"), 0, r->st) ||
        !gguf_bool(&causal, r->file, key_of(r, "attention.causal"), true, r->st))
        return false;
    if (clamp != 0)
        return refuse(r, STATUS_UNSUPPORTED, "%s is %g, which this build does not support",
                      key_of(r, "attention.clamp_kqv"), clamp);
    return causal || refuse(r, STATUS_UNSUPPORTED, "%s is false: the model reads a text and continues none",
                            key_of(r, "attention.causal"));
}

bool hparams_arch(char out[HPARAMS_ARCH], const struct gguf *file, struct status *st) {
    const struct reader r = {.file = file, .st = st};
    struct view arch;
    if (!gguf_string(&arch, file, "general.architecture", "", st)) return false;
    if (arch.n == 0) return refuse(&r, STATUS_BAD_INPUT, "general.architecture is missing");
    if (arch.n >= HPARAMS_ARCH || memchr(arch.at, '\0', arch.n))
        return refuse(&r, STATUS_UNSUPPORTED, "general.architecture is no name: a text of %zu bytes", arch.n);
    memcpy(out, arch.at, arch.n);
    out[arch.n] = '\0';
    return true;
}

/* A mixture of experts may have no feed-forward of its own width. */
static bool read_widths(struct hparams *h, struct reader *r) {
    uint64_t n, extra, d_ff;
    if (!gguf_u64(&n, r->file, key_of(r, "expert_count"), max_experts, 0, r->st) ||
        !gguf_u64(&extra, r->file, key_of(r, "nextn_predict_layers"), UINT32_MAX, 0, r->st) ||
        !size_required(&h->d, r, "embedding_length", max_size))
        return false;
    if (extra >= h->n_layers)
        return refuse(r, STATUS_BAD_INPUT, "%s is %llu of %zu layers", key_of(r, "nextn_predict_layers"),
                      (unsigned long long)extra, h->n_layers);
    h->n_extra_layers = (size_t)extra;
    h->n_layers -= h->n_extra_layers;
    if (n == 0) return size_required(&h->d_ff, r, "feed_forward_length", max_size);
    if (!gguf_u64(&d_ff, r->file, key_of(r, "feed_forward_length"), max_size, 0, r->st)) return false;
    h->d_ff = (size_t)d_ff;
    return true;
}

bool hparams_read(struct hparams *out, const struct gguf *file, struct status *st) {
    *out = (struct hparams){0};
    struct reader r = {.file = file, .arch = out->arch, .st = st};
    double eps;
    if (!hparams_arch(out->arch, file, st) || !read_layers(out, &r) || !read_widths(out, &r) ||
        !size_required(&out->context, &r, "context_length", max_context) || !read_latent(out, &r) ||
        !read_heads(out, &r) || !read_rope(out, &r) || !check_latent(out, &r) || !read_window(out, &r) ||
        !read_caps(out, &r) || !read_experts(out, &r) || !read_indexer(out, &r) || !read_recurrent(out, &r) ||
        !refuse_unknown(&r) || !gguf_f64(&eps, file, key_of(&r, "attention.layer_norm_rms_epsilon"), 0.0, st))
        return false;
    out->eps = (float)eps; /* a float64 may vanish here */
    return positive(&r, "attention.layer_norm_rms_epsilon", (double)out->eps);
}

bool hparams_layer(bool *out, const struct gguf *file, const struct hparams *h, const char *name,
                   size_t layer, bool otherwise, struct status *st) {
    struct reader r = {.file = file, .arch = h->arch, .st = st};
    struct gguf_array flags;
    const struct gguf_value *value = gguf_find(file, key_of(&r, name));
    *out = otherwise;
    if (!value) return true;
    if (value->type != GGUF_ARRAY) {
        uint64_t n;
        if (!gguf_u64(&n, file, r.key, UINT32_MAX, 0, st)) return false;
        *out = n == 0 || layer % n + 1 < n;
        return true;
    }
    if (!gguf_array(&flags, file, r.key, GGUF_BOOL, st)) return false;
    if (flags.n <= layer)
        return refuse(&r, STATUS_BAD_INPUT, "%s has %zu items for %zu layers", r.key, flags.n, h->n_layers);
    *out = gguf_array_item(&flags, layer).u != 0;
    return true;
}

size_t hparams_kv_bytes(const struct hparams *h, enum kv_type type) {
    size_t values = h->has & HPARAMS_LATENT ? h->latent.kv : h->head_dim, layers = h->n_layers;
    if (h->has & HPARAMS_RECURRENT) layers = layers / h->recurrent.every + 1; /* the others keep a state */
    size_t head = kv_key_bytes(type, h->head_dim) + kv_value_bytes(type, values);
    return layers * (h->n_kv_heads * head + kv_key_bytes(type, h->indexer.dim)) / KV_PAGE;
}
