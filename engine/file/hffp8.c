/* Floats of 8 and 4 bits with scales in tensors of their own: FP8 by tensor, channel or block, gpt-oss'
 * MXFP4. */
#include "engine/file/hfmodel.h"

#include <string.h>

static size_t divide_up(size_t n, size_t by) { return n / by + (n % by != 0); }

/* [] and [1]: one for all; [rows] and [rows][1]: one a row; else one a block of quantization_config. */
static bool find_tiles(struct layout_tiles *out, struct hfmodel *m, const struct safetensors_tensor *scale,
                       size_t n_rows, size_t n_cols) {
    size_t tile_rows = m->quant.tile_rows, tile_cols = m->quant.tile_cols;
    bool by_row = scale->n_dims == 1 || (scale->n_dims == 2 && scale->dims[1] == 1);
    *out = (struct layout_tiles){.scales = scale->data,
                                 .type = (enum dtype)safetensors_dtype(scale->type),
                                 .n_rows = n_rows,
                                 .n_cols = n_cols,
                                 .per_row = 1};
    if (!tile_rows) {
        if (scale->n_elements == 1) return true;
        out->n_rows = 1;
        return (by_row && scale->dims[0] == n_rows) ||
               hfmodel_refuse_tensor(
                   m, STATUS_BAD_INPUT, scale,
                   "has %zu values; one for the matrix or for each of its %zu rows is expected, or "
                   "weight_block_size in quantization_config",
                   scale->n_elements, n_rows);
    }
    out->n_rows = tile_rows;
    out->n_cols = tile_cols;
    out->per_row = divide_up(n_cols, tile_cols);
    return hfquant_shape(m, scale, divide_up(n_rows, tile_rows), out->per_row,
                         "weight_block_size of quantization_config makes");
}

bool hffp8_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                  const struct safetensors_tensor *part) {
    const struct safetensors_tensor *scale;
    bool inverse = hfmodel_part(module, "weight_scale_inv") || !hfmodel_part(module, "weight_scale");
    if (!hfquant_part(&part, m, module, "weight", "F8_E4M3 F8_E5M2") ||
        !hfquant_part(&scale, m, module, inverse ? "weight_scale_inv" : "weight_scale",
                      "F32 F16 BF16 F8_E8M0"))
        return false;
    if (part->n_dims != 2 || part->n_elements == 0)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, part, "has no shape of a matrix");
    size_t n_rows = (size_t)part->dims[0], n_cols = (size_t)part->dims[1];
    struct hfsizes known = hfquant_sizes(m, module->name);
    if (known.in && !hfquant_shape(m, part, known.out, known.in, "config.json says")) return false;
    if (!hfquant_plain(out, m, part, 0, n_rows, n_cols)) return false;
    hfquant_lay(out);
    out->of = module->name;
    out->bytes = hfquant_bytes(module);
    return find_tiles(&out->layout.plain.tiles, m, scale, n_rows, n_cols);
}

/* --- MXFP4 ---------------------------------------------------------------------------------------------- */

enum { BLOCK = 32, BLOCK_BYTES = 16 };

struct hfmatrix *hfmxfp4_experts(struct hfmodel *m, const struct safetensors_tensor *blocks) {
    static const char ending[] = "_blocks";
    const uint64_t *dims = blocks->dims;
    struct str name = {0};
    str_printf(&name, "%.*s_scales", (int)(blocks->name.n - (sizeof ending - 1)), blocks->name.at);
    const struct safetensors_tensor *scales = str_ok(&name, m->st) ? hfdir_find(m->dir, str_c(&name)) : NULL;
    bool ok =
        blocks->type == SAFETENSORS_U8 && blocks->n_dims == 4 && dims[3] == BLOCK_BYTES && blocks->n_elements;
    struct hfmatrix *all = NULL;
    if (!ok) hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, blocks, "has to be U8 [experts][rows][blocks][16]");
    else if (!scales)
        hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, blocks,
                              "has no '%.120s' beside it; the model is incomplete", str_c(&name));
    else if (scales->type != SAFETENSORS_U8 || scales->n_dims != 3 ||
             memcmp(scales->dims, dims, 3 * sizeof *dims) != 0)
        hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, scales,
                              "has to be U8 [experts][rows][blocks], as the blocks are");
    else all = arena_alloc(&m->file->arena, (size_t)dims[0], sizeof *all, m->st);
    str_free(&name);
    if (!all) return NULL;
    size_t n_rows = (size_t)dims[1], n_cols = (size_t)dims[2] * BLOCK, codes = n_rows * n_cols / 2;
    for (size_t e = 0; e < dims[0]; e++) {
        const uint8_t *data = (const uint8_t *)blocks->data + e * codes;
        all[e] = (struct hfmatrix){
            .of = blocks->name,
            .type = DTYPE_MXFP4,
            .n_rows = n_rows,
            .n_cols = n_cols,
            .offset = blocks->offset + e * codes,
            .bytes = codes + n_rows * n_cols / BLOCK,
            .data = data,
            .has_layout = true,
            .layout = {.kind = LAYOUT_MXFP4, .data = data, .n_cols = n_cols, .step = 1},
        };
        all[e].layout.mxfp4.scales = (const uint8_t *)scales->data + e * (n_rows * n_cols / BLOCK);
    }
    return all;
}
