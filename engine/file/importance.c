#include "engine/file/importance.h"

#include "base/arena.h"
#include "base/file.h"
#include "engine/file/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct view name; /* of the weight */
    const float *values;
    size_t n; /* values in all */
};

struct importance {
    struct arena arena;
    const char *path;
    struct entry *entries;
    size_t n;
};

static bool keep(struct importance *m, struct view name, const float *values, size_t n, struct status *st) {
    struct entry *e = &m->entries[m->n];
    e->name = (struct view){arena_copy(&m->arena, name.at, name.n, st), name.n};
    e->values = values;
    e->n = n;
    if (!e->name.at) return false;
    for (size_t i = 0; i < n; i++) {
        char shown[VIEW_SHOWN];
        if (!(values[i] >= 0) || isinf(values[i]))
            return status_fail(st, STATUS_BAD_INPUT, "%.120s: '%s': value %zu is no number, or negative",
                               m->path, view_shown(shown, name), i);
    }
    m->n++;
    return true;
}

/* --- as GGUF: NAME.in_sum2, sums of squares, and NAME.counts, of how many tokens --- */

static const char sums[] = ".in_sum2";

static bool read_counts(float *counts, const struct gguf *file, struct view weight, size_t n_matrices,
                        struct status *st) {
    struct gguf_tensor t;
    struct str name = {0};
    str_printf(&name, "%.*s.counts", (int)weight.n, weight.at);
    bool ok = str_ok(&name, st) && checkpoint_find(&t, file, str_c(&name), st);
    size_t n = ok ? (size_t)(t.dims[0] * t.dims[1] * t.dims[2] * t.dims[3]) : 0;
    if (ok && (t.type != DTYPE_F32 || n != n_matrices))
        ok = status_fail(st, STATUS_BAD_INPUT, "%.120s: '%.80s' has %zu values for %zu matrices",
                         gguf_path(file), str_c(&name), n, n_matrices);
    if (ok) memcpy(counts, t.data, n * sizeof *counts);
    str_free(&name);
    return ok;
}

static bool read_tensor(struct importance *m, const struct gguf *file, const struct gguf_tensor *t,
                        struct status *st) {
    struct view weight = {t->name.at, t->name.n - (sizeof sums - 1)};
    size_t n_cols = (size_t)t->dims[0], n_matrices = (size_t)(t->dims[1] * t->dims[2] * t->dims[3]);
    if (t->type != DTYPE_F32)
        return status_fail(st, STATUS_BAD_INPUT, "%.120s: byte %zu: an importance matrix is F32",
                           gguf_path(file), t->offset);
    float *values = arena_alloc(&m->arena, n_cols * n_matrices, sizeof *values, st); /* the file holds them */
    float *counts = values ? arena_alloc(&m->arena, n_matrices, sizeof *counts, st) : NULL;
    if (!counts || !read_counts(counts, file, weight, n_matrices, st)) return false;
    memcpy(values, t->data, n_cols * n_matrices * sizeof *values);
    for (size_t k = 0; k < n_matrices; k++) {
        for (size_t i = 0; i < n_cols; i++) {
            float *at = &values[k * n_cols + i];
            *at =
                counts[k] > 0 ? *at / counts[k] : 1; /* an expert that no token came to: all columns alike */
        }
    }
    return keep(m, weight, values, n_cols * n_matrices, st);
}

static bool read_gguf(struct importance *m, const char *path, struct status *st) {
    struct gguf *file = NULL;
    if (!gguf_open(&file, path, st)) return false;
    m->entries = calloc(gguf_n_tensors(file) + 1, sizeof *m->entries);
    bool ok = m->entries || status_fail(st, STATUS_NO_MEMORY, "out of memory for an importance matrix");
    for (size_t i = 0; ok && i < gguf_n_tensors(file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(file, i);
        if (view_ends(t->name, sums)) ok = read_tensor(m, file, t, st);
    }
    gguf_close(file);
    return ok;
}

/* --- the older form: a count, then for each weight its name, calls, a count and values --- */

struct bytes {
    const unsigned char *start, *at;
    size_t left;
};

static bool take(void *out, struct bytes *b, size_t n) {
    if (b->left < n) return false;
    memcpy(out, b->at, n);
    b->at += n;
    b->left -= n;
    return true;
}

static bool take_count(size_t *out, struct bytes *b, size_t size) {
    int32_t n;
    if (!take(&n, b, 4) || n < 0 || (size_t)n > b->left / size) return false;
    *out = (size_t)n;
    return true;
}

static bool read_entry(struct importance *m, struct bytes *b, struct status *st) {
    size_t n_name, n;
    int32_t calls;
    struct bytes before = *b;
    bool ok = take_count(&n_name, b, 1);
    struct view name = {(const char *)b->at, ok ? n_name : 0};
    if (ok) b->at += n_name, b->left -= n_name;
    ok = ok && take(&calls, b, 4) && take_count(&n, b, sizeof(float)) && n > 0;
    if (!ok)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.120s: byte %td: an importance matrix is cut here, or damaged", m->path,
                           before.at - before.start);
    float *values = arena_alloc(&m->arena, n, sizeof *values, st);
    if (!values || !take(values, b, n * sizeof *values)) return false;
    for (size_t i = 0; calls > 0 && i < n; i++) values[i] /= (float)calls;
    return keep(m, name, values, n, st);
}

static bool read_old(struct importance *m, struct bytes b, struct status *st) {
    size_t n;
    if (!take_count(&n, &b, 12) || n == 0)
        return status_fail(st, STATUS_BAD_INPUT, "%.120s: byte 0: this is no importance matrix", m->path);
    m->entries = calloc(n, sizeof *m->entries);
    if (!m->entries) return status_fail(st, STATUS_NO_MEMORY, "out of memory for an importance matrix");
    for (size_t i = 0; i < n; i++)
        if (!read_entry(m, &b, st)) return false;
    return true;
}

/* --- either --------------------------------------------------------------------------------------------- */

bool importance_open(struct importance **out, const char *path, struct status *st) {
    struct mapping map;
    *out = NULL;
    if (!mapping_open(&map, path, st)) return false;
    struct importance *m = calloc(1, sizeof *m);
    bool ok = m || status_fail(st, STATUS_NO_MEMORY, "out of memory for an importance matrix");
    if (ok) m->path = path;
    bool gguf = map.n >= 4 && memcmp(map.at, "GGUF", 4) == 0;
    ok = ok && (gguf ? read_gguf(m, path, st) : read_old(m, (struct bytes){map.at, map.at, map.n}, st));
    mapping_close(&map);
    if (ok && m->n == 0)
        ok = status_fail(st, STATUS_BAD_INPUT, "%.200s: it has no values of any weight (NAME.in_sum2)", path);
    if (ok) *out = m;
    else importance_close(m);
    return ok;
}

void importance_close(struct importance *m) {
    if (!m) return;
    arena_release(&m->arena);
    free(m->entries);
    free(m);
}

bool importance_find(const float **out, const struct importance *m, struct view name, size_t n_cols,
                     size_t n_matrices, struct status *st) {
    *out = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const struct entry *e = &m->entries[i];
        char shown[VIEW_SHOWN];
        if (!view_equal(e->name, name)) continue;
        *out = e->values;
        return e->n == n_cols * n_matrices ||
               status_fail(
                   st, STATUS_BAD_INPUT,
                   "%.120s: '%s' has %zu values, and the weight %zu matrices of %zu columns: it is another "
                   "model's",
                   m->path, view_shown(shown, name), e->n, n_matrices, n_cols);
    }
    return true;
}

size_t importance_count(const struct importance *m) { return m->n; }
