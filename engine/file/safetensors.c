#include "engine/file/safetensors.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/file.h"
#include "base/json/jsonin.h"
#include "engine/tensor/dtype.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 8 /* bytes that give the header's length */ };
#define HEADER_LIMIT UINT64_C(100000000)

struct safetensors {
    char *path;
    struct mapping map; /* empty when the bytes are the caller's */
    const uint8_t *bytes;
    size_t n_bytes, data_offset;
    struct arena arena;
    struct safetensors_tensor *tensors;
    size_t n_tensors;
};

struct reader {
    struct safetensors *file;
    struct jsonin header;
    struct view tensor; /* for messages */
    struct status *st;
};

static const struct {
    const char *name;
    size_t bits;
    int dtype;
} types[] = {
#define SAFETENSORS_TYPE(name, bits, dtype) {#name, bits, dtype},
#include "engine/file/safetensors.inc"
#undef SAFETENSORS_TYPE
};
enum { N_TYPES = sizeof types / sizeof *types };

/* "FILE: byte N, tensor 'x': reason; what to do" */
static bool refuse(const struct reader *r, const char *format, ...) STATUS_PRINTF(2, 3);
static bool refuse(const struct reader *r, const char *format, ...) {
    char reason[240], shown[VIEW_SHOWN];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return status_fail(r->st, STATUS_BAD_INPUT,
                       "%.120s: byte %zu, tensor '%s': %s; the file is damaged or incomplete: fetch it again",
                       r->file->path, jsonin_offset(&r->header, r->tensor), view_shown(shown, r->tensor),
                       reason);
}

/* --- one tensor ----------------------------------------------------------------------------------------- */

static bool read_type(struct safetensors_tensor *t, const struct reader *r, const json_t *entry) {
    const char *name = json_string_value(json_object_get(entry, "dtype"));
    if (!name) return refuse(r, "its dtype is missing or no string");
    size_t i = 0;
    while (i < N_TYPES && strcmp(types[i].name, name) != 0) i++;
    t->type = (enum safetensors_type)i;
    char shown[VIEW_SHOWN];
    return i < N_TYPES || refuse(r, "its dtype '%s' is unknown", view_shown(shown, view_of(name)));
}

static bool read_shape(struct safetensors_tensor *t, const struct reader *r, const json_t *entry) {
    const json_t *shape = json_object_get(entry, "shape");
    size_t n = json_array_size(shape);
    uint64_t product = 1;
    if (!json_is_array(shape)) return refuse(r, "its shape is missing or no array");
    if (n > SAFETENSORS_DIMS)
        return refuse(r, "its shape has %zu dimensions; %d are the most", n, SAFETENSORS_DIMS);
    t->n_dims = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        const json_t *dim = json_array_get(shape, i);
        if (!json_is_integer(dim) || json_integer_value(dim) < 0)
            return refuse(r, "number %zu of its shape is no whole number of 0 or more", i);
        t->dims[i] = (uint64_t)json_integer_value(dim);
        if (!checked_mul_u64(&product, product, t->dims[i])) return refuse(r, "its shape overflows 64 bits");
    }
    t->n_elements = (size_t)product;
    return true;
}

static bool read_range(struct safetensors_tensor *t, const struct reader *r, const json_t *entry) {
    const json_t *range = json_object_get(entry, "data_offsets");
    size_t at[2], bits, left = r->file->n_bytes - r->file->data_offset;
    if (!json_is_array(range) || json_array_size(range) != 2)
        return refuse(r, "its data_offsets are no array of two offsets");
    for (size_t i = 0; i < 2; i++) {
        const json_t *offset = json_array_get(range, i);
        if (!json_is_integer(offset) || json_integer_value(offset) < 0)
            return refuse(r, "number %zu of its data_offsets is no offset", i);
        at[i] = (size_t)json_integer_value(offset);
    }
    if (at[0] > at[1])
        return refuse(r, "its data_offsets end at %zu, before they begin at %zu", at[1], at[0]);
    if (at[1] > left)
        return refuse(r, "its data_offsets end at %zu, beyond the file's length: %zu bytes of data are there",
                      at[1], left);
    t->offset = r->file->data_offset + at[0];
    t->bytes = at[1] - at[0];
    t->data = r->file->bytes + t->offset;
    if (!checked_mul(&bits, t->n_elements, types[t->type].bits))
        return refuse(r, "its shape of %zu %s overflows a length", t->n_elements, types[t->type].name);
    if (bits % 8)
        return refuse(r, "its shape of %zu %s fills no whole bytes", t->n_elements, types[t->type].name);
    return bits / 8 == t->bytes || refuse(r, "its shape takes %zu bytes of %s, but its data_offsets hold %zu",
                                          bits / 8, types[t->type].name, t->bytes);
}

static bool read_tensor(struct reader *r, const char *key, const json_t *entry) {
    struct safetensors_tensor *t = &r->file->tensors[r->file->n_tensors];
    r->tensor = view_of(key);
    if (!json_is_object(entry)) return refuse(r, "its entry in the header is no object");
    *t = (struct safetensors_tensor){.path = r->file->path};
    if (!read_type(t, r, entry) || !read_shape(t, r, entry) || !read_range(t, r, entry)) return false;
    const char *name = arena_copy(&r->file->arena, key, strlen(key), r->st);
    t->name = view_of(name);
    r->file->n_tensors++;
    return name != NULL;
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b) {
    const struct safetensors_tensor *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
    int order = memcmp(x->name.at, y->name.at, n);
    return order ? order : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

/* From the first byte of the data to the last one, each byte is one tensor's. */
static bool check_ranges(struct reader *r) {
    struct safetensors *file = r->file;
    size_t at = file->data_offset;
    qsort(file->tensors, file->n_tensors, sizeof *file->tensors, by_offset);
    for (size_t i = 0; i < file->n_tensors; i++) {
        const struct safetensors_tensor *t = &file->tensors[i];
        r->tensor = t->name;
        if (t->offset > at) return refuse(r, "a hole of %zu bytes lies before its data", t->offset - at);
        if (t->offset < at)
            return refuse(r, "its data overlap another tensor's by %zu bytes", at - t->offset);
        at += t->bytes;
    }
    if (at == file->n_bytes) return true;
    return status_fail(
        r->st, STATUS_BAD_INPUT,
        "%.120s: byte %zu: %zu trailing bytes belong to no tensor; the file is damaged: fetch it again",
        file->path, at, file->n_bytes - at);
}

static bool check_metadata(const struct reader *r, const json_t *metadata) {
    const char *key;
    json_t *value;
    bool strings = json_is_object(metadata);
    json_object_foreach((json_t *)metadata, key, value) strings = strings && json_is_string(value);
    return strings || status_fail(r->st, STATUS_BAD_INPUT,
                                  "%.120s: byte %zu: __metadata__ has to be an object of strings",
                                  r->file->path, jsonin_offset(&r->header, view_of("__metadata__")));
}

static bool read_tensors(struct reader *r) {
    struct safetensors *file = r->file;
    file->tensors = arena_alloc(&file->arena, json_object_size(r->header.root), sizeof *file->tensors, r->st);
    if (!file->tensors) return false;
    const char *key;
    json_t *entry;
    json_object_foreach(r->header.root, key, entry) {
        bool metadata = strcmp(key, "__metadata__") == 0;
        if (metadata ? !check_metadata(r, entry) : !read_tensor(r, key, entry)) return false;
    }
    return check_ranges(r);
}

/* The text of the header, which begins with '{' and may be padded with blanks. */
static bool find_header(struct view *out, const struct safetensors *file, struct status *st) {
    uint64_t n = 0;
    if (file->n_bytes < PREFIX)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: byte 0: the file has %zu bytes, too few for the length of a safetensors header; "
            "fetch it again",
            file->path, file->n_bytes);
    for (size_t i = PREFIX; i-- > 0;) n = n << 8 | file->bytes[i];
    if (n > HEADER_LIMIT)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: byte 0: a header of %llu bytes; %llu are the most, so the file is damaged or "
            "no safetensors file",
            file->path, (unsigned long long)n, (unsigned long long)HEADER_LIMIT);
    if (n > file->n_bytes - PREFIX)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: byte 0: a header of %llu bytes, but the file ends after %zu; it is damaged "
            "or incomplete: fetch it again",
            file->path, (unsigned long long)n, file->n_bytes - PREFIX);
    *out = (struct view){(const char *)file->bytes + PREFIX, (size_t)n};
    if (n && out->at[0] == '{') return true;
    return status_fail(st, STATUS_BAD_INPUT, "%.120s: byte %d: the header is no JSON object", file->path,
                       PREFIX);
}

static bool read_all(struct safetensors *file, struct status *st) {
    struct reader r = {.file = file, .st = st};
    struct view text;
    if (!find_header(&text, file, st)) return false;
    file->data_offset = PREFIX + text.n;
    bool ok = jsonin_open(&r.header, file->path, text, PREFIX, "header of shapes and offsets", st) &&
              read_tensors(&r);
    jsonin_close(&r.header);
    return ok;
}

/* Takes over `map`. */
static bool open_bytes(struct safetensors **out, const char *path, struct mapping map, const void *bytes,
                       size_t n, struct status *st) {
    *out = NULL;
    struct safetensors *file = calloc(1, sizeof *file);
    char *name = file ? strdup(path) : NULL;
    if (!name) {
        free(file);
        mapping_close(&map);
        return status_fail(st, STATUS_NO_MEMORY, "%s: out of memory", path);
    }
    *file = (struct safetensors){.path = name, .map = map, .bytes = bytes, .n_bytes = n};
    if (read_all(file, st)) *out = file;
    else safetensors_close(file);
    return *out != NULL;
}

bool safetensors_parse(struct safetensors **out, const char *name, const void *bytes, size_t n,
                       struct status *st) {
    return open_bytes(out, name, (struct mapping){0}, bytes, n, st);
}

bool safetensors_open(struct safetensors **out, const char *path, struct status *st) {
    struct mapping map;
    *out = NULL;
    return mapping_open(&map, path, st) && open_bytes(out, path, map, map.at, map.n, st);
}

void safetensors_close(struct safetensors *file) {
    if (!file) return;
    mapping_close(&file->map);
    arena_release(&file->arena);
    free(file->path);
    free(file);
}

/* --- looking -------------------------------------------------------------------------------------------- */

void safetensors_let_go(const struct safetensors *file) { mapping_let_go(&file->map); }

bool safetensors_is_mapped(const struct safetensors *file, const void *at) {
    return mapping_holds(&file->map, at);
}

const char *safetensors_path(const struct safetensors *file) { return file->path; }
size_t safetensors_size(const struct safetensors *file) { return file->n_bytes; }
size_t safetensors_data_offset(const struct safetensors *file) { return file->data_offset; }
size_t safetensors_n_tensors(const struct safetensors *file) { return file->n_tensors; }
const struct safetensors_tensor *safetensors_at(const struct safetensors *file, size_t i) {
    return &file->tensors[i];
}

const char *safetensors_type_name(int type) { return type >= 0 && type < N_TYPES ? types[type].name : NULL; }
int safetensors_dtype(enum safetensors_type type) { return types[type].dtype; }
