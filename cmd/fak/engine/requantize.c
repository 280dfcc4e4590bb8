/* fak quantize: a model's weights in fewer bits. */
#include "base/file.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/shown.h"
#include "engine/backend/pool.h"
#include "engine/file/checkpoint.h"
#include "engine/file/ggufwrite.h"
#include "engine/file/importance.h"
#include "engine/file/mixture.h"
#include "engine/tensor/quantize_row.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct requantize {
    const struct cli_args *args;
    const char *from, *to;
    const struct mixture *mixture;
    struct mixture_model model;
    struct gguf *file;
    struct importance *importance; /* or NULL */
    struct pool *pool;
    struct ggufwrite *out;
    size_t bytes_in, bytes_out, n_fallback;
};

/* --- a tensor ------------------------------------------------------------------------------------------- */

/* Rows of one tensor, for all threads. A thread has a row of f32 to itself. */
struct job {
    const struct gguf_tensor *tensor;
    enum dtype type;
    size_t first, n_rows, n_cols, row_bytes, rows_per_matrix;
    const float *importance; /* [matrices][n_cols], or NULL */
    float *values;           /* [threads][n_cols] */
    uint8_t *out;
    _Atomic(size_t) bad; /* a row that holds what is no number, or SIZE_MAX */
};

static void quantise_one(struct job *j, float *values, size_t i) {
    size_t row = j->first + i;
    if (!checkpoint_row(values, j->tensor, row, NULL)) {
        atomic_store(&j->bad, row);
        return;
    }
    for (size_t k = 0; k < j->n_cols; k++)
        if (!isfinite(values[k])) atomic_store(&j->bad, row);
    if (atomic_load(&j->bad) != SIZE_MAX) return;
    const float *importance = j->importance ? j->importance + row / j->rows_per_matrix * j->n_cols : NULL;
    quantize_row(j->out + i * j->row_bytes, j->type, values, j->n_cols, importance);
}

static void work_on(void *arg, size_t thread, size_t n_threads) {
    struct job *j = arg;
    for (size_t i = thread; i < j->n_rows; i += n_threads) quantise_one(j, j->values + thread * j->n_cols, i);
}

/* So many rows at a time that the bytes in memory stay few. */
static size_t rows_at_once(const struct job *j, size_t all) {
    enum { BYTES = 32 << 20 };
    size_t n = BYTES / (j->row_bytes ? j->row_bytes : 1);
    return n < 1 ? 1 : n < all ? n : all;
}

static bool convert(struct requantize *r, struct job *j, size_t n_rows, struct status *st) {
    char shown[VIEW_SHOWN];
    size_t batch = rows_at_once(j, n_rows);
    j->values = calloc(pool_threads(r->pool) * j->n_cols, sizeof *j->values);
    j->out = malloc(batch * j->row_bytes);
    bool ok = (j->values && j->out) || status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu rows", batch);
    for (j->first = 0; ok && j->first < n_rows; j->first += j->n_rows) {
        j->n_rows = n_rows - j->first < batch ? n_rows - j->first : batch;
        pool_run(r->pool, work_on, j);
        size_t bad = atomic_load(&j->bad);
        if (bad != SIZE_MAX)
            ok = status_fail(st, STATUS_BAD_INPUT, "%.120s: tensor '%s', row %zu: it holds what is no number",
                             r->from, view_shown(shown, j->tensor->name), bad);
        if (ok) ggufwrite_rows(r->out, j->out, j->n_rows * j->row_bytes);
    }
    free(j->values);
    free(j->out);
    return ok;
}

static size_t rows_of(const struct gguf_tensor *t) { return (size_t)(t->dims[1] * t->dims[2] * t->dims[3]); }

static size_t bytes_as(const struct gguf_tensor *t, uint32_t type) {
    return type == t->type ? t->bytes : rows_of(t) * dtype_row_bytes((enum dtype)type, (size_t)t->dims[0]);
}

static bool write_tensor(struct requantize *r, const struct gguf_tensor *t, struct status *st) {
    uint32_t type = mixture_type(r->mixture, &r->model, t);
    size_t n_matrices = (size_t)(t->dims[2] * t->dims[3]);
    bool ok = true;
    if (type == t->type) ggufwrite_rows(r->out, t->data, t->bytes);
    else {
        struct job j = {.tensor = t,
                        .type = (enum dtype)type,
                        .n_cols = (size_t)t->dims[0],
                        .rows_per_matrix = (size_t)t->dims[1],
                        .row_bytes = dtype_row_bytes((enum dtype)type, (size_t)t->dims[0]),
                        .bad = SIZE_MAX};
        ok = (!r->importance ||
              importance_find(&j.importance, r->importance, t->name, j.n_cols, n_matrices, st)) &&
             convert(r, &j, rows_of(t), st);
    }
    return ok;
}

/* --- the file ------------------------------------------------------------------------------------------- */

static bool is_replaced(struct view key) {
    return view_is(key, "general.file_type") || view_is(key, "general.quantization_version") ||
           view_is(key, "general.alignment") || view_starts(key, "split.");
}

static bool write_header(struct requantize *r, struct status *st) {
    struct gguf *f = r->file;
    if (!ggufwrite_open(&r->out, r->to, st)) return false;
    for (size_t i = 0; i < gguf_n_values(f); i++)
        if (!is_replaced(gguf_value_at(f, i)->key)) ggufwrite_value(r->out, gguf_value_at(f, i));
    ggufwrite_u32(r->out, "general.quantization_version", 2);
    ggufwrite_u32(r->out, "general.file_type", r->mixture->file_type);
    for (size_t i = 0; i < gguf_n_tensors(f); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(f, i);
        uint32_t type = mixture_type(r->mixture, &r->model, t);
        ggufwrite_tensor(r->out, t->name, t->n_dims, t->dims, (enum dtype)type);
        r->bytes_in += t->bytes;
        r->bytes_out += bytes_as(t, type);
    }
    return true;
}

static bool write_file(struct requantize *r, struct status *st) {
    if (!write_header(r, st)) return false;
    bool shows = isatty(STDERR_FILENO);
    size_t n = gguf_n_tensors(r->file);
    for (size_t i = 0; i < n; i++) {
        char shown[VIEW_SHOWN];
        const struct gguf_tensor *t = gguf_tensor_at(r->file, i);
        if (shows) fprintf(stderr, "\r\033[K%zu of %zu: %s", i + 1, n, view_shown(shown, t->name));
        if (!write_tensor(r, t, st)) return false;
    }
    if (shows) fputs("\r\033[K", stderr);
    struct ggufwrite *out = r->out;
    r->out = NULL; /* the end frees it, whatever it says */
    return ggufwrite_end(out, st);
}

/* --- what comes of it ----------------------------------------------------------------------------------- */

static const char *type_name(uint32_t type) {
    const char *name = gguf_tensor_type_name(type);
    return name ? name : "?";
}

static void put_plan(struct str *out, const struct requantize *r) {
    for (size_t i = 0; i < gguf_n_tensors(r->file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(r->file, i);
        uint32_t type = mixture_type(r->mixture, &r->model, t);
        str_printf(out, "%-32.*s %-7s -> %-7s ", (int)t->name.n, t->name.at, type_name(t->type),
                   type_name(type));
        shown_count_right(out, bytes_as(t, type), 14);
        str_putc(out, '\n');
    }
}

static void put_totals(struct str *out, const struct requantize *r) {
    uint64_t n = 0;
    for (size_t i = 0; i < gguf_n_tensors(r->file); i++) {
        const struct gguf_tensor *t = gguf_tensor_at(r->file, i);
        n += t->dims[0] * rows_of(t);
    }
    str_printf(out, "%s: ", r->mixture->name);
    shown_count(out, r->bytes_out);
    str_puts(out, " bytes of weights, ");
    shown_count(out, r->bytes_in);
    str_printf(out, " before; %.2f bits a weight\n", n ? 8.0 * (double)r->bytes_out / (double)n : 0);
}

/* --- the command ---------------------------------------------------------------------------------------- */

static bool choose(struct requantize *r, struct status *st) {
    char known[160] = "";
    r->mixture = mixture_find(r->args->positional[2]);
    for (size_t i = 0; mixture_at(i); i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 mixture_at(i)->name);
    return r->mixture ||
           status_fail(st, STATUS_USAGE, "'%.40s' is none of the types: %s", r->args->positional[2], known);
}

/* Writing over the file that is read would destroy it. */
static bool check_paths(const struct requantize *r, struct status *st) {
    struct stat a, b;
    if (stat(r->from, &a) != 0 || stat(r->to, &b) != 0 || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
        return true;
    return status_fail(st, STATUS_USAGE, "'%.200s' is the file that is read; name another", r->to);
}

/* gguf_open refuses what has a type that we cannot decode. */
static bool open_model(struct requantize *r, struct status *st) {
    struct mapping map;
    if (!mapping_open(&map, r->from, st)) return false;
    bool gguf = map.n >= 4 && memcmp(map.at, "GGUF", 4) == 0;
    mapping_close(&map);
    if (!gguf)
        return status_fail(
            st, STATUS_UNSUPPORTED,
            "%.200s: byte 0: it is no GGUF file; `fak convert` makes one of a Hugging Face directory",
            r->from);
    return gguf_open(&r->file, r->from, st) && mixture_model_read(&r->model, r->file, st);
}

static bool work(struct requantize *r, struct cli *cli, struct status *st) {
    long threads;
    const char *importance = cli_value(r->args, "--imatrix");
    if (!cli_expect(r->args, 3, 3, st) || !cli_number(&threads, r->args, "--threads", 1, 1024, 0, st) ||
        !choose(r, st))
        return false;
    r->from = r->args->positional[0];
    r->to = r->args->positional[1];
    if (!check_paths(r, st) || !open_model(r, st)) return false;
    if (importance && !importance_open(&r->importance, importance, st)) return false;
    r->model.importance = r->importance;
    if (cli_given(r->args, "--dry-run")) {
        for (size_t i = 0; i < gguf_n_tensors(r->file); i++) {
            const struct gguf_tensor *t = gguf_tensor_at(r->file, i);
            r->bytes_in += t->bytes;
            r->bytes_out += bytes_as(t, mixture_type(r->mixture, &r->model, t));
        }
        put_plan(&cli->out, r);
    } else if (!pool_open(&r->pool, (size_t)threads, st) || !write_file(r, st)) return false;
    put_totals(&cli->out, r);
    return true;
}

int fak_quantize(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct requantize r = {.args = &args};
    bool ok = cli_parse(&args, cli->command, argc, argv, &st) && work(&r, cli, &st);
    ggufwrite_abandon(r.out);
    pool_close(r.pool);
    importance_close(r.importance);
    gguf_close(r.file);
    return ok ? cli_finish(cli, 0) : cli_fail(cli, &st);
}
