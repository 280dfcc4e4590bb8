/* The tensors of a Hugging Face checkpoint under GGUF's names. */
#include "engine/file/hfmodel.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a row of hfnames.inc is carried out. */
enum how {
    MATRIX,
    NORM,
    WHOLE,
    SKIP,
    EXPERT,
    KV_B,
    EXPERTS_GATE_UP,
    EXPERTS_DOWN,
    EXPERTS_GATE_UP_BIAS,
    EXPERTS_DOWN_BIAS,
    EXPERTS_GATE_UP_BLOCKS,
    EXPERTS_DOWN_BLOCKS,
    DELTA_DECAY,
    DELTA_BIAS,
    DELTA_CONV,
    DELTA_QKVZ,
    DELTA_QKV,
    DELTA_HEADS,
    DELTA_OUT,
};

/* A name that a row of the table fits. */
struct match {
    enum how how;
    const char *to;
    size_t layer, expert;
};

/* The experts of one tensor, as they come. */
struct gathered {
    size_t tensor;             /* its index */
    struct hfmatrix *matrices; /* [experts], `of` empty where one has not come */
};

struct naming {
    struct hfmodel *m;
    struct gathered *gathered;
    size_t n_gathered, room;
    size_t extra_layers; /* of multi-token prediction, behind the model's own */
};

/* --- making tensors ------------------------------------------------------------------------------------- */

bool hfmodel_refuse_tensor(struct hfmodel *m, enum status_code code, const struct safetensors_tensor *t,
                           const char *format, ...) {
    char reason[260], shown[VIEW_SHOWN];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return status_fail(m->st, code, "%.120s: byte %zu, tensor '%s' %s", t->path, t->offset,
                       view_shown(shown, t->name), reason);
}

struct gguf_tensor *hfmodel_tensor(struct hfmodel *m, const char *name, struct view of) {
    struct gguf *file = m->file;
    if (file->n_tensors == m->n_tensors_room) {
        size_t room = m->n_tensors_room ? 2 * m->n_tensors_room : 256;
        void *grown = realloc(file->tensors, room * sizeof *file->tensors);
        if (!grown) {
            status_fail(m->st, STATUS_NO_MEMORY, "%.120s: out of memory", file->path);
            return NULL;
        }
        file->tensors = grown;
        m->n_tensors_room = room;
    }
    const char *copy = arena_copy(&file->arena, name, strlen(name), m->st);
    const char *source = arena_copy(&file->arena, of.at, of.n, m->st);
    if (!copy || !source) return NULL;
    struct gguf_tensor *t = &file->tensors[file->n_tensors++];
    *t = (struct gguf_tensor){.name = view_of(copy), .dims = {1, 1, 1, 1}, .source = view_of(source)};
    return t;
}

float *hfmodel_floats(struct hfmodel *m, const struct safetensors_tensor *t) {
    int type = safetensors_dtype(t->type);
    if (type < 0) {
        hfmodel_refuse_tensor(m, STATUS_UNSUPPORTED, t, "is %s; it has to be F32, F16 or BF16",
                              safetensors_type_name((int)t->type));
        return NULL;
    }
    float *values = arena_alloc(&m->file->arena, t->n_elements, sizeof *values, m->st);
    if (values) dtype_decode(values, (enum dtype)type, t->data, t->n_elements);
    return values;
}

bool hfmodel_vector(struct hfmodel *m, const char *name, struct view of, size_t n, const float *values) {
    struct gguf_tensor *t = hfmodel_tensor(m, name, of);
    if (!t) return false;
    t->n_dims = 1;
    t->dims[0] = n;
    t->type = DTYPE_F32;
    t->bytes = n * sizeof *values;
    t->data = values;
    return true;
}

/* [n_experts] matrices of one shape, or one (n 0). */
static bool set_matrices(struct hfmodel *m, struct gguf_tensor *t, struct hfmatrix *matrices, size_t n) {
    size_t count = n ? n : 1;
    bool laid = false;
    t->n_dims = n ? 3 : 2;
    t->dims[0] = matrices->n_cols;
    t->dims[1] = matrices->n_rows;
    t->dims[2] = count;
    t->type = matrices->type;
    t->offset = matrices->offset;
    t->data = matrices->data;
    for (size_t i = 0; i < count; i++) {
        t->bytes += matrices[i].bytes;
        laid = laid || matrices[i].has_layout;
    }
    if (!laid && !n) return true;
    const void **slices = laid ? NULL : arena_alloc(&m->file->arena, count, sizeof *slices, m->st);
    struct layout *layouts = laid ? arena_alloc(&m->file->arena, count, sizeof *layouts, m->st) : NULL;
    if (!slices && !layouts) return false;
    for (size_t i = 0; i < count; i++) {
        if (laid) hfquant_lay(&matrices[i]);
        if (laid) layouts[i] = matrices[i].layout;
        else slices[i] = matrices[i].data;
    }
    t->slices = slices;
    t->layout = layouts;
    return true;
}

static bool put_matrix(struct hfmodel *m, const char *name, struct hfmatrix *matrix) {
    struct gguf_tensor *t = hfmodel_tensor(m, name, matrix->of);
    return t && set_matrices(m, t, matrix, 0);
}

/* --- names ---------------------------------------------------------------------------------------------- */

/* Does the name fit the pattern? % and @ take digits, * the rest. */
static bool fits(struct match *out, struct view name, const char *pattern) {
    size_t i = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '*') return true;
        if (*pattern != '%' && *pattern != '@') {
            if (i >= name.n || name.at[i++] != *pattern) return false;
            continue;
        }
        size_t *number = *pattern == '%' ? &out->layer : &out->expert, first = i;
        for (*number = 0; i < name.n && name.at[i] >= '0' && name.at[i] <= '9' && i - first < 9; i++)
            *number = 10 * *number + (size_t)(name.at[i] - '0');
        if (i == first) return false;
    }
    return i == name.n;
}

static bool find_name(struct match *out, const struct hfmodel *m, struct view name) {
    static const struct {
        const char *families, *from, *to;
        enum how how;
    } rows[] = {
#define HF_NAME(families, from, to, how) {families, from, to, how},
#include "engine/file/hfnames.inc"
#undef HF_NAME
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!hfmodel_in(m->family, rows[i].families) || !fits(out, name, rows[i].from)) continue;
        out->how = rows[i].how;
        out->to = rows[i].to;
        return true;
    }
    return false;
}

/* The row's name with the layer in it, and an ending. */
static void name_of(char out[HFMODEL_NAME], const char *pattern, const struct match *match,
                    const char *ending) {
    const char *percent = strchr(pattern, '%');
    if (percent)
        snprintf(out, HFMODEL_NAME, "%.*s%zu%s%s", (int)(percent - pattern), pattern, match->layer,
                 percent + 1, ending);
    else snprintf(out, HFMODEL_NAME, "%s%s", pattern, ending);
}

/* Multimodal models have one more level, and old ones another order. */
static struct view without_wrapper(char *out, size_t room, struct view name) {
    static const char *const wrappers[][2] = {{"model.language_model.", "model."},
                                              {"language_model.model.", "model."},
                                              {"language_model.lm_head", "lm_head"}};
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        size_t n = strlen(wrappers[i][0]);
        if (!view_starts(name, wrappers[i][0])) continue;
        int used = snprintf(out, room, "%s%.*s", wrappers[i][1], (int)(name.n - n), name.at + n);
        return used > 0 && (size_t)used < room ? (struct view){out, (size_t)used} : name;
    }
    return name;
}

/* --- vectors -------------------------------------------------------------------------------------------- */

static bool put_floats(struct hfmodel *m, const char *name, const struct safetensors_tensor *t, float plus) {
    float *values = hfmodel_floats(m, t);
    for (size_t i = 0; values && plus != 0 && i < t->n_elements; i++) values[i] += plus;
    if (!values || !hfmodel_vector(m, name, t->name, t->n_elements, values)) return false;
    m->file->tensors[m->file->n_tensors - 1].offset = t->offset;
    return true;
}

/* Gemma and the hybrids store what is added to 1. */
static bool counts_from_zero(const struct hfmodel *m) {
    return hfmodel_in(m->family, "gemma2 gemma3 gemma3_text qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe "
                                 "qwen3_5_moe_text");
}

/* --- experts -------------------------------------------------------------------------------------------- */

/* The experts that `name` gathers; a new set when none of the last ones is it: neighbours come together. */
static struct gathered *gathered_of(struct naming *n, const char *name, struct view of) {
    struct hfmodel *m = n->m;
    for (size_t i = n->n_gathered; i-- > 0 && n->n_gathered - i <= 16;)
        if (view_is(m->file->tensors[n->gathered[i].tensor].name, name)) return &n->gathered[i];
    size_t all;
    if (!checked_mul(&all, n->n_gathered + 1, m->experts) || all > m->dir->n_tensors) {
        hfmodel_refuse(
            m, STATUS_BAD_INPUT, "num_experts",
            "%zu experts are more than the %zu tensors of the files can be; the model is incomplete",
            m->experts, m->dir->n_tensors);
        return NULL;
    }
    if (n->n_gathered == n->room) {
        size_t room = n->room ? 2 * n->room : 64;
        void *grown = realloc(n->gathered, room * sizeof *n->gathered);
        if (!grown) {
            status_fail(m->st, STATUS_NO_MEMORY, "%.120s: out of memory", m->file->path);
            return NULL;
        }
        n->gathered = grown;
        n->room = room;
    }
    struct gathered *g = &n->gathered[n->n_gathered];
    g->matrices = arena_alloc(&m->file->arena, m->experts, sizeof *g->matrices, m->st);
    if (!g->matrices || !hfmodel_tensor(m, name, of)) return NULL;
    g->tensor = m->file->n_tensors - 1;
    n->n_gathered++;
    return g;
}

static bool put_expert(struct naming *n, const struct match *match, const struct hfmodule *module) {
    struct hfmodel *m = n->m;
    char name[HFMODEL_NAME];
    if (match->expert >= m->experts)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, module->parts[0],
                                     "is of expert %zu, but config.json says %zu", match->expert, m->experts);
    name_of(name, match->to, match, ".weight");
    struct gathered *g = gathered_of(n, name, module->name);
    struct hfmatrix matrix;
    if (!g || !hfquant_matrix(&matrix, m, module)) return false;
    g->matrices[match->expert] = matrix;
    return true;
}

static bool finish_experts(struct naming *n) {
    struct hfmodel *m = n->m;
    for (size_t i = 0; i < n->n_gathered; i++) {
        struct hfmatrix *all = n->gathered[i].matrices;
        struct gguf_tensor *t = &m->file->tensors[n->gathered[i].tensor];
        char shown[VIEW_SHOWN];
        for (size_t e = 0; e < m->experts; e++) {
            const struct hfmatrix *one = &all[e];
            if (!one->of.n)
                return status_fail(m->st, STATUS_BAD_INPUT,
                                   "%.120s: expert %zu of %s is missing (like '%s'); the model is incomplete",
                                   m->file->path, e, t->name.at, view_shown(shown, t->source));
            if (one->n_rows != all->n_rows || one->n_cols != all->n_cols || one->type != all->type)
                return status_fail(
                    m->st, STATUS_BAD_INPUT,
                    "%.120s: byte %zu, tensor '%s': its shape or type is not that of the other experts",
                    m->file->path, one->offset, view_shown(shown, one->of));
        }
        if (!set_matrices(m, t, all, m->experts)) return false;
    }
    return true;
}

/* One tensor [experts][a][b]. */
static bool expert_shape(struct hfmodel *m, const struct safetensors_tensor *t, unsigned n_dims) {
    return (t->n_dims == n_dims && t->dims[0] == m->experts && m->experts) ||
           hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t,
                                 "has to have %u dimensions, the first the %zu experts", n_dims, m->experts);
}

/* Rows first, first + step ... of each expert's matrix, as a tensor. Gpt-oss stores x * W: [in][out]. */
static bool put_fused(struct hfmodel *m, const char *name, const struct safetensors_tensor *t, size_t first,
                      size_t step, size_t n_rows, bool transposed) {
    size_t stored_rows = (size_t)t->dims[1], stored_cols = (size_t)t->dims[2];
    struct hfmatrix *all = arena_alloc(&m->file->arena, m->experts, sizeof *all, m->st);
    if (!all) return false;
    for (size_t e = 0; e < m->experts; e++) {
        if (!hfquant_plain(&all[e], m, t, e * stored_rows * stored_cols, stored_rows, stored_cols))
            return false;
        hfquant_lay(&all[e]);
        all[e].layout.first = first;
        all[e].layout.step = step;
        all[e].layout.plain.transposed = transposed;
        all[e].n_rows = n_rows;
        all[e].n_cols = all[e].layout.n_cols = transposed ? stored_rows : stored_cols;
        all[e].bytes = n_rows * all[e].n_cols * dtype_row_bytes((enum dtype)all[e].type, 1);
    }
    struct gguf_tensor *made = hfmodel_tensor(m, name, t->name);
    return made && set_matrices(m, made, all, m->experts);
}

static bool is_interleaved(const struct hfmodel *m) { return hfmodel_in(m->family, "gpt_oss"); }

static bool put_fused_gate_up(struct hfmodel *m, const struct match *match,
                              const struct safetensors_tensor *t) {
    char gate[HFMODEL_NAME], up[HFMODEL_NAME];
    name_of(gate, "blk.%.ffn_gate_exps", match, ".weight");
    name_of(up, "blk.%.ffn_up_exps", match, ".weight");
    if (!expert_shape(m, t, 3)) return false;
    bool gpt = is_interleaved(m);
    size_t n = (size_t)t->dims[gpt ? 2 : 1] / 2;
    return put_fused(m, gate, t, 0, gpt ? 2 : 1, n, gpt) &&
           put_fused(m, up, t, gpt ? 1 : n, gpt ? 2 : 1, n, gpt);
}

static bool put_fused_down(struct hfmodel *m, const struct match *match, const struct safetensors_tensor *t) {
    char name[HFMODEL_NAME];
    name_of(name, "blk.%.ffn_down_exps", match, ".weight");
    if (!expert_shape(m, t, 3)) return false;
    bool gpt = is_interleaved(m);
    return put_fused(m, name, t, 0, 1, (size_t)t->dims[gpt ? 2 : 1], gpt);
}

/* The same of MXFP4 blocks, which are [out][in] and interleaved. */
static bool put_blocks(struct hfmodel *m, const char *name, const struct safetensors_tensor *t, size_t first,
                       size_t step) {
    struct hfmatrix *all = hfmxfp4_experts(m, t);
    if (!all) return false;
    for (size_t e = 0; e < m->experts; e++) {
        all[e].layout.first = first;
        all[e].layout.step = step;
        all[e].n_rows /= step;
        all[e].bytes /= step;
    }
    struct gguf_tensor *made = hfmodel_tensor(m, name, t->name);
    return made && set_matrices(m, made, all, m->experts);
}

static bool put_expert_blocks(struct hfmodel *m, const struct match *match,
                              const struct safetensors_tensor *t) {
    char gate[HFMODEL_NAME], up[HFMODEL_NAME], down[HFMODEL_NAME];
    name_of(gate, "blk.%.ffn_gate_exps", match, ".weight");
    name_of(up, "blk.%.ffn_up_exps", match, ".weight");
    name_of(down, "blk.%.ffn_down_exps", match, ".weight");
    if (!expert_shape(m, t, 4)) return false;
    if (match->how == EXPERTS_DOWN_BLOCKS) return put_blocks(m, down, t, 0, 1);
    return put_blocks(m, gate, t, 0, 2) && put_blocks(m, up, t, 1, 2);
}

/* Values first, first + step ... of each expert's vector. */
static bool put_expert_bias(struct hfmodel *m, const char *name, const struct safetensors_tensor *t,
                            const float *values, size_t first, size_t step, size_t n) {
    float *picked = arena_alloc(&m->file->arena, m->experts * n, sizeof *picked, m->st);
    if (!picked) return false;
    for (size_t e = 0; e < m->experts; e++)
        for (size_t i = 0; i < n; i++) picked[e * n + i] = values[e * (size_t)t->dims[1] + first + i * step];
    if (!hfmodel_vector(m, name, t->name, m->experts * n, picked)) return false;
    struct gguf_tensor *made = &m->file->tensors[m->file->n_tensors - 1];
    made->n_dims = 2;
    made->dims[0] = n;
    made->dims[1] = m->experts;
    return true;
}

static bool put_biases(struct hfmodel *m, const struct match *match, const struct safetensors_tensor *t) {
    char gate[HFMODEL_NAME], up[HFMODEL_NAME], down[HFMODEL_NAME];
    name_of(gate, "blk.%.ffn_gate_exps", match, ".bias");
    name_of(up, "blk.%.ffn_up_exps", match, ".bias");
    name_of(down, "blk.%.ffn_down_exps", match, ".bias");
    if (!expert_shape(m, t, 2)) return false;
    const float *values = hfmodel_floats(m, t);
    size_t n = (size_t)t->dims[1], step = is_interleaved(m) ? 2 : 1;
    if (!values) return false;
    if (match->how == EXPERTS_DOWN_BIAS) return put_expert_bias(m, down, t, values, 0, 1, n);
    return put_expert_bias(m, gate, t, values, 0, step, n / 2) &&
           put_expert_bias(m, up, t, values, step == 2 ? 1 : n / 2, step, n / 2);
}

/* --- multi-head latent attention -------------------------------------------------------------------------
 */

/* kv_b is for each head [nope rows of k | v rows] over the latent. */
static bool put_kv_b(struct hfmodel *m, const struct match *match, const struct hfmodule *module) {
    char k_name[HFMODEL_NAME], v_name[HFMODEL_NAME];
    struct hfmatrix whole, *k, *v;
    size_t head_rows = m->nope + m->v_dim, rows;
    name_of(k_name, "blk.%.attn_k_b", match, ".weight");
    name_of(v_name, "blk.%.attn_v_b", match, ".weight");
    if (!hfquant_matrix(&whole, m, module)) return false;
    if (!checked_mul(&rows, m->heads, head_rows) || whole.n_rows != rows || whole.n_cols != m->kv_lora)
        return hfmodel_refuse_tensor(
            m, STATUS_BAD_INPUT, module->parts[0],
            "has shape %zu x %zu, but config.json says %zu heads of %zu + %zu over %zu", whole.n_rows,
            whole.n_cols, m->heads, m->nope, m->v_dim, m->kv_lora);
    hfquant_lay(&whole);
    if (whole.layout.kind != LAYOUT_PLAIN)
        return hfmodel_refuse_tensor(m, STATUS_UNSUPPORTED, module->parts[0],
                                     "is quantised in a way that cannot be read by columns");
    k = arena_alloc(&m->file->arena, m->heads, sizeof *k, m->st);
    v = arena_alloc(&m->file->arena, m->heads, sizeof *v, m->st);
    for (size_t h = 0; k && v && h < m->heads; h++) {
        k[h] = v[h] = whole;
        k[h].layout.plain.transposed = true;
        k[h].layout.plain.column = h * head_rows;
        k[h].n_rows = m->kv_lora;
        k[h].n_cols = k[h].layout.n_cols = m->nope;
        v[h].layout.first = h * head_rows + m->nope;
        v[h].n_rows = m->v_dim;
        k[h].bytes = whole.bytes / rows * m->nope;
        v[h].bytes = whole.bytes / rows * m->v_dim;
    }
    struct gguf_tensor *made = k && v ? hfmodel_tensor(m, k_name, module->name) : NULL;
    if (!made || !set_matrices(m, made, k, m->heads)) return false;
    made = hfmodel_tensor(m, v_name, module->name);
    return made && set_matrices(m, made, v, m->heads);
}

/* --- gated delta nets ------------------------------------------------------------------------------------
 */

/* qwen3.5's converter deals the value heads out to the key heads in turn: head j * key_heads + k of the GGUF
 * is head k * share + j here. Next's keeps them. */
static size_t value_head(const struct hfmodel *m, size_t head) {
    size_t share = m->value_heads / m->key_heads;
    if (hfmodel_in(m->family, "qwen3_next")) return head;
    return head % m->key_heads * share + head / m->key_heads;
}

static bool has_delta(struct hfmodel *m, const struct safetensors_tensor *t) {
    return m->key_heads ||
           hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t,
                                 "is of a delta net, but config.json has no linear_num_key_heads");
}

/* [n] which stored row is row i: `before` rows as they are, then value heads of `size` rows in GGUF's order.
 */
static uint32_t *value_rows(struct hfmodel *m, size_t before, size_t size) {
    size_t n = before + m->value_heads * size;
    uint32_t *rows = arena_alloc(&m->file->arena, n, sizeof *rows, m->st);
    for (size_t i = 0; rows && i < n; i++) {
        size_t head = i < before ? 0 : (i - before) / size, at = i < before ? 0 : (i - before) % size;
        rows[i] = (uint32_t)(i < before ? i : before + value_head(m, head) * size + at);
    }
    return rows;
}

static bool put_heads_vector(struct hfmodel *m, const struct match *match,
                             const struct safetensors_tensor *t) {
    char name[HFMODEL_NAME];
    name_of(name, match->to, match, "");
    if (!has_delta(m, t)) return false;
    if (t->n_elements != m->value_heads)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t, "has %zu values for %zu value heads",
                                     t->n_elements, m->value_heads);
    const float *stored = hfmodel_floats(m, t);
    float *values = arena_alloc(&m->file->arena, m->value_heads, sizeof *values, m->st);
    for (size_t i = 0; stored && values && i < m->value_heads; i++) {
        float value = stored[value_head(m, i)];
        values[i] = match->how == DELTA_DECAY ? (float)-exp((double)value) : value;
    }
    return stored && values && hfmodel_vector(m, name, t->name, m->value_heads, values);
}

/* [channels][1][taps]: the channels of q and k, then those of v, head by head. */
static bool put_conv(struct hfmodel *m, const struct match *match, const struct safetensors_tensor *t) {
    char name[HFMODEL_NAME];
    size_t before = 2 * m->key_heads * m->key_dim, n = before + m->value_heads * m->value_dim;
    name_of(name, match->to, match, ".weight");
    if (!has_delta(m, t)) return false;
    if (t->n_dims != 3 || t->dims[0] != n || t->dims[1] != 1)
        return hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, t, "has to be %zu x 1 x taps", n);
    size_t taps = (size_t)t->dims[2];
    const float *stored = hfmodel_floats(m, t);
    const uint32_t *rows = value_rows(m, before, m->value_dim);
    float *values = arena_alloc(&m->file->arena, n * taps, sizeof *values, m->st);
    if (!stored || !rows || !values) return false;
    for (size_t i = 0; i < n; i++) memcpy(values + i * taps, stored + rows[i] * taps, taps * sizeof *values);
    if (!hfmodel_vector(m, name, t->name, n * taps, values)) return false;
    struct gguf_tensor *made = &m->file->tensors[m->file->n_tensors - 1];
    made->n_dims = 2;
    made->dims[0] = taps;
    made->dims[1] = n;
    return true;
}

/* A matrix whose rows are taken in the order of a table. */
static bool put_picked(struct hfmodel *m, const char *name, const struct hfmatrix *matrix, size_t n,
                       const uint32_t *rows) {
    struct hfmatrix picked = *matrix;
    if (!rows) return false;
    hfquant_lay(&picked);
    picked.layout.rows = rows;
    picked.n_rows = n;
    picked.bytes = matrix->bytes / matrix->n_rows * n;
    return put_matrix(m, name, &picked);
}

static bool rows_are(struct hfmodel *m, const struct hfmodule *module, const struct hfmatrix *matrix,
                     size_t n) {
    return matrix->n_rows == n ||
           hfmodel_refuse_tensor(m, STATUS_BAD_INPUT, module->parts[0],
                                 "has %zu rows, but the sizes of config.json give %zu", matrix->n_rows, n);
}

/* qwen3-next: for each key head [q | k | its v | its z]; GGUF has q, k, v one behind the other, and z. */
static bool put_qkvz(struct hfmodel *m, const struct match *match, const struct hfmodule *module) {
    struct hfmatrix matrix;
    char qkv_name[HFMODEL_NAME], z_name[HFMODEL_NAME];
    name_of(qkv_name, "blk.%.attn_qkv", match, ".weight");
    name_of(z_name, "blk.%.attn_gate", match, ".weight");
    if (!has_delta(m, module->parts[0]) || !hfquant_matrix(&matrix, m, module)) return false;
    size_t k = m->key_dim, v = m->value_heads / m->key_heads * m->value_dim, group = 2 * k + 2 * v;
    size_t q_rows = m->key_heads * k, v_rows = m->key_heads * v;
    if (!rows_are(m, module, &matrix, m->key_heads * group)) return false;
    uint32_t *qkv = arena_alloc(&m->file->arena, 2 * q_rows + v_rows, sizeof *qkv, m->st);
    uint32_t *z = arena_alloc(&m->file->arena, v_rows, sizeof *z, m->st);
    if (!qkv || !z) return false;
    for (size_t i = 0; i < q_rows; i++) qkv[i] = (uint32_t)(i / k * group + i % k);
    for (size_t i = 0; i < q_rows; i++) qkv[q_rows + i] = (uint32_t)(i / k * group + k + i % k);
    for (size_t i = 0; i < v_rows; i++) qkv[2 * q_rows + i] = (uint32_t)(i / v * group + 2 * k + i % v);
    for (size_t i = 0; i < v_rows; i++) z[i] = (uint32_t)(i / v * group + 2 * k + v + i % v);
    return put_picked(m, qkv_name, &matrix, 2 * q_rows + v_rows, qkv) &&
           put_picked(m, z_name, &matrix, v_rows, z);
}

static bool put_qkv(struct hfmodel *m, const struct match *match, const struct hfmodule *module) {
    struct hfmatrix matrix;
    char name[HFMODEL_NAME];
    name_of(name, match->to, match, ".weight");
    if (!has_delta(m, module->parts[0]) || !hfquant_matrix(&matrix, m, module)) return false;
    size_t before = 2 * m->key_heads * m->key_dim, n = before + m->value_heads * m->value_dim;
    return rows_are(m, module, &matrix, n) &&
           put_picked(m, name, &matrix, n, value_rows(m, before, m->value_dim));
}

/* z has value_dim rows a head, a and b have one. */
static bool put_value_heads(struct hfmodel *m, const struct match *match, const struct hfmodule *module) {
    struct hfmatrix matrix;
    char name[HFMODEL_NAME];
    name_of(name, match->to, match, ".weight");
    if (!has_delta(m, module->parts[0]) || !hfquant_matrix(&matrix, m, module)) return false;
    size_t size = matrix.n_rows == m->value_heads ? 1 : m->value_dim, n = m->value_heads * size;
    return rows_are(m, module, &matrix, n) && put_picked(m, name, &matrix, n, value_rows(m, 0, size));
}

/* The columns of the output projection are value heads too. */
static bool put_delta_out(struct hfmodel *m, const struct match *match, const struct hfmodule *module) {
    struct hfmatrix matrix;
    char name[HFMODEL_NAME];
    name_of(name, match->to, match, ".weight");
    if (!has_delta(m, module->parts[0]) || !hfquant_matrix(&matrix, m, module)) return false;
    hfquant_lay(&matrix);
    if (matrix.layout.kind != LAYOUT_PLAIN || matrix.n_cols != m->value_heads * m->value_dim)
        return hfmodel_refuse_tensor(
            m, STATUS_UNSUPPORTED, module->parts[0],
            "cannot be read head by head: it is quantised, or its columns are not the %zu "
            "value heads of %zu",
            m->value_heads, m->value_dim);
    matrix.layout.plain.columns = value_rows(m, 0, m->value_dim);
    return matrix.layout.plain.columns && put_matrix(m, name, &matrix);
}

/* --- one module, one tensor ------------------------------------------------------------------------------
 */

/* Old AutoGPTQ stores zeros for layers that have no bias. */
static bool is_spare(const struct hfmodel *m, const struct hfmodule *module,
                     const struct safetensors_tensor *bias) {
    const char *bytes = bias->data;
    bool zero = m->quant.method == HFQUANT_GPTQ && hfmodel_part(module, "qweight");
    for (size_t i = 0; zero && i < bias->bytes; i++) zero = bytes[i] == 0;
    return zero && hfmodel_in(m->family, "llama mistral mixtral");
}

/* EXL2 pads it as it pads the outputs. */
static bool put_bias(struct hfmodel *m, const struct match *match, const struct hfmodule *module) {
    const struct safetensors_tensor *bias = hfmodel_part(module, "bias");
    size_t n = hfquant_sizes(m, module->name).out;
    char name[HFMODEL_NAME];
    name_of(name, match->to, match, ".bias");
    if (!bias || is_spare(m, module, bias)) return true;
    if (!put_floats(m, name, bias, 0)) return false;
    struct gguf_tensor *made = &m->file->tensors[m->file->n_tensors - 1];
    if (hfmodel_part(module, "q_weight") && n && n < made->dims[0]) made->dims[0] = n;
    return true;
}

static bool put_module(struct hfmodel *m, const struct match *match, const struct hfmodule *module) {
    const struct safetensors_tensor *weight = hfmodel_part(module, "weight");
    struct hfmatrix matrix;
    char name[HFMODEL_NAME];
    name_of(name, match->to, match, ".weight");
    if (weight && weight->n_dims == 1) {
        float plus = match->how == NORM && counts_from_zero(m) ? 1.0F : 0.0F;
        if (!put_floats(m, name, weight, plus)) return false;
    } else if (module->n_parts > 1 || !hfmodel_part(module, "bias")) {
        if (!hfquant_matrix(&matrix, m, module) || !put_matrix(m, name, &matrix)) return false;
    }
    return put_bias(m, match, module);
}

static bool put(struct naming *n, const struct match *match, const struct hfmodule *module) {
    struct hfmodel *m = n->m;
    const struct safetensors_tensor *first = module->parts[0];
    char name[HFMODEL_NAME];
    switch (match->how) {
    case SKIP: return true;
    case MATRIX:
    case NORM: return put_module(m, match, module);
    case EXPERT: return put_expert(n, match, module);
    case KV_B: return put_kv_b(m, match, module);
    case EXPERTS_GATE_UP: return put_fused_gate_up(m, match, first);
    case EXPERTS_DOWN: return put_fused_down(m, match, first);
    case EXPERTS_GATE_UP_BIAS:
    case EXPERTS_DOWN_BIAS: return put_biases(m, match, first);
    case EXPERTS_GATE_UP_BLOCKS:
    case EXPERTS_DOWN_BLOCKS: return put_expert_blocks(m, match, first);
    case DELTA_DECAY:
    case DELTA_BIAS: return put_heads_vector(m, match, first);
    case DELTA_CONV: return put_conv(m, match, first);
    case DELTA_QKVZ: return put_qkvz(m, match, module);
    case DELTA_QKV: return put_qkv(m, match, module);
    case DELTA_HEADS: return put_value_heads(m, match, module);
    case DELTA_OUT: return put_delta_out(m, match, module);
    case WHOLE: name_of(name, match->to, match, ""); return put_floats(m, name, first, 0);
    }
    return false;
}

/* --- all of them ---------------------------------------------------------------------------------------- */

/* Endings that make a tensor a part of a module. */
static bool is_part(struct view ending) {
    return hfmodel_in(
        ending,
        "weight bias qweight qzeros scales g_idx q_weight q_scale q_scale_max q_groups q_invperm q_perm "
        "weight_packed weight_scale weight_scale_inv weight_shape weight_zero_point weight_g_idx "
        "weight_global_scale input_global_scale input_scale activation_scale output_scale k_scale v_scale "
        "SCB");
}

/* The module of a tensor: its name up to the last dot, when what follows is a part. */
static struct view module_name(struct view name) {
    size_t dot = name.n;
    while (dot > 0 && name.at[dot - 1] != '.') dot--;
    struct view ending = {name.at + dot, name.n - dot};
    return dot > 1 && is_part(ending) ? (struct view){name.at, dot - 1} : name;
}

/* Tensors [first, ...) of one module; names are sorted, so they are neighbours but for names that go on. */
static size_t take_module(struct hfmodule *out, const struct hfdir *dir, size_t first) {
    size_t end = first + 1;
    out->name = module_name(dir->tensors[first]->name);
    while (end < dir->n_tensors && view_equal(module_name(dir->tensors[end]->name), out->name)) end++;
    out->parts = &dir->tensors[first];
    out->n_parts = end - first;
    return end;
}

static bool name_module(struct naming *n, const struct hfmodule *module) {
    struct hfmodel *m = n->m;
    struct match match = {0};
    char plain[256];
    struct view name = without_wrapper(plain, sizeof plain, module->name);
    if (!find_name(&match, m, name))
        return hfmodel_refuse_tensor(
            m, STATUS_UNSUPPORTED, module->parts[0],
            "is no part of a %.*s model that this build knows; leaving it out would give "
            "wrong text",
            (int)m->family.n, m->family.at);
    bool extra = view_starts(name, "model.layers.") && match.layer >= m->layers &&
                 match.layer < m->layers + n->extra_layers;
    if (extra || (m->tied && view_is(name, "lm_head"))) return true;
    return put(n, &match, module);
}

bool hfmodel_tensors(struct hfmodel *m) {
    struct naming n = {.m = m};
    struct hfmodule module;
    bool ok =
        jsonin_size(&n.extra_layers, &m->dir->config.doc, m->text, "num_nextn_predict_layers", 0, m->st);
    for (size_t i = 0; ok && i < m->dir->n_tensors;) {
        i = take_module(&module, m->dir, i);
        ok = name_module(&n, &module);
    }
    ok = ok && finish_experts(&n);
    free(n.gathered);
    return ok;
}
