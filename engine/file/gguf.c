#include "engine/file/gguf.h"

#include "engine/file/ggufread.h"
#include "engine/file/ggufsplit.h"
#include "engine/file/safetensors.h"

#include <stdlib.h>
#include <string.h>

/* --- opening -------------------------------------------------------------------------------------------- */

/* Takes over `map`. */
static bool open_bytes(struct gguf **out, const char *path, struct mapping map, const void *bytes, size_t n,
                       struct status *st) {
    *out = NULL;
    struct gguf *file = calloc(1, sizeof *file);
    char *name = file ? strdup(path) : NULL;
    if (!name) {
        free(file);
        mapping_close(&map);
        return status_fail(st, STATUS_NO_MEMORY, "%s: out of memory", path);
    }
    *file = (struct gguf){.path = name, .map = map, .bytes = bytes, .n_bytes = n};
    if (!ggufread_all(file, st)) {
        gguf_close(file);
        return false;
    }
    *out = file;
    return true;
}

bool gguf_parse(struct gguf **out, const char *name, const void *bytes, size_t n, struct status *st) {
    return open_bytes(out, name, (struct mapping){0}, bytes, n, st);
}

static bool open_one(struct gguf **out, const char *path, struct status *st) {
    struct mapping map;
    *out = NULL;
    return mapping_open(&map, path, st) && open_bytes(out, path, map, map.at, map.n, st);
}

bool gguf_open_header(struct gguf **out, const char *path, struct status *st) {
    if (!open_one(out, path, st)) return false;
    if (ggufsplit_join(*out, open_one, st)) return true;
    gguf_close(*out);
    *out = NULL;
    return false;
}

bool gguf_open(struct gguf **out, const char *path, struct status *st) {
    if (!gguf_open_header(out, path, st)) return false;
    if (gguf_runnable(*out, st)) return true;
    gguf_close(*out);
    *out = NULL;
    return false;
}

bool gguf_runnable(const struct gguf *file, struct status *st) {
    static const char runs[] =
#define DTYPE(name, id, elements, bytes) " " #name
#include "engine/tensor/dtypes.inc"
#undef DTYPE
        ;
    for (size_t i = 0; i < file->n_tensors; i++) {
        const struct gguf_tensor *tensor = &file->tensors[i];
        char shown[VIEW_SHOWN];
        if (dtype_info(tensor->type)) continue;
        return status_fail(
            st, STATUS_UNSUPPORTED,
            "%.120s: byte %zu, tensor %zu '%s': its type %s is not one this build can run; use "
            "a file of the types%s",
            gguf_tensor_path(file, tensor), tensor->offset, i, view_shown(shown, tensor->name),
            gguf_tensor_type_name(tensor->type), runs);
    }
    return true;
}

void gguf_close(struct gguf *file) {
    if (!file) return;
    for (unsigned i = 1; i < file->n_parts; i++) gguf_close(file->parts[i]);
    mapping_close(&file->map);
    if (file->source) file->close_source(file->source);
    arena_release(&file->arena);
    free(file->values);
    free(file->tensors);
    free(file->path);
    free(file);
}

/* --- looking -------------------------------------------------------------------------------------------- */

const char *gguf_path(const struct gguf *file) { return file->path; }

const char *gguf_tensor_path(const struct gguf *file, const struct gguf_tensor *tensor) {
    return file->parts ? file->parts[tensor->part]->path : file->path;
}

unsigned gguf_n_parts(const struct gguf *file) {
    return file->parts ? file->n_parts : file->n_files ? file->n_files : 1;
}
uint32_t gguf_version(const struct gguf *file) { return file->version; }
size_t gguf_alignment(const struct gguf *file) { return file->alignment; }
size_t gguf_data_offset(const struct gguf *file) { return file->data_offset; }
size_t gguf_n_values(const struct gguf *file) { return file->n_values; }
const struct gguf_value *gguf_value_at(const struct gguf *file, size_t i) { return &file->values[i]; }
size_t gguf_n_tensors(const struct gguf *file) { return file->n_tensors; }
const struct gguf_tensor *gguf_tensor_at(const struct gguf *file, size_t i) { return &file->tensors[i]; }

size_t gguf_size(const struct gguf *file) {
    size_t bytes = file->n_bytes;
    for (unsigned i = 1; i < file->n_parts; i++) bytes += file->parts[i]->n_bytes;
    return bytes;
}

const struct gguf_value *gguf_find(const struct gguf *file, const char *key) {
    struct view wanted = view_of(key);
    for (size_t low = 0, high = file->n_values; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = ggufread_compare(wanted, file->by_key[middle]->key);
        if (order == 0) return file->by_key[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

const struct gguf_tensor *gguf_find_tensor(const struct gguf *file, const char *name) {
    struct view wanted = view_of(name);
    for (size_t low = 0, high = file->n_tensors; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = ggufread_compare(wanted, file->by_name[middle]->name);
        if (order == 0) return file->by_name[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

struct gguf_value gguf_array_item(const struct gguf_array *array, size_t i) {
    struct gguf_value value = {.type = array->type};
    if (array->type == GGUF_STRING) value.string = array->strings[i];
    else ggufread_number(&value, array->at + i * gguf_type_bytes(array->type));
    return value;
}

/* --- typed reads ---------------------------------------------------------------------------------------- */

static bool wrong_type(const struct gguf *file, const struct gguf_value *value, const char *wanted,
                       struct status *st) {
    bool array = value->type == GGUF_ARRAY;
    return status_fail(st, STATUS_BAD_INPUT,
                       "%.120s: byte %zu: '%.*s' has type %s%s and must be %s; convert the model again",
                       file->path, value->offset, (int)value->key.n, value->key.at, array ? "array of " : "",
                       gguf_type_name(array ? value->array.type : value->type), wanted);
}

static bool is_signed(enum gguf_type type) {
    return type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64;
}

static bool is_unsigned(enum gguf_type type) {
    return type == GGUF_U8 || type == GGUF_U16 || type == GGUF_U32 || type == GGUF_U64;
}

bool gguf_u64(uint64_t *out, const struct gguf *file, const char *key, uint64_t high, uint64_t otherwise,
              struct status *st) {
    const struct gguf_value *value = gguf_find(file, key);
    *out = otherwise;
    if (!value) return true;
    bool negative = is_signed(value->type) && value->i < 0;
    if (!is_signed(value->type) && !is_unsigned(value->type))
        return wrong_type(file, value, "a whole number", st);
    if (negative || value->u > high)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.120s: byte %zu: '%s' is %s%llu and must be 0 to %llu; convert the model again",
                           file->path, value->offset, key, negative ? "-" : "",
                           (unsigned long long)(negative ? 0 - value->u : value->u),
                           (unsigned long long)high);
    *out = value->u;
    return true;
}

bool gguf_u64_required(uint64_t *out, const struct gguf *file, const char *key, uint64_t high,
                       struct status *st) {
    *out = 0;
    if (!gguf_find(file, key) && file->source)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: config.json says nothing that gives '%s'; fetch it again, or name a whole model",
            file->path, key);
    if (!gguf_find(file, key))
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.120s: the metadata (%zu values from byte 24 on) has no '%s'; convert the model "
                           "again, or name a file with a whole model",
                           file->path, file->n_values, key);
    return gguf_u64(out, file, key, high, 0, st);
}

bool gguf_f64(double *out, const struct gguf *file, const char *key, double otherwise, struct status *st) {
    const struct gguf_value *value = gguf_find(file, key);
    *out = otherwise;
    if (!value) return true;
    if (value->type != GGUF_F32 && value->type != GGUF_F64)
        return wrong_type(file, value, "float32 or float64", st);
    *out = value->f;
    return true;
}

bool gguf_bool(bool *out, const struct gguf *file, const char *key, bool otherwise, struct status *st) {
    const struct gguf_value *value = gguf_find(file, key);
    *out = otherwise;
    if (!value) return true;
    if (value->type != GGUF_BOOL) return wrong_type(file, value, "bool", st);
    *out = value->u != 0;
    return true;
}

bool gguf_string(struct view *out, const struct gguf *file, const char *key, const char *otherwise,
                 struct status *st) {
    const struct gguf_value *value = gguf_find(file, key);
    *out = view_of(otherwise);
    if (!value) return true;
    if (value->type != GGUF_STRING) return wrong_type(file, value, "string", st);
    *out = value->string;
    return true;
}

bool gguf_array(struct gguf_array *out, const struct gguf *file, const char *key, enum gguf_type type,
                struct status *st) {
    const struct gguf_value *value = gguf_find(file, key);
    *out = (struct gguf_array){.type = type};
    if (!value) return true;
    if (value->type != GGUF_ARRAY || value->array.type != type) {
        char wanted[32] = "array of ";
        strcat(wanted, gguf_type_name(type));
        return wrong_type(file, value, wanted, st);
    }
    *out = value->array;
    return true;
}

/* --- names ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [GGUF_U8] = {"uint8", 1},    [GGUF_I8] = {"int8", 1},    [GGUF_U16] = {"uint16", 2},
    [GGUF_I16] = {"int16", 2},   [GGUF_U32] = {"uint32", 4}, [GGUF_I32] = {"int32", 4},
    [GGUF_F32] = {"float32", 4}, [GGUF_BOOL] = {"bool", 1},  [GGUF_STRING] = {"string", 0},
    [GGUF_ARRAY] = {"array", 0}, [GGUF_U64] = {"uint64", 8}, [GGUF_I64] = {"int64", 8},
    [GGUF_F64] = {"float64", 8},
};

const char *gguf_type_name(enum gguf_type type) { return types[type].name; }
size_t gguf_type_bytes(enum gguf_type type) { return types[type].bytes; }

const char *gguf_tensor_type_name(uint32_t type_id) {
    const struct dtype_info *info = dtype_info(type_id);
    const char *name = info ? info->name : dtype_ggml_name(type_id);
    if (type_id >= GGUF_FOREIGN_TYPE) name = safetensors_type_name((int)(type_id - GGUF_FOREIGN_TYPE));
    return name ? name : "unknown";
}
