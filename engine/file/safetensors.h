/* safetensors: a checked, mapped safetensors file (the format's README and safetensors/src/tensor.rs).
 *
 * Owns:    the mapping and a table of tensors; memory is bounded by a multiple of the header's length.
 * Trusts:  nothing: the header against the file, every shape for overflow and against its bytes, the ranges
 *          against each other (no hole, no overlap, none left over). A refusal names file, byte offset,
 * tensor, field and reason. Threads: constant after open.
 */
#ifndef ENGINE_FILE_SAFETENSORS_H
#define ENGINE_FILE_SAFETENSORS_H

#include "base/status.h"
#include "base/str.h"

#include <stdint.h>

enum { SAFETENSORS_DIMS = 8 };

/* SAFETENSORS_TYPE(name in the file, bits of an element, the DTYPE_ that decodes it or -1) */
enum safetensors_type {
#define SAFETENSORS_TYPE(name, bits, dtype) SAFETENSORS_##name,
#include "engine/file/safetensors.inc"
#undef SAFETENSORS_TYPE
};

struct safetensors_tensor {
    struct view name;
    enum safetensors_type type;
    unsigned n_dims;
    uint64_t dims[SAFETENSORS_DIMS]; /* dims[n_dims - 1] is contiguous; none: a scalar */
    size_t n_elements;
    size_t offset, bytes; /* from the start of the file */
    const void *data;     /* aligned to nothing */
    const char *path;     /* of its file */
};

struct safetensors;

bool safetensors_open(struct safetensors **out, const char *path, struct status *st) STATUS_MUST_USE;

/* The same from bytes that must outlive *out; `name` stands for the path in messages. */
bool safetensors_parse(struct safetensors **out, const char *name, const void *bytes, size_t n,
                       struct status *st) STATUS_MUST_USE;
void safetensors_close(struct safetensors *file); /* NULL is fine */

bool safetensors_is_mapped(const struct safetensors *file, const void *at); /* a place in its file */
void safetensors_let_go(const struct safetensors *file);                    /* as mapping_let_go */
const char *safetensors_path(const struct safetensors *file);
size_t safetensors_size(const struct safetensors *file);
size_t safetensors_data_offset(const struct safetensors *file);
size_t safetensors_n_tensors(const struct safetensors *file);
const struct safetensors_tensor *safetensors_at(const struct safetensors *file, size_t i); /* by offset */

const char *safetensors_type_name(int type);       /* NULL: no enum safetensors_type */
int safetensors_dtype(enum safetensors_type type); /* of engine/tensor/dtype.h; -1: none decodes it */

#endif
