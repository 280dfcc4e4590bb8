/* Modules of GPTQ and AWQ: their parts, checked, as a layout. */
#include "engine/file/hfmodel.h"

#include <stdio.h>

static size_t divide_up(size_t n, size_t by) { return n / by + (n % by != 0); }

static void set(struct hfmatrix *out, const struct hfmodule *module, const struct safetensors_tensor *part,
                enum dtype type, enum layout_kind kind, size_t n_rows, size_t n_cols) {
    *out = (struct hfmatrix){.of = module->name,
                             .type = type,
                             .n_rows = n_rows,
                             .n_cols = n_cols,
                             .offset = part->offset,
                             .bytes = hfquant_bytes(module),
                             .data = part->data,
                             .has_layout = true,
                             .layout = {.kind = kind, .data = part->data, .n_cols = n_cols, .step = 1}};
}

/* --- GPTQ ----------------------------------------------------------------------------------------------- */

static size_t packed_words(size_t n, unsigned bits) { return divide_up(n * bits, 32); }

/* Inputs: what config.json says, else what g_idx has, else what the words hold. */
static size_t gptq_inputs(const struct hfmodel *m, const struct hfmodule *module,
                          const struct safetensors_tensor *qweight) {
    const struct safetensors_tensor *map = hfmodel_part(module, "g_idx");
    size_t in = hfquant_sizes(m, module->name).in;
    if (!in && map) in = map->n_elements;
    return in ? in : (size_t)qweight->dims[0] * 32 / m->quant.bits;
}

/* Dynamic rules give modules other bits; the number of words says which. */
static unsigned gptq_bits(const struct hfmodel *m, const struct safetensors_tensor *qweight, size_t in) {
    static const unsigned widths[] = {2, 3, 4, 8};
    for (size_t i = 0; m->quant.dynamic && i < 4; i++)
        if (packed_words(in, widths[i]) == qweight->dims[0]) return widths[i];
    return m->quant.bits;
}

/* Columns of a group, held against the rows of scales. Dynamic rules change it too: then they are even. */
static bool gptq_group(size_t *out, struct hfmodel *m, const struct safetensors_tensor *scales, size_t in) {
    size_t group = m->quant.group ? m->quant.group : in, n = scales->n_dims ? (size_t)scales->dims[0] : 0;
    if (m->quant.dynamic && n && divide_up(in, group) != n) group = divide_up(in, n);
    *out = group;
    return (n && group && divide_up(in, group) == n) ||
           hfmodel_refuse_tensor(
               m, STATUS_BAD_INPUT, scales,
               "has %zu groups, but group_size %zu of quantization_config makes %zu of %zu inputs", n, group,
               group ? divide_up(in, group) : 0, in);
}

bool hfgptq_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                   const struct safetensors_tensor *part) {
    const struct safetensors_tensor *qweight = part, *qzeros, *scales;
    const void *map;
    char why[96];
    size_t group;
    if (!hfquant_part(&qweight, m, module, "qweight", "I32") ||
        !hfquant_part(&qzeros, m, module, "qzeros", "I32") ||
        !hfquant_part(&scales, m, module, "scales", "F16 BF16 F32"))
        return false;
    if (qweight->n_dims != 2 || qweight->n_elements == 0)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, qweight, "has no shape of a matrix");
    size_t in = gptq_inputs(m, module, qweight), n_out = hfquant_sizes(m, module->name).out;
    if (!n_out) n_out = (size_t)qweight->dims[1];
    unsigned bits = gptq_bits(m, qweight, in);
    snprintf(why, sizeof why, "%u bits of quantization_config and %zu inputs make", bits, in);
    if (!hfquant_shape(m, qweight, packed_words(in, bits), n_out, why) || !gptq_group(&group, m, scales, in))
        return false;
    size_t n_groups = divide_up(in, group);
    snprintf(why, sizeof why, "group_size %zu of quantization_config makes", group);
    if (!hfquant_shape(m, scales, n_groups, n_out, why) ||
        !hfquant_shape(m, qzeros, n_groups, packed_words(n_out, bits), why) ||
        !hfquant_map(&map, m, module, "g_idx", in, n_groups))
        return false;
    set(out, module, qweight, DTYPE_GPTQ, LAYOUT_GPTQ, n_out, in);
    out->layout.gptq =
        (struct layout_gptq){.zeros_minus_one = m->quant.zeros_minus_one,
                             .groups = {.bits = bits,
                                        .width = n_out,
                                        .group = group,
                                        .map = map,
                                        .zeros = qzeros->data,
                                        .scales = scales->data,
                                        .scale_type = (enum dtype)safetensors_dtype(scales->type)}};
    return true;
}

/* --- AWQ ------------------------------------------------------------------------------------------------ */

bool hfawq_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                  const struct safetensors_tensor *part) {
    const struct safetensors_tensor *qweight = part, *qzeros, *scales;
    char why[96];
    if (!hfquant_part(&qweight, m, module, "qweight", "I32") ||
        !hfquant_part(&qzeros, m, module, "qzeros", "I32") ||
        !hfquant_part(&scales, m, module, "scales", "F16 BF16 F32"))
        return false;
    if (qweight->n_dims != 2 || qweight->n_elements == 0 || qweight->dims[1] > SIZE_MAX / 8)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, qweight, "has no shape of a matrix");
    struct hfsizes sizes = hfquant_sizes(m, module->name);
    if (!sizes.in) sizes = (struct hfsizes){(size_t)qweight->dims[1] * 8, (size_t)qweight->dims[0]};
    size_t group = m->quant.group ? m->quant.group : sizes.in;
    if (sizes.in % group)
        return hfmodel_refuse_tensor(
            m, STATUS_BAD_INPUT, qweight,
            "has %zu inputs, which group_size %zu of quantization_config does not divide", sizes.in, group);
    snprintf(why, sizeof why, "the gemm version of AWQ with %zu inputs has", sizes.in);
    if (!hfquant_shape(m, qweight, sizes.in, divide_up(sizes.out, 8), why)) return false;
    snprintf(why, sizeof why, "group_size %zu of quantization_config makes", group);
    if (!hfquant_shape(m, scales, sizes.in / group, sizes.out, why) ||
        !hfquant_shape(m, qzeros, sizes.in / group, divide_up(sizes.out, 8), why))
        return false;
    if (sizes.out % 8)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, qweight, "has outputs that fill no word");
    set(out, module, qweight, DTYPE_AWQ, LAYOUT_AWQ, sizes.out, sizes.in);
    out->layout.awq = (struct layout_groups){.bits = 4,
                                             .width = sizes.out,
                                             .group = group,
                                             .zeros = qzeros->data,
                                             .scales = scales->data,
                                             .scale_type = (enum dtype)safetensors_dtype(scales->type)};
    return true;
}

/* --- compressed-tensors ----------------------------------------------------------------------------------
 */

/* [out, in] that the module had before it was packed. */
static bool packed_sizes(struct hfsizes *out, struct hfmodel *m, const struct hfmodule *module,
                         const struct safetensors_tensor *packed) {
    const struct safetensors_tensor *shape;
    struct hfsizes known = hfquant_sizes(m, module->name);
    *out = (struct hfsizes){0, 0};
    if (!hfquant_part(&shape, m, module, "weight_shape", "I64 I32")) return false;
    if (shape->n_elements != 2)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, shape, "has to hold two numbers");
    size_t words = shape->type == SAFETENSORS_I64 ? 2 : 1, numbers[2];
    for (size_t i = 0; i < 2; i++) {
        numbers[i] = layout_word(shape->data, i * words);
        if (words == 2 && layout_word(shape->data, 2 * i + 1))
            return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, shape, "says a size that no matrix has");
    }
    *out = (struct hfsizes){numbers[0], numbers[1]};
    if (known.in && (known.in != out->in || known.out != out->out))
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, shape, "says %zu x %zu, but config.json %zu x %zu",
                                     out->out, out->in, known.out, known.in);
    if (!out->in || packed->n_dims != 2 || packed->dims[0] != out->out)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, packed,
                                     "has not the %zu rows that weight_shape says", out->out);
    return true;
}

static bool packed_bits(unsigned *out, struct hfmodel *m, const struct safetensors_tensor *packed,
                        size_t in) {
    for (*out = 4; *out <= 8; *out += 4)
        if (packed_words(in, *out) == packed->dims[1]) return true;
    return hfmodel_refuse_tensor(
        m, STATUS_UNSUPPORTED, packed,
        "has %zu words a row, but weight_shape says %zu inputs: neither 4 nor 8 bits",
        (size_t)packed->dims[1], in);
}

static bool packed_groups(struct layout_groups *g, struct hfmodel *m, const struct hfmodule *module,
                          const struct hfsizes *sizes) {
    const struct safetensors_tensor *scale, *zero = hfmodel_part(module, "weight_zero_point");
    if (!hfquant_part(&scale, m, module, "weight_scale", "F16 BF16 F32")) return false;
    size_t n = scale->n_dims == 2 ? (size_t)scale->dims[1] : 1;
    g->group = n > 1 ? m->quant.group : sizes->in;
    if (!g->group || divide_up(sizes->in, g->group) != n)
        return hfmodel_refuse_tensor(
            m, STATUS_BAD_INPUT, scale,
            "has %zu groups, but group_size %zu of quantization_config makes %zu of %zu inputs", n, g->group,
            g->group ? divide_up(sizes->in, g->group) : 0, sizes->in);
    if (!hfquant_shape(m, scale, sizes->out, n, "weight_shape and group_size make") ||
        (zero && (!hfquant_part(&zero, m, module, "weight_zero_point", "I32") ||
                  !hfquant_shape(m, zero, packed_words(sizes->out, g->bits), n,
                                 "weight_shape and group_size make"))) ||
        !hfquant_map(&g->map, m, module, "weight_g_idx", sizes->in, n))
        return false;
    g->width = sizes->out;
    g->zeros = zero ? zero->data : NULL;
    g->scales = scale->data;
    g->scale_type = (enum dtype)safetensors_dtype(scale->type);
    return true;
}

bool hfpacked_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                     const struct safetensors_tensor *part) {
    struct hfsizes sizes;
    struct layout_groups groups = {0};
    if (!hfquant_part(&part, m, module, "weight_packed", "I32") || !packed_sizes(&sizes, m, module, part) ||
        !packed_bits(&groups.bits, m, part, sizes.in) || !packed_groups(&groups, m, module, &sizes))
        return false;
    set(out, module, part, DTYPE_PACKED, LAYOUT_PACKED, sizes.out, sizes.in);
    out->layout.packed = groups;
    return true;
}
