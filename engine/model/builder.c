#include "engine/model/builder.h"

#include "engine/file/checkpoint.h"
#include "engine/model/earlyselect.h"
#include "engine/model/rotary.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 }; /* ggml's limit for tensor names, NUL included */

void builder_begin(struct builder *b, struct arena *arena, const struct gguf *file, const char *arch,
                   struct status *st) {
    *b = (struct builder){.arena = arena, .file = file, .arch = arch, .st = st};
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

int builder_cache(struct builder *b, size_t n_heads, size_t key_dim, size_t value_dim) {
    struct program_cache *slot = list_add(b, &b->caches, sizeof *slot);
    if (!slot) return PROGRAM_NONE;
    *slot = (struct program_cache){n_heads, key_dim, value_dim};
    return (int)b->caches.n - 1;
}

int builder_state(struct builder *b, size_t n) {
    size_t *slot = list_add(b, &b->states, sizeof *slot);
    if (!slot) return PROGRAM_NONE;
    *slot = n;
    return (int)b->states.n - 1;
}

int builder_rope_table(struct builder *b, size_t context, const struct rotary *rotary,
                       const struct rotary *extended) {
    const struct rotary *rules[] = {rotary, extended ? extended : rotary};
    struct program_rope *slot = list_add(b, &b->ropes, sizeof *slot);
    if (!slot) return PROGRAM_NONE;
    *slot = (struct program_rope){.dims = rotary->dims};
    for (int i = 0; i < 2; i++) {
        struct rotary_tables *tables = slot->rotary[0];
        if (i == 0 || extended) b->failed |= !rotary_open(&tables, b->arena, context, rules[i], b->st);
        if (b->failed) return PROGRAM_NONE;
        slot->rotary[i] = tables;
        slot->cos[i] = tables->cos;
        slot->sin[i] = tables->sin;
    }
    return (int)b->ropes.n - 1;
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
static bool shape_is(struct builder *b, const struct gguf_tensor *t, size_t n_cols, size_t n_rows, size_t n) {
    if (t->dims[0] == n_cols && t->dims[1] == n_rows && t->dims[2] == n && t->dims[3] == 1) return true;
    char has[96];
    shape_text(has, sizeof has, t);
    if (n > 1)
        return refuse(b, t, STATUS_BAD_INPUT, "has shape %s, but the metadata says %zu x %zu x %zu", has,
                      n_cols, n_rows, n);
    if (n_rows == 1)
        return refuse(b, t, STATUS_BAD_INPUT, "has shape %s, but the metadata says %zu", has, n_cols);
    return refuse(b, t, STATUS_BAD_INPUT, "has shape %s, but the metadata says %zu x %zu", has, n_cols,
                  n_rows);
}

/* Kernels read halves and floats in place. */
static bool is_aligned(struct builder *b, const struct gguf_tensor *t) {
    if (t->layout || t->slices) return true;
    size_t need = t->type == DTYPE_F32 ? _Alignof(float) : _Alignof(uint16_t);
    return (uintptr_t)t->data % need == 0 ||
           refuse(b, t, STATUS_BAD_INPUT, "starts at byte %zu, which is no multiple of %zu", t->offset, need);
}

static const struct gguf_tensor *tensor(struct builder *b, const char *name, size_t n_cols, size_t n_rows,
                                        size_t n) {
    if (b->failed) return NULL;
    const struct gguf_tensor *t = gguf_find_tensor(b->file, name);
    if (!t) {
        builder_fail(b, STATUS_BAD_INPUT, "tensor %s is missing; the file is cut or not of this architecture",
                     name);
        return NULL;
    }
    if (!shape_is(b, t, n_cols, n_rows, n) || !is_aligned(b, t)) return NULL;
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
                            .layout = t->layout,
                            .mapped = gguf_is_mapped(b->file, t->layout   ? t->layout->data
                                                              : t->slices ? t->slices[0]
                                                                          : t->data)};
    return (int)b->weights.n - 1;
}

#define NAME_OF(name, format)                                                                                \
    char name[NAME_SIZE];                                                                                    \
    do {                                                                                                     \
        va_list args;                                                                                        \
        va_start(args, format);                                                                              \
        vsnprintf(name, sizeof name, format, args);                                                          \
        va_end(args);                                                                                        \
    } while (0)

int builder_matrix(struct builder *b, size_t n_rows, size_t n_cols, const char *format, ...) {
    NAME_OF(name, format);
    const struct gguf_tensor *t = tensor(b, name, n_cols, n_rows, 1);
    return t ? add_weight(b, t, n_rows, n_cols) : PROGRAM_NONE;
}

static int vector(struct builder *b, size_t n, const char *name) {
    const struct gguf_tensor *t = tensor(b, name, n, 1, 1);
    return t && is_f32(b, t) ? add_weight(b, t, 1, n) : PROGRAM_NONE;
}

int builder_vector(struct builder *b, size_t n, const char *format, ...) {
    NAME_OF(name, format);
    return vector(b, n, name);
}

int builder_optional(struct builder *b, size_t n, const char *format, ...) {
    NAME_OF(name, format);
    return !b->failed && gguf_find_tensor(b->file, name) ? vector(b, n, name) : PROGRAM_NONE;
}

bool builder_has(struct builder *b, const char *format, ...) {
    NAME_OF(name, format);
    return !b->failed && gguf_find_tensor(b->file, name);
}

int builder_matrices(struct builder *b, size_t n, size_t n_rows, size_t n_cols, const char *format, ...) {
    NAME_OF(name, format);
    const struct gguf_tensor *t = tensor(b, name, n_cols, n_rows, n);
    int index = t ? add_weight(b, t, n_rows, n_cols) : PROGRAM_NONE;
    if (index >= 0) ((struct weight *)b->weights.at)[index].n_experts = n;
    return index;
}

/* The weight's rows from `first` on, where they lie. */
static bool move_to(struct builder *b, struct weight *w, size_t first) {
    if (!w->layout) {
        w->data = (const char *)w->data + first * dtype_row_bytes(w->type, w->n_cols);
        return true;
    }
    struct layout *part = arena_alloc(b->arena, 1, sizeof *part, b->st);
    if (!part) return !(b->failed = true);
    *part = *w->layout;
    if (part->rows) part->rows += first;
    else part->first += first * part->step;
    w->layout = part;
    return true;
}

int builder_part(struct builder *b, size_t first, size_t n_rows, size_t all, size_t n_cols,
                 const char *format, ...) {
    NAME_OF(name, format);
    const struct gguf_tensor *t = tensor(b, name, n_cols, all, 1);
    int index = t ? add_weight(b, t, n_rows, n_cols) : PROGRAM_NONE;
    if (index < 0 || !move_to(b, &((struct weight *)b->weights.at)[index], first)) return PROGRAM_NONE;
    return index;
}

void builder_skip_layer(struct builder *b, size_t layer) {
    char prefix[NAME_SIZE];
    int n = snprintf(prefix, sizeof prefix, "blk.%zu.", layer);
    for (size_t i = 0; !b->failed && i < gguf_n_tensors(b->file); i++) {
        struct view name = gguf_tensor_at(b->file, i)->name;
        if (name.n > (size_t)n && memcmp(name.at, prefix, (size_t)n) == 0) b->used[i] = true;
    }
}

const float *builder_values(struct builder *b, size_t n, const char *name) {
    if (b->failed || !gguf_find_tensor(b->file, name)) return NULL;
    const struct gguf_tensor *t = tensor(b, name, n, 1, 1);
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

struct step *builder_step(struct builder *b, enum op_code op) {
    struct step *step = list_add(b, &b->steps, sizeof *step);
    if (!step) step = &b->nowhere;
    *step = (struct step){.op = op, .cache = PROGRAM_NONE, .state = PROGRAM_NONE, .rope = PROGRAM_NONE};
    for (int i = 0; i < PROGRAM_MAX_OPERANDS; i++) {
        step->in[i] = step->out[i] = step->weight[i] = PROGRAM_NONE;
        step->heads[i] = 1;
    }
    return step;
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
    earlyselect(b);
    if (b->failed) return false;
    struct program *p = &b->program;
    p->weights = b->weights.at;
    p->n_weights = (int)b->weights.n;
    p->steps = b->steps.at;
    p->n_steps = (int)b->steps.n;
    p->widths = b->widths.at;
    p->n_buffers = (int)b->widths.n;
    p->ropes = b->ropes.at;
    p->n_ropes = (int)b->ropes.n;
    p->caches = b->caches.at;
    p->n_caches = (int)b->caches.n;
    p->states = b->states.at;
    p->n_states = (int)b->states.n;
    if (!program_check(p, b->st)) return false;
    *out = *p;
    return true;
}
