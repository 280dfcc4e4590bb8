/* gguf: a checked, mapped GGUF file (v2, v3; ggml docs/gguf.md).
 *
 * Owns:    the mapping and one arena of tables; memory is bounded by a small multiple of the file's size.
 * Trusts:  nothing: every count is checked against the bytes that remain, every product for overflow, every
 *          range against the file. A refusal names file, byte offset, field and reason.
 * Threads: constant after open.
 */
#ifndef ENGINE_FILE_GGUF_H
#define ENGINE_FILE_GGUF_H

#include "base/status.h"
#include "base/str.h"
#include "engine/tensor/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gguf_type {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
};

struct gguf;

struct gguf_array {
    enum gguf_type type; /* of the items */
    size_t n;
    const uint8_t *at;          /* packed, unaligned items; gguf_array_item reads one */
    const struct view *strings; /* when the items are strings */
};

struct gguf_value {
    struct view key;
    enum gguf_type type;
    size_t offset; /* of the value, in bytes from the start of the file */
    union {
        uint64_t u; /* unsigned types and bool */
        int64_t i;  /* signed types */
        double f;   /* F32, F64 */
        struct view string;
        struct gguf_array array;
    };
};

struct gguf_tensor {
    struct view name;
    unsigned n_dims;
    uint64_t dims[4];     /* dims[0] is contiguous; missing ones are 1 */
    uint32_t type;        /* ggml id; dtype_info(type) is never NULL after gguf_open */
    size_t offset, bytes; /* from the start of its file */
    unsigned part;        /* which file of a split model, from 0 */
    const void *data;
    /* Of a GGUF file these are empty (engine/file/checkpoint.h). */
    struct view source;        /* what its own file calls it, when that is not `name` */
    const void *const *slices; /* [dims[2]] where each matrix of a 3-dimensional tensor is; NULL: in a row */
    const struct layout *layout; /* [dims[2]] how each matrix lies; then `data` and `slices` are not used */
};

/* A model split over NAME-00001-of-000NN.gguf and so on is named by its first file, which has the metadata;
 * the others are opened with it and give their tensors. */
bool gguf_open(struct gguf **out, const char *path, struct status *st) STATUS_MUST_USE;

/* As gguf_open, for looking and not for running: tensors may have any type that ggml knows the size of,
 * so dtype_info(type) may be NULL. gguf_runnable says whether it never is, and names the first that is. */
bool gguf_open_header(struct gguf **out, const char *path, struct status *st) STATUS_MUST_USE;
bool gguf_runnable(const struct gguf *file, struct status *st) STATUS_MUST_USE;

/* As gguf_open_header, from bytes that must outlive *out; `name` stands for the path in messages. A part of a
 * split model is read for itself. */
bool gguf_parse(struct gguf **out, const char *name, const void *bytes, size_t n,
                struct status *st) STATUS_MUST_USE;

void gguf_close(struct gguf *file); /* NULL is fine */

const char *gguf_path(const struct gguf *file);
const char *gguf_tensor_path(const struct gguf *file, const struct gguf_tensor *tensor); /* of its part */
unsigned gguf_n_parts(const struct gguf *file); /* files; 1 unless the model is split */
size_t gguf_size(const struct gguf *file);      /* bytes, over all parts */
uint32_t gguf_version(const struct gguf *file);
size_t gguf_alignment(const struct gguf *file);
size_t gguf_data_offset(const struct gguf *file); /* of the first tensor's data */
size_t gguf_n_values(const struct gguf *file);
const struct gguf_value *gguf_value_at(const struct gguf *file, size_t i);
size_t gguf_n_tensors(const struct gguf *file);
const struct gguf_tensor *gguf_tensor_at(const struct gguf *file, size_t i);

/* NULL when absent. */
const struct gguf_value *gguf_find(const struct gguf *file, const char *key);
const struct gguf_tensor *gguf_find_tensor(const struct gguf *file, const char *name);

/* Typed reads. Absent keys give `otherwise`; a value of the wrong type or out of range is refused with its
 * key, offset and type. The _required forms refuse absence too. */
bool gguf_u64(uint64_t *out, const struct gguf *file, const char *key, uint64_t high, uint64_t otherwise,
              struct status *st) STATUS_MUST_USE;
bool gguf_u64_required(uint64_t *out, const struct gguf *file, const char *key, uint64_t high,
                       struct status *st) STATUS_MUST_USE;
bool gguf_f64(double *out, const struct gguf *file, const char *key, double otherwise,
              struct status *st) STATUS_MUST_USE;
bool gguf_bool(bool *out, const struct gguf *file, const char *key, bool otherwise,
               struct status *st) STATUS_MUST_USE;
bool gguf_string(struct view *out, const struct gguf *file, const char *key, const char *otherwise,
                 struct status *st) STATUS_MUST_USE;
/* The array at `key` with items of exactly `type`; absent: n = 0 and true. */
bool gguf_array(struct gguf_array *out, const struct gguf *file, const char *key, enum gguf_type type,
                struct status *st) STATUS_MUST_USE;

/* Item i (less than n) as a value without a key. */
struct gguf_value gguf_array_item(const struct gguf_array *array, size_t i);

const char *gguf_type_name(enum gguf_type type);     /* "uint32", as gguf.md writes it */
size_t gguf_type_bytes(enum gguf_type type);         /* of one packed item; 0 for strings and arrays */
const char *gguf_tensor_type_name(uint32_t type_id); /* "Q4_K"; never NULL for a tensor of an opened file */

#endif
