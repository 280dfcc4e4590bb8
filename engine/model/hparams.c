#include "engine/model/hparams.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bounds for numbers that no tensor holds down; the rest is held against the tensors. Positions are int32
 * and their tables cost memory; the largest published context is 10 million. */
static const uint64_t max_size = 1u << 28, max_context = 1u << 24;

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
    return value_length == h->head_dim ||
           refuse(r, STATUS_UNSUPPORTED, "keys of %zu and values of %zu dimensions a head are not supported",
                  h->head_dim, value_length);
}

/* As llama.cpp reads it: a factor without a type is linear, and old files call it rope.scale_linear. */
static bool read_rope_scaling(struct hparams *h, struct reader *r) {
    struct view type;
    char shown[VIEW_SHOWN];
    double old;
    if (!gguf_string(&type, r->file, key_of(r, "rope.scaling.type"), "linear", r->st) ||
        !gguf_f64(&old, r->file, key_of(r, "rope.scale_linear"), 1.0, r->st) ||
        !gguf_f64(&h->rope_factor, r->file, key_of(r, "rope.scaling.factor"), old, r->st))
        return false;
    if (view_is(type, "none") || h->rope_factor == 0.0) h->rope_factor = 1.0;
    else if (!view_is(type, "linear"))
        return refuse(r, STATUS_UNSUPPORTED, "%s is '%s'; this build knows none and linear",
                      key_of(r, "rope.scaling.type"), view_shown(shown, type));
    return positive(r, "rope.scaling.factor", h->rope_factor);
}

static bool read_rope(struct hparams *h, struct reader *r) {
    if (!size_or(&h->rope_dims, r, "rope.dimension_count", max_size, h->head_dim) ||
        !gguf_f64(&h->rope_base, r->file, key_of(r, "rope.freq_base"), 10000.0, r->st))
        return false;
    if (h->rope_dims % 2 || h->rope_dims > h->head_dim)
        return refuse(r, STATUS_BAD_INPUT, "%s is %zu; it has to be even and at most the head size %zu",
                      key_of(r, "rope.dimension_count"), h->rope_dims, h->head_dim);
    return positive(r, "rope.freq_base", h->rope_base) && read_rope_scaling(h, r);
}

/* Keys that change the arithmetic and that no architecture of this build implements: running without them
 * would give wrong text in silence. Names and neutral values: llama.cpp src/llama-arch.cpp, llama-model.cpp.
 */
static bool refuse_unknown_counts(struct reader *r) {
    static const char *const keys[] = {"expert_count", "attention.sliding_window"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        uint64_t value;
        if (!gguf_u64(&value, r->file, key_of(r, keys[i]), UINT64_MAX, 0, r->st)) return false;
        if (value)
            return refuse(r, STATUS_UNSUPPORTED, "%s is %llu, which this build does not support",
                          key_of(r, keys[i]), (unsigned long long)value);
    }
    return true;
}

static bool refuse_unknown_factors(struct reader *r) {
    static const struct {
        const char *key;
        double neutral;
    } rows[] = {{"rope.scaling.attn_factor", 1.0}, {"attention.clamp_kqv", 0.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value;
        if (!gguf_f64(&value, r->file, key_of(r, rows[i].key), rows[i].neutral, r->st)) return false;
        if (value != rows[i].neutral)
            return refuse(r, STATUS_UNSUPPORTED, "%s is %g, which this build does not support",
                          key_of(r, rows[i].key), value);
    }
    return true;
}

static bool refuse_bidirectional(struct reader *r) {
    bool causal;
    if (!gguf_bool(&causal, r->file, key_of(r, "attention.causal"), true, r->st)) return false;
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

bool hparams_read(struct hparams *out, const struct gguf *file, struct status *st) {
    *out = (struct hparams){0};
    struct reader r = {.file = file, .arch = out->arch, .st = st};
    double eps;
    if (!hparams_arch(out->arch, file, st) || !read_layers(out, &r) ||
        !size_required(&out->d, &r, "embedding_length", max_size) ||
        !size_required(&out->d_ff, &r, "feed_forward_length", max_size) ||
        !size_required(&out->context, &r, "context_length", max_context) || !read_heads(out, &r) ||
        !read_rope(out, &r) || !refuse_unknown_counts(&r) || !refuse_unknown_factors(&r) ||
        !refuse_bidirectional(&r) ||
        !gguf_f64(&eps, file, key_of(&r, "attention.layer_norm_rms_epsilon"), 0.0, st))
        return false;
    out->eps = (float)eps; /* a float64 may vanish here */
    return positive(&r, "attention.layer_norm_rms_epsilon", (double)out->eps);
}

size_t hparams_kv_bytes(const struct hparams *h) {
    return 2 * sizeof(float) * h->n_layers * h->n_kv_heads * h->head_dim;
}
