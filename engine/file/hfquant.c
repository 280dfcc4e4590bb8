/* The weight of a module as a matrix where it lies, whatever its format. */
#include "engine/file/hfmodel.h"

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
                                     safetensors_type_name(t->type));
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

bool hfquant_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module) {
    const struct safetensors_tensor *weight = hfmodel_part(module, "weight");
    if (weight) return plain_matrix(out, m, weight);
    return hfmodel_refuse_tensor(m, STATUS_UNSUPPORTED, module->parts[0],
                                 "is of a quantised format that this build cannot read");
}

bool hfquant_config(struct hfmodel *m) {
    (void)m;
    return true;
}
