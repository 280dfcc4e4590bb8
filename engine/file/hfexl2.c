/* Modules of EXL2: every table checked, the runs and the permutation made ready. */
#include "engine/file/hfmodel.h"

#include <string.h>

enum { PADDING = 32 /* outputs */ };

struct parts {
    const struct safetensors_tensor *weight, *scale, *scale_max, *groups, *invperm;
    size_t width, n_runs, in, out;
};

static bool find_parts(struct parts *p, struct hfmodel *m, const struct hfmodule *module) {
    return hfquant_part(&p->weight, m, module, "q_weight", "I32") &&
           hfquant_part(&p->scale, m, module, "q_scale", "I32") &&
           hfquant_part(&p->scale_max, m, module, "q_scale_max", "F16") &&
           hfquant_part(&p->groups, m, module, "q_groups", "I16") &&
           hfquant_part(&p->invperm, m, module, "q_invperm", "I32");
}

static bool check_sizes(struct parts *p, struct hfmodel *m, const struct hfmodule *module) {
    struct hfsizes known = hfquant_sizes(m, module->name);
    p->width = p->weight->n_dims == 2 ? (size_t)p->weight->dims[1] : 0;
    p->n_runs = p->scale_max->n_elements;
    p->in = p->invperm->n_elements;
    p->out = known.out ? known.out : p->width;
    if (!p->width || p->width % PADDING || p->in > UINT32_MAX)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->weight,
                                     "has %zu columns, which is no multiple of %d", p->width, PADDING);
    if ((p->out + PADDING - 1) / PADDING * PADDING != p->width)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->weight,
                                     "has %zu columns, but config.json says %zu outputs%s", p->width, p->out,
                                     view_ends(module->name, "lm_head") ? " (vocab_size)" : "");
    if (p->invperm->n_dims != 1 || (known.in && known.in != p->in))
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->invperm, "has %zu entries for %zu inputs", p->in,
                                     known.in);
    if (p->scale_max->n_dims != 1 || !p->n_runs)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->scale_max,
                                     "has to have one scale for each group");
    if (p->groups->n_elements != 2 * p->n_runs)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->groups,
                                     "has %zu numbers for the %zu groups of q_scale_max",
                                     p->groups->n_elements, p->n_runs);
    return hfquant_shape(m, p->scale, p->n_runs, p->width / 8, "q_scale_max and q_weight make");
}

static unsigned group_number(const struct parts *p, size_t i) {
    uint16_t number;
    memcpy(&number, (const char *)p->groups->data + i * sizeof number, sizeof number);
    return number;
}

/* The kernels of exllamav2 read sections of 8, 6, 5, 4, 3, 2 bits in this order, so that bits may not rise.
 */
static bool read_run(struct layout_exl2_run *out, struct hfmodel *m, const struct parts *p, size_t i,
                     size_t left) {
    unsigned bits = group_number(p, 2 * i), first = group_number(p, 2 * i + 1);
    bool last = i + 1 == p->n_runs;
    size_t n_words = (size_t)p->weight->dims[0], end = last ? n_words : group_number(p, 2 * i + 3);
    if (bits > 8 || !strchr("234568", (int)('0' + bits)))
        return hfmodel_refuse_tensor(m, STATUS_UNSUPPORTED, p->groups, "says %u bits for group %zu", bits, i);
    if (i && bits > group_number(p, 2 * i - 2))
        return hfmodel_refuse_tensor(m, STATUS_UNSUPPORTED, p->groups,
                                     "says %u bits for group %zu, more than for the one before it", bits, i);
    if ((i == 0 && first) || end > n_words || first >= end)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->groups,
                                     "lets group %zu go from row %u to row %zu of the %zu of q_weight", i,
                                     first, end, n_words);
    size_t rows = last ? left : (end - first) * 32 / bits, unit = bits == 2 ? 16 : 32;
    if (!rows || rows > left || rows % unit)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->groups,
                                     "leaves group %zu %zu of %zu inputs; groups are multiples of %zu", i,
                                     rows, left, unit);
    if (rows * bits != (end - first) * 32)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->weight,
                                     "has %zu rows for group %zu, but its %zu inputs of %u bits take %zu",
                                     end - first, i, rows, bits, rows * bits / 32);
    *out = (struct layout_exl2_run){bits, first, (uint32_t)rows};
    return true;
}

static bool read_runs(struct layout_exl2 *out, struct hfmodel *m, const struct parts *p) {
    struct layout_exl2_run *runs = arena_alloc(&m->file->arena, p->n_runs, sizeof *runs, m->st);
    size_t left = p->in;
    for (size_t i = 0; runs && i < p->n_runs; i++) {
        if (!read_run(&runs[i], m, p, i, left)) return false;
        left -= runs[i].n;
    }
    out->runs = runs;
    out->n_runs = p->n_runs;
    return runs && (left == 0 || hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->groups,
                                                       "leaves %zu of %zu inputs to no group", left, p->in));
}

/* Stored row invperm[i] is input i. A q_perm in the file is its inverse and not needed: exllamav2 makes its
 * own. */
static bool read_permutation(struct layout_exl2 *out, struct hfmodel *m, const struct parts *p) {
    uint32_t *columns = arena_alloc(&m->file->arena, p->in, sizeof *columns, m->st);
    if (!columns) return false;
    for (size_t i = 0; i < p->in; i++) columns[i] = UINT32_MAX;
    for (size_t i = 0; i < p->in; i++) {
        uint32_t row = layout_word(p->invperm->data, i);
        if (row >= p->in || columns[row] != UINT32_MAX)
            return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, p->invperm,
                                         "is no permutation: entry %zu is %d, which is %s", i,
                                         (int)(int32_t)row, row >= p->in ? "out of range" : "there already");
        columns[row] = (uint32_t)i;
    }
    out->columns = columns;
    return true;
}

bool hfexl2_matrix(struct hfmatrix *out, struct hfmodel *m, const struct hfmodule *module,
                   const struct safetensors_tensor *part) {
    struct parts p;
    struct layout_exl2 layout = {0};
    if (!find_parts(&p, m, module) || !check_sizes(&p, m, module) || !read_runs(&layout, m, &p) ||
        !read_permutation(&layout, m, &p))
        return false;
    layout.width = p.width;
    layout.scales = p.scale->data;
    layout.scale_max = p.scale_max->data;
    *out = (struct hfmatrix){
        .of = module->name,
        .type = DTYPE_EXL2,
        .n_rows = p.out,
        .n_cols = p.in,
        .offset = part->offset,
        .bytes = hfquant_bytes(module),
        .data = part->data,
        .has_layout = true,
        .layout = {.kind = LAYOUT_EXL2, .data = part->data, .n_cols = p.in, .step = 1, .exl2 = layout}};
    return true;
}
