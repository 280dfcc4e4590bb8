#include "engine/model/builder.h"

#include "engine/model/rotary.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 }; /* ggml's limit for tensor names, NUL included */

void builder_begin(struct builder *b, struct arena *arena, const struct gguf *file, const char *arch,
                   struct status *st) {
    *b = (struct builder){.arena = arena, .file = file, .arch = arch, .st = st, .layer = PROGRAM_NONE};
    b->used = arena_alloc(arena, gguf_n_tensors(file), sizeof *b->used, st);
    b->failed = !b->used;
}

bool builder_fail(struct builder *b, enum status_code code, const char *format, ...) {
    if (b->failed) return false;
    b->failed = true;
    char what[360];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return status_fail(b->st, code, "%.120s: %s", gguf_path(b->file), what);
}

/* "FILE: tensor NAME ...", the file being the part of a split model that holds it. */
static bool refuse(struct builder *b, const struct gguf_tensor *t, enum status_code code, const char *format,
                   ...) STATUS_PRINTF(4, 5);
static bool refuse(struct builder *b, const struct gguf_tensor *t, enum status_code code, const char *format,
                   ...) {
    if (b->failed) return false;
    b->failed = true;
    char what[300], shown[VIEW_SHOWN];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return status_fail(b->st, code, "%.120s: tensor %s %s", gguf_tensor_path(b->file, t),
                       view_shown(shown, t->name), what);
}

void builder_layer(struct builder *b, size_t layer) { b->layer = (int)layer; }

/* Room for one more item; the lists double inside the arena, which costs at most twice their size. */
static void *list_add(struct builder *b, struct builder_list *list, size_t size) {
    if (b->failed) return NULL;
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 32;
        void *at = arena_alloc(b->arena, room, size, b->st);
        if (!at) {
            b->failed = true;
            return NULL;
        }
        if (list->n) memcpy(at, list->at, list->n * size);
        list->at = at;
        list->room = room;
    }
    return (char *)list->at + size * list->n++;
}

int builder_buffer(struct builder *b, size_t width) {
    size_t *slot = list_add(b, &b->widths, sizeof *slot);
    if (!slot) return PROGRAM_NONE;
    *slot = width;
    return (int)b->widths.n - 1;
}

/* --- tensors ------------------------------------------------------------------------------------------- */

static void shape_text(char *out, size_t room, const struct gguf_tensor *t) {
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < t->n_dims && i < 4 && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%llu", i ? " x " : "",
                                 (unsigned long long)t->dims[i]);
}

/* ggml writes the contiguous dimension first, and so do we in messages. */
static bool shape_is(struct builder *b, const struct gguf_tensor *t, size_t n_cols, size_t n_rows) {
    if (t->dims[0] == n_cols && t->dims[1] == n_rows && t->dims[2] == 1 && t->dims[3] == 1) return true;
    char has[96];
    shape_text(has, sizeof has, t);
    if (n_rows == 1)
        return refuse(b, t, STATUS_BAD_INPUT, "has shape %s, but the metadata says %zu", has, n_cols);
    return refuse(b, t, STATUS_BAD_INPUT, "has shape %s, but the metadata says %zu x %zu", has, n_cols,
                  n_rows);
}

/* Kernels read halves and floats in place. */
static bool is_aligned(struct builder *b, const struct gguf_tensor *t) {
    if (t->layout) return true;
    size_t need = t->type == DTYPE_F32 ? _Alignof(float) : _Alignof(uint16_t);
    return (uintptr_t)t->data % need == 0 ||
           refuse(b, t, STATUS_BAD_INPUT, "starts at byte %zu, which is no multiple of %zu", t->offset, need);
}

static const struct gguf_tensor *tensor(struct builder *b, const char *name, size_t n_cols, size_t n_rows) {
    if (b->failed) return NULL;
    const struct gguf_tensor *t = gguf_find_tensor(b->file, name);
    if (!t) {
        builder_fail(b, STATUS_BAD_INPUT, "tensor %s is missing; the file is cut or not of this architecture",
                     name);
        return NULL;
    }
    if (!shape_is(b, t, n_cols, n_rows) || !is_aligned(b, t)) return NULL;
    b->used[t - gguf_tensor_at(b->file, 0)] = true;
    return t;
}

static bool is_f32(struct builder *b, const struct gguf_tensor *t) {
    return t->type == DTYPE_F32 ||
           refuse(b, t, STATUS_UNSUPPORTED, "is %s; it has to be F32", dtype_info(t->type)->name);
}

static int add_weight(struct builder *b, const struct gguf_tensor *t, size_t n_rows, size_t n_cols) {
    char *name = arena_copy(b->arena, t->name.at, t->name.n, b->st);
    if (!name) b->failed = true;
    struct weight *slot = list_add(b, &b->weights, sizeof *slot);
    if (!slot) return PROGRAM_NONE;
    *slot = (struct weight){.name = name,
                            .type = (enum dtype)t->type,
                            .n_rows = n_rows,
                            .n_cols = n_cols,
                            .data = t->data,
                            .slices = t->slices,
                            .layout = t->layout};
    return (int)b->weights.n - 1;
}

int builder_matrix(struct builder *b, size_t n_rows, size_t n_cols, const char *format, ...) {
    char name[NAME_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    const struct gguf_tensor *t = tensor(b, name, n_cols, n_rows);
    return t ? add_weight(b, t, n_rows, n_cols) : PROGRAM_NONE;
}

int builder_vector(struct builder *b, size_t n, const char *format, ...) {
    char name[NAME_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    const struct gguf_tensor *t = tensor(b, name, n, 1);
    return t && is_f32(b, t) ? add_weight(b, t, 1, n) : PROGRAM_NONE;
}

const float *builder_values(struct builder *b, size_t n, const char *name) {
    if (b->failed || !gguf_find_tensor(b->file, name)) return NULL;
    const struct gguf_tensor *t = tensor(b, name, n, 1);
    return t && is_f32(b, t) ? t->data : NULL;
}

size_t builder_n_vocab(struct builder *b) {
    const struct gguf_tensor *t = b->failed ? NULL : gguf_find_tensor(b->file, "token_embd.weight");
    if (!t) {
        builder_fail(b, STATUS_BAD_INPUT, "tensor token_embd.weight is missing; this is no language model");
        return 0;
    }
    if (t->dims[1] > INT32_MAX)
        refuse(b, t, STATUS_BAD_INPUT, "has %llu rows; ids are 32 bits", (unsigned long long)t->dims[1]);
    return (size_t)t->dims[1];
}

void builder_rope_tables(struct builder *b, size_t context, const struct rotary *rotary) {
    struct program *p = &b->program;
    if (b->failed) return;
    p->context = context;
    p->rope_dims = rotary->dims;
    b->failed = !rotary_open(&p->rotary, b->arena, context, rotary, b->st);
    if (b->failed) return;
    p->rope_cos = p->rotary->cos;
    p->rope_sin = p->rotary->sin;
}

/* --- steps --------------------------------------------------------------------------------------------- */

/* A step without operands; they all say PROGRAM_NONE. A failed builder hands out one that goes nowhere. */
static struct step *add_step(struct builder *b, enum op_code op, struct step *nowhere) {
    struct step *step = list_add(b, &b->steps, sizeof *step);
    if (!step) step = nowhere;
    *step = (struct step){.op = op, .layer = b->layer};
    for (int i = 0; i < PROGRAM_MAX_OPERANDS; i++)
        step->in[i] = step->out[i] = step->weight[i] = PROGRAM_NONE;
    return step;
}

void builder_embed(struct builder *b, int table, int out) {
    struct step nowhere, *s = add_step(b, OP_embed, &nowhere);
    s->weight[0] = table;
    s->out[0] = out;
}

void builder_rms_norm(struct builder *b, int in, int weight, float eps, int out) {
    struct step nowhere, *s = add_step(b, OP_rms_norm, &nowhere);
    s->in[0] = in;
    s->weight[0] = weight;
    s->eps = eps;
    s->out[0] = out;
}

void builder_linear(struct builder *b, int in, int n, const int *weights, const int *outs) {
    struct step nowhere, *s = add_step(b, OP_linear, &nowhere);
    s->in[0] = in;
    s->n = n;
    for (int i = 0; i < n && i < PROGRAM_MAX_OPERANDS; i++) {
        s->weight[i] = weights[i];
        s->out[i] = outs[i];
    }
}

void builder_rope(struct builder *b, int q, int k, enum rope_pairs pairs) {
    struct step nowhere, *s = add_step(b, OP_rope, &nowhere);
    s->out[0] = q;
    s->out[1] = k;
    s->pairs = pairs;
}

void builder_kv_store(struct builder *b, int k, int v) {
    struct step nowhere, *s = add_step(b, OP_kv_store, &nowhere);
    s->in[0] = k;
    s->in[1] = v;
}

void builder_attention(struct builder *b, int q, float scale, int out) {
    struct step nowhere, *s = add_step(b, OP_attention, &nowhere);
    s->in[0] = q;
    s->scale = scale;
    s->out[0] = out;
}

void builder_swiglu(struct builder *b, int gate, int up, int out) {
    struct step nowhere, *s = add_step(b, OP_swiglu, &nowhere);
    s->in[0] = gate;
    s->in[1] = up;
    s->out[0] = out;
}

void builder_add(struct builder *b, int y, int x) {
    struct step nowhere, *s = add_step(b, OP_add, &nowhere);
    s->in[0] = y;
    s->out[0] = x;
}

void builder_select(struct builder *b, int in, int out) {
    struct step nowhere, *s = add_step(b, OP_select, &nowhere);
    s->in[0] = in;
    s->out[0] = out;
}

/* --- the end ------------------------------------------------------------------------------------------- */

/* A tensor that nothing asked for is a part of the model that we would leave out without a word: a bias, a
 * second norm, more blocks than block_count says. */
static bool all_used(struct builder *b) {
    for (size_t i = 0; i < gguf_n_tensors(b->file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(b->file, i);
        if (!b->used[i])
            return refuse(b, t, STATUS_UNSUPPORTED,
                          "(at byte %zu) is no part of the %s model that the metadata describes; leaving it "
                          "out would give wrong text",
                          t->offset, b->arch);
    }
    return true;
}

bool builder_finish(struct program *out, struct builder *b) {
    if (b->failed || !all_used(b)) return false;
    struct program *p = &b->program;
    p->weights = b->weights.at;
    p->n_weights = (int)b->weights.n;
    p->steps = b->steps.at;
    p->n_steps = (int)b->steps.n;
    p->widths = b->widths.at;
    p->n_buffers = (int)b->widths.n;
    if (!program_check(p, b->st)) return false;
    *out = *p;
    return true;
}
