/* config.json into GGUF's metadata. */
#include "engine/file/hfmodel.h"

#include "base/checked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LIMIT = 1 << 30, HEAD_LIMIT = 1 << 16 };

bool hfmodel_in(struct view name, const char *list) {
    if (strcmp(list, "*") == 0) return true;
    while (*list) {
        size_t n = strcspn(list, " ");
        if (n == name.n && memcmp(list, name.at, n) == 0) return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

bool hfmodel_refuse(struct hfmodel *m, enum status_code code, const char *member, const char *format, ...) {
    const struct jsonin *config = &m->dir->config.doc;
    char reason[260];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return status_fail(m->st, code, "%.120s: byte %zu: %s", config->path,
                       jsonin_offset(config, view_of(member)), reason);
}

/* --- metadata ------------------------------------------------------------------------------------------- */

struct gguf_value *hfmodel_value(struct hfmodel *m, enum gguf_type type, const char *key, const char *from) {
    struct gguf *file = m->file;
    if (file->n_values == m->n_values_room) {
        size_t room = m->n_values_room ? 2 * m->n_values_room : 64;
        void *grown = realloc(file->values, room * sizeof *file->values);
        if (!grown) {
            status_fail(m->st, STATUS_NO_MEMORY, "%.120s: out of memory", file->path);
            return NULL;
        }
        file->values = grown;
        m->n_values_room = room;
    }
    bool whole = strncmp(key, "general.", 8) == 0 || strncmp(key, "tokenizer.", 10) == 0;
    char name[128];
    int n =
        whole ? snprintf(name, sizeof name, "%s", key) : snprintf(name, sizeof name, "%s.%s", m->arch, key);
    char *copy = arena_copy(&file->arena, name, (size_t)n, m->st);
    if (!copy) return NULL;
    struct gguf_value *value = &file->values[file->n_values++];
    *value = (struct gguf_value){
        .key = {copy, (size_t)n}, .type = type, .offset = jsonin_offset(&m->dir->config.doc, view_of(from))};
    return value;
}

bool hfmodel_u32(struct hfmodel *m, const char *key, const char *from, size_t number) {
    if (number > UINT32_MAX)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, from, "'%s' is %zu; no model has that", from, number);
    struct gguf_value *value = hfmodel_value(m, GGUF_U32, key, from);
    if (value) value->u = number;
    return value != NULL;
}

bool hfmodel_f64(struct hfmodel *m, const char *key, const char *from, double number) {
    struct gguf_value *value = hfmodel_value(m, GGUF_F64, key, from);
    if (value) value->f = number;
    return value != NULL;
}

bool hfmodel_bool(struct hfmodel *m, const char *key, const char *from, bool number) {
    struct gguf_value *value = hfmodel_value(m, GGUF_BOOL, key, from);
    if (value) value->u = number;
    return value != NULL;
}

bool hfmodel_text(struct hfmodel *m, const char *key, const char *from, struct view text) {
    struct gguf_value *value = hfmodel_value(m, GGUF_STRING, key, from);
    char *copy = value ? arena_copy(&m->file->arena, text.at, text.n, m->st) : NULL;
    if (copy) value->string = (struct view){copy, text.n};
    return copy != NULL;
}

bool hfmodel_array(struct hfmodel *m, const char *key, const char *from, enum gguf_type type, size_t n,
                   const void *items) {
    struct gguf_value *value = hfmodel_value(m, GGUF_ARRAY, key, from);
    char *copy = value ? arena_copy(&m->file->arena, items, n * gguf_type_bytes(type), m->st) : NULL;
    if (copy) value->array = (struct gguf_array){.type = type, .n = n, .at = (const uint8_t *)copy};
    return copy != NULL;
}

/* --- reading members ------------------------------------------------------------------------------------ */

static bool size_of(size_t *out, struct hfmodel *m, const char *key, size_t otherwise) {
    if (!jsonin_size(out, &m->dir->config.doc, m->text, key, otherwise, m->st)) return false;
    return *out <= SIZE_LIMIT ||
           hfmodel_refuse(m, STATUS_BAD_INPUT, key, "'%s' is %zu; no model has that", key, *out);
}

static bool needed_size(size_t *out, struct hfmodel *m, const char *key) {
    if (!size_of(out, m, key, 0)) return false;
    return *out ||
           hfmodel_refuse(m, STATUS_BAD_INPUT, key, "'%s' is missing or 0; fetch config.json again", key);
}

static bool number_of(double *out, struct hfmodel *m, const json_t *object, const char *key,
                      double otherwise) {
    return jsonin_number(out, &m->dir->config.doc, object, key, otherwise, m->st);
}

static bool bool_of(bool *out, struct hfmodel *m, const char *key, bool otherwise) {
    return jsonin_bool(out, &m->dir->config.doc, m->text, key, otherwise, m->st);
}

static bool text_of(struct view *out, struct hfmodel *m, const json_t *object, const char *key) {
    return jsonin_string(out, &m->dir->config.doc, object, key, "", m->st);
}

static bool family_in(const struct hfmodel *m, const char *list) { return hfmodel_in(m->family, list); }

/* --- which model ---------------------------------------------------------------------------------------- */

static const char *find_arch(struct view family) {
    static const struct {
        const char *family, *arch;
    } rows[] = {
#define HF_FAMILY(family, arch) {family, arch},
#include "engine/file/hfkeys.inc"
#undef HF_FAMILY
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (view_is(family, rows[i].family)) return rows[i].arch;
    return NULL;
}

bool hfmodel_family(struct hfmodel *m) {
    const struct jsonin *config = &m->dir->config.doc;
    json_t *nested;
    m->text = config->root;
    if (!config->root) return true;
    if (!jsonin_child(&nested, config, config->root, "text_config", JSON_OBJECT, m->st) ||
        !text_of(&m->family, m, m->text, "model_type"))
        return false;
    if (nested) m->text = nested;
    m->arch = find_arch(m->family);
    struct view shown = m->arch ? view_of(m->arch) : m->family;
    return shown.n == 0 || hfmodel_text(m, "general.architecture", "model_type", shown);
}

/* Members that are not there, as if they were. */
static bool add_defaults(struct hfmodel *m) {
    static const struct {
        const char *families, *member;
        double value;
    } rows[] = {
#define HF_DEFAULT(families, member, value) {families, member, value},
#include "engine/file/hfkeys.inc"
#undef HF_DEFAULT
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = rows[i].value;
        if (!hfmodel_in(m->family, rows[i].families) || json_object_get(m->text, rows[i].member)) continue;
        bool whole = value == floor(value);
        json_t *number = whole ? json_integer((json_int_t)value) : json_real(value);
        if (json_object_set_new(m->text, rows[i].member, number) != 0)
            return status_fail(m->st, STATUS_NO_MEMORY, "%.120s: out of memory", m->file->path);
    }
    return true;
}

/* --- the members that are copied ------------------------------------------------------------------------ */

enum kind { SIZE, NUMBER, BOOL };

static bool copy_member(struct hfmodel *m, const char *member, enum kind kind, const char *key) {
    const json_t *value = json_object_get(m->text, member);
    size_t size;
    double number;
    bool truth;
    if (!value || json_is_null(value)) return true;
    switch (kind) {
    case SIZE: return size_of(&size, m, member, 0) && hfmodel_u32(m, key, member, size);
    case NUMBER: return number_of(&number, m, m->text, member, 0) && hfmodel_f64(m, key, member, number);
    case BOOL: return bool_of(&truth, m, member, false) && hfmodel_bool(m, key, member, truth);
    }
    return false;
}

static bool copy_members(struct hfmodel *m) {
    static const struct {
        const char *families, *member;
        enum kind kind;
        const char *key;
    } rows[] = {
#define HF_KEY(families, member, kind, key) {families, member, kind, key},
#include "engine/file/hfkeys.inc"
#undef HF_KEY
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (family_in(m, rows[i].families) && !copy_member(m, rows[i].member, rows[i].kind, rows[i].key))
            return false;
    return true;
}

/* --- sizes ---------------------------------------------------------------------------------------------- */

static bool is_mla(const struct hfmodel *m) { return m->kv_lora > 0; }

/* Every layer has tensors, and a head is no vocabulary: a lie costs neither memory nor time. */
static bool are_sane(struct hfmodel *m) {
    if (m->layers > m->dir->n_tensors)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "num_hidden_layers",
                              "'num_hidden_layers' is %zu, but the files hold %zu tensors in all", m->layers,
                              m->dir->n_tensors);
    if (m->head_dim > HEAD_LIMIT || m->rope_dim > HEAD_LIMIT)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "head_dim", "a head of %zu dimensions; no model has that",
                              m->head_dim > HEAD_LIMIT ? m->head_dim : m->rope_dim);
    return true;
}

static bool read_sizes(struct hfmodel *m) {
    return needed_size(&m->layers, m, "num_hidden_layers") && needed_size(&m->hidden, m, "hidden_size") &&
           needed_size(&m->heads, m, "num_attention_heads") && needed_size(&m->vocab, m, "vocab_size") &&
           size_of(&m->kv_heads, m, "num_key_value_heads", m->heads) &&
           size_of(&m->head_dim, m, "head_dim", m->hidden / m->heads) &&
           size_of(&m->ffn, m, "intermediate_size", 0) && size_of(&m->kv_lora, m, "kv_lora_rank", 0) &&
           size_of(&m->nope, m, "qk_nope_head_dim", 0) && size_of(&m->rope_dim, m, "qk_rope_head_dim", 0) &&
           size_of(&m->v_dim, m, "v_head_dim", 0) && size_of(&m->key_heads, m, "linear_num_key_heads", 0) &&
           size_of(&m->value_heads, m, "linear_num_value_heads", 0) &&
           size_of(&m->key_dim, m, "linear_key_head_dim", 0) &&
           size_of(&m->value_dim, m, "linear_value_head_dim", 0) &&
           bool_of(&m->tied, m, "tie_word_embeddings", family_in(m, "gemma2 gemma3 gemma3_text smollm3")) &&
           are_sane(m);
}

/* GGUF's names for head sizes; MLA is one key-value head of the latent and the rotated part. */
static bool put_heads(struct hfmodel *m) {
    if (!is_mla(m))
        return hfmodel_u32(m, "attention.head_count_kv", "num_key_value_heads", m->kv_heads) &&
               hfmodel_u32(m, "attention.key_length", "head_dim", m->head_dim) &&
               hfmodel_u32(m, "attention.value_length", "head_dim", m->head_dim);
    return hfmodel_u32(m, "attention.head_count_kv", "kv_lora_rank", 1) &&
           hfmodel_u32(m, "attention.key_length", "kv_lora_rank", m->kv_lora + m->rope_dim) &&
           hfmodel_u32(m, "attention.value_length", "kv_lora_rank", m->kv_lora) &&
           hfmodel_u32(m, "attention.key_length_mla", "qk_nope_head_dim", m->nope + m->rope_dim) &&
           hfmodel_u32(m, "attention.value_length_mla", "v_head_dim", m->v_dim);
}

static bool put_eps(struct hfmodel *m) {
    double eps;
    return number_of(&eps, m, m->text, "rms_norm_eps", 1e-6) &&
           hfmodel_f64(m, "attention.layer_norm_rms_epsilon", "rms_norm_eps", eps);
}

/* --- rotary position embedding -------------------------------------------------------------------------- */

/* Old configs have rope_theta and rope_scaling, new ones rope_parameters with both in it. */
struct rope {
    const json_t *object; /* the scaling, NULL: none */
    struct view type;     /* "" : none */
    double theta, partial, factor;
    size_t original;
};

static bool read_rope(struct rope *r, struct hfmodel *m) {
    const struct jsonin *config = &m->dir->config.doc;
    json_t *parameters, *scaling;
    if (!jsonin_child(&parameters, config, m->text, "rope_parameters", JSON_OBJECT, m->st) ||
        !jsonin_child(&scaling, config, m->text, "rope_scaling", JSON_OBJECT, m->st) ||
        !number_of(&r->theta, m, m->text, "rope_theta", 10000.0) ||
        !number_of(&r->partial, m, m->text, "partial_rotary_factor", 1.0))
        return false;
    /* gemma 3 in the new style: one set for each kind of layer */
    json_t *full = parameters ? json_object_get(parameters, "full_attention") : NULL;
    json_t *windowed = parameters ? json_object_get(parameters, "sliding_attention") : NULL;
    if (json_is_object(full)) parameters = full;
    double local;
    if (family_in(m, "gemma3 gemma3_text") &&
        (!number_of(&local, m, m->text, "rope_local_base_freq", 10000.0) ||
         (json_is_object(windowed) && !number_of(&local, m, windowed, "rope_theta", local)) ||
         !hfmodel_f64(m, "rope.freq_base_swa", "rope_local_base_freq", local)))
        return false;
    r->object = parameters ? parameters : scaling;
    if (!r->object) return true;
    if (!number_of(&r->theta, m, r->object, "rope_theta", r->theta) ||
        !number_of(&r->partial, m, r->object, "partial_rotary_factor", r->partial) ||
        !text_of(&r->type, m, r->object, "rope_type") ||
        (r->type.n == 0 && !text_of(&r->type, m, r->object, "type")))
        return false;
    if (view_is(r->type, "default") || view_is(r->type, "mrope")) r->type = view_of("");
    size_t outside;
    return number_of(&r->factor, m, r->object, "factor", 1.0) &&
           size_of(&outside, m, "original_max_position_embeddings", 0) &&
           jsonin_size(&r->original, config, r->object, "original_max_position_embeddings", outside, m->st);
}

static bool put_rope_dims(struct hfmodel *m, const struct rope *r) {
    double dims = is_mla(m) ? (double)m->rope_dim : r->partial * (double)m->head_dim;
    if (!(r->partial > 0 && r->partial <= 1))
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "partial_rotary_factor",
                              "'partial_rotary_factor' is %g and has to be above 0 and at most 1",
                              r->partial);
    m->rotary = (size_t)dims;
    return hfmodel_u32(m, "rope.dimension_count", "partial_rotary_factor", m->rotary) &&
           hfmodel_f64(m, "rope.freq_base", "rope_theta", r->theta);
}

/* Llama 3: each frequency is divided by 1, by the factor, or by what lies between (transformers
 * modeling_rope_utils.py). GGUF says it by the divisors. */
static bool put_llama3(struct hfmodel *m, const struct rope *r) {
    double low, high, original = (double)r->original;
    float *divisors = arena_alloc(&m->file->arena, m->rotary / 2, sizeof *divisors, m->st);
    if (!divisors || !number_of(&low, m, r->object, "low_freq_factor", 1.0) ||
        !number_of(&high, m, r->object, "high_freq_factor", 4.0))
        return false;
    if (!(high > low && low > 0 && original > 0 && r->factor > 0))
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "rope_type",
                              "the factors of 'llama3' rope scaling are missing or out of order");
    for (size_t i = 0; i < m->rotary / 2; i++) {
        double length = 2 * acos(-1.0) * pow(r->theta, 2.0 * (double)i / (double)m->rotary);
        double smooth = (original / length - low) / (high - low);
        smooth = smooth < 0 ? 0 : smooth > 1 ? 1 : smooth;
        divisors[i] = (float)(1 / ((1 - smooth) / r->factor + smooth));
    }
    return hfmodel_vector(m, "rope_freqs.weight", view_of("rope_scaling"), m->rotary / 2, divisors);
}

static double yarn_scale(double factor, double mscale) {
    return factor <= 1 ? 1.0 : 0.1 * mscale * log(factor) + 1.0;
}

/* What GGUF has no key for: an attention factor that is given outright (rope.scaling.attention_factor, in
 * place of 0.1 ln f + 1), and limits of the ramp that are not rounded (rope.scaling.yarn_truncate). */
static bool put_yarn(struct hfmodel *m, const struct rope *r) {
    double fast, slow, given, mscale, all;
    bool truncate;
    if (!number_of(&fast, m, r->object, "beta_fast", 32.0) ||
        !number_of(&slow, m, r->object, "beta_slow", 1.0) ||
        !number_of(&given, m, r->object, "attention_factor", 0.0) ||
        !number_of(&mscale, m, r->object, "mscale", 0.0) ||
        !number_of(&all, m, r->object, "mscale_all_dim", 0.0) ||
        !jsonin_bool(&truncate, &m->dir->config.doc, r->object, "truncate", true, m->st) ||
        !hfmodel_u32(m, "rope.scaling.original_context_length", "original_max_position_embeddings",
                     r->original) ||
        !hfmodel_f64(m, "rope.scaling.yarn_beta_fast", "beta_fast", fast) ||
        !hfmodel_f64(m, "rope.scaling.yarn_beta_slow", "beta_slow", slow))
        return false;
    if (given == 0 && mscale != 0 && all != 0)
        given = yarn_scale(r->factor, mscale) / yarn_scale(r->factor, all);
    return (given == 0 || hfmodel_f64(m, "rope.scaling.attention_factor", "attention_factor", given)) &&
           (!is_mla(m) || all == 0 ||
            hfmodel_f64(m, "rope.scaling.yarn_log_multiplier", "mscale_all_dim", 0.1 * all)) &&
           (truncate || hfmodel_bool(m, "rope.scaling.yarn_truncate", "truncate", false));
}

static bool put_factors(struct hfmodel *m, const struct rope *r, const char *member, const char *name) {
    const json_t *list = json_object_get(r->object, member);
    size_t n = m->rotary / 2;
    if (!json_is_array(list) || json_array_size(list) != n)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, member, "'%s' has to be an array of %zu numbers", member,
                              n);
    float *values = arena_alloc(&m->file->arena, n, sizeof *values, m->st);
    for (size_t i = 0; values && i < n; i++) values[i] = (float)json_number_value(json_array_get(list, i));
    return values && hfmodel_vector(m, name, view_of(member), n, values);
}

/* Phi-3: cos and sin grow with the logarithm of the ratio of contexts. */
static bool put_longrope(struct hfmodel *m, const struct rope *r) {
    size_t context;
    double given, factor;
    if (!needed_size(&context, m, "max_position_embeddings") ||
        !number_of(&given, m, r->object, "attention_factor", 0.0))
        return false;
    if (r->original < 2)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "original_max_position_embeddings",
                              "'original_max_position_embeddings' is missing, which longrope needs");
    double ratio = (double)context / (double)r->original;
    factor = ratio <= 1 ? 1.0 : sqrt(1 + log(ratio) / log((double)r->original));
    return hfmodel_f64(m, "rope.scaling.attn_factor", "attention_factor", given != 0 ? given : factor) &&
           hfmodel_u32(m, "rope.scaling.original_context_length", "original_max_position_embeddings",
                       r->original) &&
           put_factors(m, r, "long_factor", "rope_factors_long.weight") &&
           put_factors(m, r, "short_factor", "rope_factors_short.weight");
}

static bool put_rope(struct hfmodel *m) {
    struct rope r = {.partial = 1, .factor = 1};
    char shown[VIEW_SHOWN];
    if (!read_rope(&r, m) || !put_rope_dims(m, &r)) return false;
    if (r.type.n == 0) return true;
    if (view_is(r.type, "llama3")) return put_llama3(m, &r);
    if (view_is(r.type, "longrope") || view_is(r.type, "su")) return put_longrope(m, &r);
    bool yarn = view_is(r.type, "yarn");
    if (!yarn && !view_is(r.type, "linear"))
        return hfmodel_refuse(m, STATUS_UNSUPPORTED, "rope_type",
                              "rope scaling '%s' is not supported; linear, llama3, yarn and longrope are",
                              view_shown(shown, r.type));
    return hfmodel_text(m, "rope.scaling.type", "rope_type", r.type) &&
           hfmodel_f64(m, "rope.scaling.factor", "factor", r.factor) && (!yarn || put_yarn(m, &r));
}

/* --- windows, layers ------------------------------------------------------------------------------------ */

/* [layers] whether layer_types says `type`; NULL without a list, or with a status. */
static uint8_t *layers_of_type(struct hfmodel *m, const char *type, bool *ok) {
    const json_t *list = json_object_get(m->text, "layer_types");
    *ok = true;
    if (!json_is_array(list)) return NULL;
    *ok = json_array_size(list) == m->layers ||
          hfmodel_refuse(m, STATUS_BAD_INPUT, "layer_types", "'layer_types' has %zu entries for %zu layers",
                         json_array_size(list), m->layers);
    uint8_t *flags = *ok ? arena_alloc(&m->file->arena, m->layers, 1, m->st) : NULL;
    *ok = flags != NULL;
    for (size_t i = 0; flags && i < m->layers; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        flags[i] = name && strcmp(name, type) == 0;
    }
    return flags;
}

static bool put_window(struct hfmodel *m) {
    size_t window;
    bool used, ok;
    if (!size_of(&window, m, "sliding_window", 0) || !bool_of(&used, m, "use_sliding_window", false))
        return false; /* qwen's is off unless it is asked for */
    if (family_in(m, "qwen2 qwen3 qwen3_moe smollm3"))
        return !window || !used ||
               hfmodel_refuse(m, STATUS_UNSUPPORTED, "use_sliding_window",
                              "'use_sliding_window' of %.*s is not supported", (int)m->family.n,
                              m->family.at);
    if (!window || !family_in(m, "mistral mixtral gemma2 gemma3 gemma3_text gpt_oss phi3")) return true;
    if (!hfmodel_u32(m, "attention.sliding_window", "sliding_window", window)) return false;
    const uint8_t *flags = layers_of_type(m, "sliding_attention", &ok);
    return ok && (!flags || hfmodel_array(m, "attention.sliding_window_pattern", "layer_types", GGUF_BOOL,
                                          m->layers, flags));
}

static bool put_gemma(struct hfmodel *m) {
    double scalar;
    if (!family_in(m, "gemma2 gemma3 gemma3_text")) return true;
    if (!number_of(&scalar, m, m->text, "query_pre_attn_scalar", 256.0)) return false;
    return (scalar > 0 && hfmodel_f64(m, "attention.scale", "query_pre_attn_scalar", 1 / sqrt(scalar))) ||
           hfmodel_refuse(m, STATUS_BAD_INPUT, "query_pre_attn_scalar",
                          "'query_pre_attn_scalar' has to be above 0");
}

/* no_rope_layers[i] = 1 means that layer i does rotate. */
static bool put_unrotated(struct hfmodel *m) {
    const json_t *list = json_object_get(m->text, "no_rope_layers");
    size_t interval;
    if (!family_in(m, "smollm3")) return true;
    if (!size_of(&interval, m, "no_rope_layer_interval", 4)) return false;
    uint8_t *flags = arena_alloc(&m->file->arena, m->layers, 1, m->st);
    if (!flags) return false;
    if (json_is_array(list) && json_array_size(list) != m->layers)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "no_rope_layers",
                              "'no_rope_layers' has %zu entries for %zu layers", json_array_size(list),
                              m->layers);
    for (size_t i = 0; i < m->layers; i++)
        flags[i] = json_is_array(list) ? json_integer_value(json_array_get(list, i)) != 0
                                       : !interval || (i + 1) % interval != 0;
    return hfmodel_array(m, "rope.layers", "no_rope_layers", GGUF_BOOL, m->layers, flags);
}

/* --- mixtures of experts ---------------------------------------------------------------------------------
 */

static bool put_experts(struct hfmodel *m) {
    static const char *const names[] = {"num_local_experts", "n_routed_experts", "num_experts"};
    for (int i = 0; i < 3 && !m->experts; i++) {
        if (!size_of(&m->experts, m, names[i], 0)) return false;
        if (m->experts && !hfmodel_u32(m, "expert_count", names[i], m->experts)) return false;
    }
    return true;
}

static bool put_groups(struct hfmodel *m) {
    size_t groups, used;
    struct view method;
    if (!size_of(&groups, m, "n_group", 0) || !size_of(&used, m, "topk_group", 0) ||
        !text_of(&method, m, m->text, "topk_method"))
        return false;
    if (!groups) return true;
    if (view_is(method, "greedy")) groups = used = 1;
    return hfmodel_u32(m, "expert_group_count", "n_group", groups) &&
           hfmodel_u32(m, "expert_group_used_count", "topk_group", used);
}

static bool put_gating(struct hfmodel *m) {
    struct view function;
    char shown[VIEW_SHOWN];
    if (!text_of(&function, m, m->text, "scoring_func")) return false;
    if (!family_in(m, "deepseek_v2 deepseek_v3 deepseek_v32 glm4_moe glm_moe_dsa")) return true;
    if (function.n == 0) function = view_of(family_in(m, "deepseek_v2") ? "softmax" : "sigmoid");
    bool sigmoid = view_is(function, "sigmoid");
    if (!sigmoid && !view_is(function, "softmax"))
        return hfmodel_refuse(m, STATUS_UNSUPPORTED, "scoring_func", "scoring_func '%s' is not supported",
                              view_shown(shown, function));
    return hfmodel_u32(m, "expert_gating_func", "scoring_func", sigmoid ? 2 : 1);
}

/* Layouts of layers that no architecture here reads from GGUF either. */
static bool refuse_odd_layers(struct hfmodel *m) {
    size_t step, freq;
    json_t *dense;
    if (!size_of(&step, m, "decoder_sparse_step", 1) || !size_of(&freq, m, "moe_layer_freq", 1) ||
        !jsonin_child(&dense, &m->dir->config.doc, m->text, "mlp_only_layers", JSON_ARRAY, m->st))
        return false;
    if (!m->experts || (step == 1 && freq == 1 && json_array_size(dense) == 0)) return true;
    return hfmodel_refuse(m, STATUS_UNSUPPORTED, step != 1 ? "decoder_sparse_step" : "mlp_only_layers",
                          "layers with and without experts in turn are not supported");
}

/* --- indexers and delta nets ---------------------------------------------------------------------------- */

static bool put_indexer(struct hfmodel *m) {
    const json_t *list = json_object_get(m->text, "indexer_types");
    if (!json_is_array(list)) return true;
    uint8_t *full = arena_alloc(&m->file->arena, m->layers, 1, m->st);
    if (!full) return false;
    if (json_array_size(list) != m->layers)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "indexer_types",
                              "'indexer_types' has %zu entries for %zu layers", json_array_size(list),
                              m->layers);
    for (size_t i = 0; i < m->layers; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        full[i] = name && strcmp(name, "full") == 0;
    }
    return hfmodel_array(m, "attention.indexer.types", "indexer_types", GGUF_BOOL, m->layers, full);
}

static bool put_recurrent(struct hfmodel *m) {
    size_t interval, inner;
    bool ok;
    if (!m->value_heads) return true;
    if (!checked_mul(&inner, m->value_heads, m->value_dim) || !m->key_heads || m->value_heads % m->key_heads)
        return hfmodel_refuse(m, STATUS_BAD_INPUT, "linear_num_value_heads",
                              "%zu value heads of the delta net cannot share %zu key heads evenly",
                              m->value_heads, m->key_heads);
    const uint8_t *flags = layers_of_type(m, "linear_attention", &ok);
    return ok && size_of(&interval, m, "full_attention_interval", 4) &&
           hfmodel_u32(m, "ssm.inner_size", "linear_num_value_heads", inner) &&
           hfmodel_u32(m, "full_attention_interval", "full_attention_interval", interval) &&
           (!flags ||
            hfmodel_array(m, "attention.recurrent_layers", "layer_types", GGUF_BOOL, m->layers, flags));
}

/* --- tokens --------------------------------------------------------------------------------------------- */

static bool put_token(struct hfmodel *m, const char *member, const char *key) {
    const json_t *value = json_object_get(m->text, member);
    if (!value) value = json_object_get(m->dir->config.doc.root, member);
    if (json_is_array(value)) value = json_array_get(value, 0);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return true;
    return hfmodel_u32(m, key, member, (size_t)json_integer_value(value));
}

bool hfmodel_config(struct hfmodel *m) {
    return add_defaults(m) && read_sizes(m) && copy_members(m) && put_heads(m) && put_eps(m) && put_rope(m) &&
           put_window(m) && put_gemma(m) && put_unrotated(m) && put_experts(m) && put_groups(m) &&
           put_gating(m) && refuse_odd_layers(m) && put_indexer(m) && put_recurrent(m) &&
           put_token(m, "bos_token_id", "tokenizer.ggml.bos_token_id") &&
           put_token(m, "eos_token_id", "tokenizer.ggml.eos_token_id");
}
