#include "engine/file/ggufsplit.h"

#include "base/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 65535, SUFFIX = 40 }; /* split.count is a uint16 */

static void suffix_of(char out[SUFFIX], unsigned part, unsigned n) {
    snprintf(out, SUFFIX, "-%05u-of-%05u.gguf", part + 1, n);
}

static bool refuse(const struct gguf *file, enum status_code code, const char *key, struct status *st,
                   const char *why) {
    const struct gguf_value *value = gguf_find(file, key);
    return status_fail(st, code, "%.120s: byte %zu: '%s': %s", file->path, value ? value->offset : 0, key,
                       why);
}

/* *n = split.count, 0 for a file that is not split; *part = split.no. */
static bool read_place(const struct gguf *file, unsigned *part, unsigned *n, struct status *st) {
    uint64_t count, number;
    if (!gguf_u64(&count, file, "split.count", MAX_PARTS, 0, st) ||
        !gguf_u64(&number, file, "split.no", MAX_PARTS, 0, st))
        return false;
    *n = (unsigned)count;
    *part = (unsigned)number;
    if (count && number >= count)
        return refuse(file, STATUS_BAD_INPUT, "split.no", st,
                      "is not below split.count; split the model again");
    return true;
}

/* The path of the first part without its suffix is what all parts start with. */
static bool read_stem(struct view *stem, const struct gguf *file, unsigned part, unsigned n,
                      struct status *st) {
    char first[SUFFIX], why[160];
    struct view path = view_of(file->path);
    suffix_of(first, 0, n);
    if (part > 0) {
        snprintf(why, sizeof why, "this is part %u of a model split over %u files; name the first, ...%s",
                 part + 1, n, first);
        return refuse(file, STATUS_USAGE, "split.no", st, why);
    }
    snprintf(why, sizeof why, "the model is split over %u files, so this one has to be called ...%s", n,
             first);
    if (!view_ends(path, first)) return refuse(file, STATUS_BAD_INPUT, "split.count", st, why);
    *stem = (struct view){path.at, path.n - strlen(first)};
    return true;
}

/* Appends the tensors of part i to the table of the whole. */
static bool take_tensors(struct gguf *file, unsigned i, struct status *st) {
    const struct gguf *part = file->parts[i];
    size_t n = file->n_tensors + part->n_tensors, bytes;
    if (part->n_tensors == 0) return true;
    struct gguf_tensor *all = checked_mul(&bytes, n, sizeof *all) ? realloc(file->tensors, bytes) : NULL;
    if (!all) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a table of %zu rows", n);
    file->tensors = all;
    for (size_t k = 0; k < part->n_tensors; k++) {
        all[file->n_tensors] = part->tensors[k];
        all[file->n_tensors++].part = i;
    }
    return true;
}

static bool open_part(struct gguf *file, struct view stem, unsigned i, unsigned n, ggufsplit_open *open,
                      struct status *st) {
    char suffix[SUFFIX];
    struct str path = {0};
    unsigned part, count;
    suffix_of(suffix, i, n);
    str_printf(&path, "%.*s%s", (int)stem.n, stem.at, suffix);
    bool ok = str_ok(&path, st) && open(&file->parts[i], path.at, st);
    if (ok) file->n_parts = i + 1;
    ok = ok && read_place(file->parts[i], &part, &count, st);
    if (ok && (part != i || count != n))
        ok = refuse(file->parts[i], STATUS_BAD_INPUT, "split.no", st,
                    "the file is not the part that its name says; fetch the model again");
    str_free(&path);
    return ok && take_tensors(file, i, st);
}

static bool check_total(const struct gguf *file, struct status *st) {
    uint64_t total;
    char why[160];
    if (!gguf_u64(&total, file, "split.tensors.count", INT32_MAX, file->n_tensors, st)) return false;
    if (total == file->n_tensors) return true;
    snprintf(why, sizeof why, "is %llu, but the parts hold %zu tensors; fetch the model again",
             (unsigned long long)total, file->n_tensors);
    return refuse(file, STATUS_BAD_INPUT, "split.tensors.count", st, why);
}

bool ggufsplit_join(struct gguf *file, ggufsplit_open *open, struct status *st) {
    unsigned part, n;
    struct view stem = {0};
    if (!read_place(file, &part, &n, st)) return false;
    if (n <= 1) return true;
    if (!read_stem(&stem, file, part, n, st)) return false;
    file->parts = arena_alloc(&file->arena, n, sizeof(struct gguf *), st);
    if (!file->parts) return false;
    file->parts[0] = file;
    file->n_parts = 1;
    for (unsigned i = 1; i < n; i++)
        if (!open_part(file, stem, i, n, open, st)) return false;
    return check_total(file, st) && ggufread_sort_tensors(file, st);
}
