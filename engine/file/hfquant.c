/* The weight of a module as a matrix where it lies, whatever its format. */
#include "engine/file/hfmodel.h"

#include <stdio.h>
#include <string.h>

const struct safetensors_tensor *hfmodel_part(const struct hfmodule *module, const char *ending) {
    for (size_t i = 0; i < module->n_parts; i++) {
        struct view name = module->parts[i]->name;
        if (name.n > module->name.n + 1 &&
            view_is((struct view){name.at + module->name.n + 1, name.n - module->name.n - 1}, ending))
            return module->parts[i];
    }
    return NULL;
}

/* --- checks that the formats share -----------------------------------------------------------------------
 */

struct hfsizes hfquant_sizes(const struct hfmodel *m, struct view module) {
    size_t q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim;
    const struct {
        const char *ending;
        struct hfsizes sizes;
    } rows[] = {
        {"self_attn.q_proj", {q, m->hidden}},    {"self_attn.k_proj", {kv, m->hidden}},
        {"self_attn.v_proj", {kv, m->hidden}},   {"self_attn.o_proj", {m->hidden, q}},
        {".mlp.gate_proj", {m->ffn, m->hidden}}, {".mlp.up_proj", {m->ffn, m->hidden}},
        {".mlp.down_proj", {m->hidden, m->ffn}}, {"lm_head", {m->vocab, m->hidden}},
    };
    if (m->kv_lora || m->value_heads) return (struct hfsizes){0, 0}; /* q, k, v have other sizes there */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (view_ends(module, rows[i].ending)) return rows[i].sizes;
    return (struct hfsizes){0, 0};
}

bool hfquant_part(const struct safetensors_tensor **out, struct hfmodel *m, const struct hfmodule *module,
                  const char *ending, const char *types) {
    char shown[VIEW_SHOWN];
    *out = hfmodel_part(module, ending);
    if (!*out)
        return status_fail(
            m->st, STATUS_BAD_INPUT,
            "%.120s: byte %zu, module '%s': its '%s' is missing; the model is incomplete: fetch it again",
            module->parts[0]->path, module->parts[0]->offset, view_shown(shown, module->name), ending);
    return hfmodel_in(view_of(safetensors_type_name((int)(*out)->type)), types) ||
           hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, *out, "is %s; it has to be %s",
                                 safetensors_type_name((int)(*out)->type), types);
}

bool hfquant_shape(struct hfmodel *m, const struct safetensors_tensor *t, size_t n_rows, size_t n_cols,
                   const char *why) {
    if (t->n_dims == 2 && t->dims[0] == n_rows && t->dims[1] == n_cols) return true;
    if (t->n_dims != 2)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t, "has %u dimensions, but %s: shape %zu x %zu",
                                     t->n_dims, why, n_rows, n_cols);
    return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t, "has shape %zu x %zu, but %s: %zu x %zu",
                                 (size_t)t->dims[0], (size_t)t->dims[1], why, n_rows, n_cols);
}

bool hfquant_map(const void **out, struct hfmodel *m, const struct hfmodule *module, const char *ending,
                 size_t n, size_t n_groups) {
    const struct safetensors_tensor *t = hfmodel_part(module, ending);
    bool zero = true;
    *out = NULL;
    if (!t) return true;
    if (!hfquant_part(&t, m, module, ending, "I32")) return false;
    if (t->n_dims != 1 || t->n_elements != n)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t, "has %zu entries for %zu inputs", t->n_elements,
                                     n);
    for (size_t i = 0; i < n; i++) {
        uint32_t group = layout_word(t->data, i);
        if (group >= n_groups)
            return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t, "says group %d for input %zu; there are %zu",
                                         (int)(int32_t)group, i, n_groups);
        zero = zero && group == 0;
    }
    *out = zero ? NULL : t->data;
    return true;
}

size_t hfquant_bytes(const struct hfmodule *module) {
    size_t bytes = 0;
    for (size_t i = 0; i < module->n_parts; i++)
        if (module->parts[i] != hfmodel_part(module, "bias")) bytes += module->parts[i]->bytes;
    return bytes;
}

/* --- plain numbers -------------------------------------------------------------------------------------- */

void hfquant_lay(struct hfmatrix *matrix) {
    if (matrix->has_layout) return;
    matrix->has_layout = true;
    matrix->layout = (struct layout){.kind = LAYOUT_PLAIN,
                                     .data = matrix->data,
                                     .n_cols = matrix->n_cols,
                                     .step = 1,
                                     .plain = {.type = (enum dtype)matrix->type, .stride = matrix->n_cols}};
}

bool hfquant_plain(struct hfmatrix *out, struct hfmodel *m, const struct safetensors_tensor *t, size_t skip,
                   size_t n_rows, size_t n_cols) {
    int type = safetensors_dtype(t->type);
    if (type < 0)
        return hfmodel_refuse_tensor(m, STATUS_UNSUPPORTED, t, "is %s, which no weight of this model may be",
                                     safetensors_type_name((int)t->type));
    size_t size = dtype_row_bytes((enum dtype)type, 1);
    *out = (struct hfmatrix){.of = t->name,
                             .type = (uint32_t)type,
                             .n_rows = n_rows,
                             .n_cols = n_cols,
                             .offset = t->offset + skip * size,
                             .bytes = n_rows * n_cols * size,
                             .data = (const char *)t->data + skip * size};
    if ((uintptr_t)out->data % size) hfquant_lay(out); /* kernels read aligned numbers */
    return true;
}

static bool plain_matrix(struct hfmatrix *out, struct hfmodel *m, const struct safetensors_tensor *t) {
    if (t->n_dims != 2)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t, "has %u dimensions; a matrix has 2", t->n_dims);
    return hfquant_plain(out, m, t, 0, (size_t)t->dims[0], (size_t)t->dims[1]);
}

/* --- which format --------------------------------------------------------------------------------------- */

/* The tensors and the configuration have to speak of the same thing. */
static bool method_is(struct hfmodel *m, const struct safetensors_tensor *part, enum hfquant_method a,
                      enum hfquant_method b) {
    const struct hfquant *q = &m->quant;
    if (q->method == a || q->method == b) return true;
    if (!q->object)
        return hfmodel_refuse_tensor(
            m, STATUS_BAD_INPUT, part,
            "is quantised, but there is neither quantization_config in config.json nor a "
            "quantize_config.json that says how");
    return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, part,
                                 "is not of the format that quantization_config says: %s", q->name);
}

bool hfquant_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module) {
    const struct safetensors_tensor *part;
    if ((part = hfmodel_part(module, "q_weight")))
        return (m->quant.method == HFQUANT_NONE && !m->quant.object) ||
                       method_is(m, part, HFQUANT_EXL2, HFQUANT_EXL2)
                   ? hfexl2_matrix(out, m, module, part)
                   : false;
    if ((part = hfmodel_part(module, "qweight")))
        return method_is(m, part, HFQUANT_GPTQ, HFQUANT_AWQ) &&
               (m->quant.method == HFQUANT_AWQ ? hfawq_matrix : hfgptq_matrix)(out, m, module, part);
    if ((part = hfmodel_part(module, "weight_packed")))
        return method_is(m, part, HFQUANT_COMPRESSED, HFQUANT_COMPRESSED) &&
               hfpacked_matrix(out, m, module, part);
    if (!hfquant_part(&part, m, module, "weight", "F32 F16 BF16 F8_E4M3 F8_E5M2")) return false;
    bool scaled = hfmodel_part(module, "weight_scale") || hfmodel_part(module, "weight_scale_inv");
    bool f8 = part->type == SAFETENSORS_F8_E4M3 || part->type == SAFETENSORS_F8_E5M2;
    if (scaled || (f8 && m->quant.object))
        return method_is(m, part, HFQUANT_FP8, HFQUANT_COMPRESSED) && hffp8_matrix(out, m, module, part);
    return plain_matrix(out, m, part);
}

/* --- quantization_config -------------------------------------------------------------------------------- */

bool hfquant_refuse(struct hfmodel *m, enum status_code code, const char *member, const char *format, ...) {
    const struct jsonin *doc = m->quant.doc;
    char reason[260];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return status_fail(m->st, code, "%.120s: byte %zu: %s", doc->path, jsonin_offset(doc, view_of(member)),
                       reason);
}

static bool text_member(struct view *out, struct hfmodel *m, const char *key, const char *otherwise) {
    return jsonin_string(out, m->quant.doc, m->quant.object, key, otherwise, m->st);
}

/* bits is one of a list of digits; -1 as group_size is one group of everything. */
static bool read_bits_and_group(struct hfmodel *m, const char *allowed) {
    struct hfquant *q = &m->quant;
    size_t bits;
    const json_t *group = json_object_get(q->object, "group_size");
    if (!jsonin_size(&bits, q->doc, q->object, "bits", 0, m->st)) return false;
    if (bits == 0 || bits > 9 || !strchr(allowed, (int)('0' + bits))) /* digits among commas */
        return hfquant_refuse(m, STATUS_UNSUPPORTED, "bits",
                              "quantization_config: 'bits' is %zu; %s has to be one of %s", bits, q->name,
                              allowed);
    q->bits = (unsigned)bits;
    if (!group || json_is_null(group)) return true;
    if (!json_is_integer(group) || json_integer_value(group) < -1 || json_integer_value(group) == 0 ||
        json_integer_value(group) > INT32_MAX)
        return hfquant_refuse(m, STATUS_BAD_INPUT, "group_size",
                              "quantization_config: 'group_size' has to be -1 or a number of inputs");
    q->group = json_integer_value(group) < 0 ? 0 : (size_t)json_integer_value(group);
    return true;
}

static bool config_gptq(struct hfmodel *m) {
    struct hfquant *q = &m->quant;
    struct view format, pack;
    char shown[VIEW_SHOWN];
    if (!read_bits_and_group(m, "2, 3, 4 and 8") || !text_member(&format, m, "checkpoint_format", "") ||
        (format.n == 0 && !text_member(&format, m, "format", "gptq")) ||
        !text_member(&pack, m, "pack_dtype", "int32"))
        return false;
    q->zeros_minus_one = view_is(format, "gptq");
    q->dynamic = json_object_size(json_object_get(q->object, "dynamic")) > 0;
    if (!q->zeros_minus_one && !view_is(format, "gptq_v2"))
        return hfquant_refuse(m, STATUS_UNSUPPORTED, "checkpoint_format",
                              "GPTQ in the format '%s' is not supported; gptq and gptq_v2 are",
                              view_shown(shown, format));
    return view_is(pack, "int32") ||
           hfquant_refuse(m, STATUS_UNSUPPORTED, "pack_dtype",
                          "GPTQ packed in '%s' is not supported; int32 is", view_shown(shown, pack));
}

static bool config_awq(struct hfmodel *m) {
    struct view version;
    char shown[VIEW_SHOWN];
    if (!read_bits_and_group(m, "only 4") || !text_member(&version, m, "version", "gemm")) return false;
    return view_is(version, "gemm") || view_is(version, "GEMM") ||
           hfquant_refuse(m, STATUS_UNSUPPORTED, "version",
                          "AWQ in the version '%s' is not supported; gemm is", view_shown(shown, version));
}

static bool config_exl2(struct hfmodel *m) {
    (void)m; /* every tensor says its own bits */
    return true;
}

static bool read_tiles(struct hfmodel *m, const json_t *list, const char *member) {
    if (!list || json_is_null(list)) return true;
    for (size_t i = 0; i < 2; i++) {
        const json_t *n = json_array_get(list, i);
        if (json_array_size(list) != 2 || !json_is_integer(n) || json_integer_value(n) < 1 ||
            json_integer_value(n) > INT32_MAX)
            return hfquant_refuse(m, STATUS_BAD_INPUT, member,
                                  "'%s' has to be two numbers of rows and columns", member);
        *(i ? &m->quant.tile_cols : &m->quant.tile_rows) = (size_t)json_integer_value(n);
    }
    return true;
}

static bool config_fp8(struct hfmodel *m) {
    struct view format;
    char shown[VIEW_SHOWN];
    if (!text_member(&format, m, "fmt", "e4m3")) return false;
    if (!view_is(format, "e4m3") && !view_is(format, "float8_e4m3fn"))
        return hfquant_refuse(m, STATUS_UNSUPPORTED, "fmt",
                              "FP8 in the format '%s' is not supported; e4m3 is", view_shown(shown, format));
    return read_tiles(m, json_object_get(m->quant.object, "weight_block_size"), "weight_block_size");
}

/* The first group that says something about blocks or groups of weights. */
static bool config_compressed(struct hfmodel *m) {
    struct hfquant *q = &m->quant;
    struct view format;
    char shown[VIEW_SHOWN];
    json_t *groups, *group;
    const char *key;
    if (!text_member(&format, m, "format", "") ||
        !jsonin_child(&groups, q->doc, q->object, "config_groups", JSON_OBJECT, m->st))
        return false;
    if (!view_is(format, "pack-quantized") && !view_is(format, "float-quantized"))
        return hfquant_refuse(m, STATUS_UNSUPPORTED, "format",
                              "compressed-tensors in the format '%s' is not supported; pack-quantized and "
                              "float-quantized are",
                              view_shown(shown, format));
    json_object_foreach(groups, key, group) {
        const json_t *weights = json_object_get(group, "weights"),
                     *size = json_object_get(weights, "group_size");
        if (json_is_integer(size) && json_integer_value(size) > 0)
            q->group = (size_t)json_integer_value(size);
        if (!read_tiles(m, json_object_get(weights, "block_structure"), "block_structure")) return false;
    }
    return true;
}

static bool find_config(struct hfmodel *m) {
    struct hfquant *q = &m->quant;
    json_t *object;
    q->doc = &m->dir->config.doc;
    if (!jsonin_child(&object, q->doc, q->doc->root, "quantization_config", JSON_OBJECT, m->st)) return false;
    if (!object && !jsonin_child(&object, q->doc, m->text, "quantization_config", JSON_OBJECT, m->st))
        return false;
    if (!object && m->dir->quantize.doc.root) {
        q->doc = &m->dir->quantize.doc;
        object = q->doc->root;
    }
    q->object = object;
    return true;
}

bool hfquant_config(struct hfmodel *m) {
    static const struct {
        const char *name;
        enum hfquant_method method;
        bool (*read)(struct hfmodel *m);
    } methods[] = {
        {"gptq", HFQUANT_GPTQ, config_gptq}, {"awq", HFQUANT_AWQ, config_awq},
        {"exl2", HFQUANT_EXL2, config_exl2}, {"compressed-tensors", HFQUANT_COMPRESSED, config_compressed},
        {"fp8", HFQUANT_FP8, config_fp8},    {"mxfp4", HFQUANT_MXFP4, config_exl2},
    };
    struct view name;
    char shown[VIEW_SHOWN];
    if (!find_config(m)) return false;
    if (!m->quant.object) return true;
    if (!text_member(&name, m, "quant_method", "gptq")) return false;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (!view_is(name, methods[i].name)) continue;
        m->quant.name = methods[i].name;
        m->quant.method = methods[i].method;
        return methods[i].read(m);
    }
    return hfquant_refuse(
        m, STATUS_UNSUPPORTED, "quant_method",
        "quant_method '%s' is not supported; gptq, awq, exl2, compressed-tensors, fp8 and mxfp4 are",
        view_shown(shown, name));
}
