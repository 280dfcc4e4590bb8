/* The order of a file, the sizes and the limits are those of ggml's docs/gguf.md and src/gguf.cpp. */
#include "engine/file/ggufread.h"

#include "base/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char damaged[] = "the file is damaged or incomplete: fetch it or convert it again";
static const char rewrite[] = "convert the model again with a current converter";

enum {
    HEADER_BYTES = 24,
    KEY_LIMIT = 65535,
    NAME_LIMIT = 64,
    DIMS_LIMIT = 4,
    LEAST_VALUE = 8 + 1 + 4 + 1,      /* bytes: key length, key, type, value */
    LEAST_TENSOR = 8 + 1 + 4 + 4 + 8, /* bytes: name length, name, n_dims, type, offset */
};

struct reader {
    struct gguf *file;
    size_t at; /* bytes read so far */

    /* for messages */
    const char *part; /* "value" or "tensor"; NULL in the header */
    size_t index;
    struct view name;
    struct status *st;
};

/* --- refusing ----------------------------------------------------------------------------------------- */

/* "FILE: byte N, value 3 'key': reason; what to do" */
static bool refuse(const struct reader *r, enum status_code code, size_t offset, const char *advice,
                   const char *format, ...) STATUS_PRINTF(5, 6);
static bool refuse(const struct reader *r, enum status_code code, size_t offset, const char *advice,
                   const char *format, ...) {
    char reason[200], part[120] = "", shown[VIEW_SHOWN];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (r->part && r->name.n)
        snprintf(part, sizeof part, ", %s %zu '%s'", r->part, r->index, view_shown(shown, r->name));
    else if (r->part) snprintf(part, sizeof part, ", %s %zu", r->part, r->index);
    return status_fail(r->st, code, "%.120s: byte %zu%s: %s; %s", r->file->path, offset, part, reason,
                       advice);
}

#define refuse_damaged(r, offset, ...) refuse((r), STATUS_BAD_INPUT, (offset), damaged, __VA_ARGS__)

/* --- reading bytes ------------------------------------------------------------------------------------- */

static size_t remaining(const struct reader *r) { return r->file->n_bytes - r->at; }

/* The next n bytes, or NULL when the file ends before them. `what`: "the value's type". */
static const uint8_t *take(struct reader *r, size_t n, const char *what) {
    if (n > remaining(r)) {
        refuse_damaged(r, r->at, "the file ends inside %s: %zu bytes needed, %zu left", what, n,
                       remaining(r));
        return NULL;
    }
    const uint8_t *at = r->file->bytes + r->at;
    r->at += n;
    return at;
}

/* n (1 to 8) bytes, little-endian. */
static uint64_t number_at(const uint8_t *at, size_t n) {
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;) value = value << 8 | at[i];
    return value;
}

static bool take_u32(uint32_t *out, struct reader *r, const char *what) {
    const uint8_t *at = take(r, 4, what);
    if (at) *out = (uint32_t)number_at(at, 4);
    return at != NULL;
}

static bool take_u64(uint64_t *out, struct reader *r, const char *what) {
    const uint8_t *at = take(r, 8, what);
    if (at) *out = number_at(at, 8);
    return at != NULL;
}

static bool take_string(struct view *out, struct reader *r, const char *what) {
    size_t start = r->at;
    uint64_t n;
    if (!take_u64(&n, r, what)) return false;
    if (n > remaining(r))
        return refuse_damaged(r, start, "%s is a string of %llu bytes, but the file ends after %zu", what,
                              (unsigned long long)n, remaining(r));
    *out = (struct view){(const char *)r->file->bytes + r->at, (size_t)n};
    r->at += (size_t)n;
    return true;
}

/* A key or a tensor's name: not empty, no NUL, at most `limit` bytes. */
static bool take_name(struct reader *r, size_t limit, const char *what) {
    size_t start = r->at;
    struct view name;
    if (!take_string(&name, r, what)) return false;
    if (name.n == 0) return refuse_damaged(r, start, "%s is empty", what);
    if (name.n > limit)
        return refuse(r, STATUS_BAD_INPUT, start, rewrite, "%s has %zu bytes, and at most %zu are allowed",
                      what, name.n, limit);
    if (memchr(name.at, 0, name.n)) return refuse_damaged(r, start, "%s holds a NUL byte", what);
    r->name = name;
    return true;
}

/* Room for one more item in a growing table of items of `size` bytes; `room` is the power of two at or
 * above n. */
static bool grow(void **table, size_t n, size_t size, struct status *st) {
    if (n & (n - 1)) return true;
    size_t bytes;
    void *more = checked_mul(&bytes, n ? 2 * n : 1, size) ? realloc(*table, bytes) : NULL;
    if (!more)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory for a table of %zu rows", n ? 2 * n : 1);
    *table = more;
    return true;
}

/* --- the header ---------------------------------------------------------------------------------------- */

struct foreign {
    const char *start;
    size_t skip;
    const char *what;
};

/* What people hand to a GGUF loader by mistake. */
static const char *foreign_kind(const uint8_t *bytes, size_t n) {
    static const struct foreign kinds[] = {
        {"version https://git-lfs", 0, "a Git LFS pointer: fetch the model itself with `git lfs pull`"},
        {"ggjt", 0, "an old GGML file: convert it to GGUF"},
        {"tjgg", 0, "an old GGML file: convert it to GGUF"},
        {"lmgg", 0, "an old GGML file: convert it to GGUF"},
        {"PK\3\4", 0, "a ZIP archive (perhaps a PyTorch checkpoint): convert it to GGUF"},
        {"<!DOCTYPE", 0, "a web page: fetch the model itself"},
        {"<html", 0, "a web page: fetch the model itself"},
        {"{", 8, "perhaps a safetensors file: its name has to end in .safetensors"},
        {"{", 0, "perhaps a JSON file: name the model file"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].start);
        if (n >= kinds[i].skip + length && memcmp(bytes + kinds[i].skip, kinds[i].start, length) == 0)
            return kinds[i].what;
    }
    return "no GGUF file; a model is a GGUF file, a *.safetensors file or a Hugging Face directory";
}

static bool read_magic(struct reader *r) {
    const struct gguf *file = r->file;
    if (file->n_bytes == 0)
        return refuse(r, STATUS_BAD_INPUT, 0, "fetch it again", "the file is empty, so there is no magic");
    if (file->n_bytes < 4 || memcmp(file->bytes, "GGUF", 4) != 0)
        return refuse(r, STATUS_BAD_INPUT, 0, foreign_kind(file->bytes, file->n_bytes),
                      "the magic \"GGUF\" is missing");
    r->at = 4;
    return true;
}

static bool read_version(struct reader *r) {
    if (!take_u32(&r->file->version, r, "the version")) return false;
    uint32_t version = r->file->version;
    if (version != 0 && (version & 0xFFFF) == 0)
        return refuse(r, STATUS_UNSUPPORTED, 4, rewrite, "this is a big-endian file (version %u)",
                      __builtin_bswap32(version));
    if (version < 2 || version > 3)
        return refuse(r, STATUS_UNSUPPORTED, 4, rewrite, "version %u is not 2 or 3", version);
    return true;
}

/* A count whose items need at least `least` bytes each. One more than fit is let through: a file that was
 * cut is better told where it ends. */
static bool read_count(uint64_t *out, struct reader *r, const char *what, size_t least) {
    size_t start = r->at;
    if (!take_u64(out, r, what)) return false;
    if (*out > INT64_MAX) return refuse_damaged(r, start, "%s is negative (%lld)", what, (long long)*out);
    size_t rest = r->file->n_bytes > HEADER_BYTES ? r->file->n_bytes - HEADER_BYTES : 0;
    if (*out > rest / least + 1)
        return refuse_damaged(r, start, "%s is %llu, but the %zu bytes after the header cannot hold so many",
                              what, (unsigned long long)*out, rest);
    return true;
}

/* --- values --------------------------------------------------------------------------------------------- */

static bool take_type(enum gguf_type *out, struct reader *r, const char *what) {
    size_t start = r->at;
    uint32_t type;
    if (!take_u32(&type, r, what)) return false;
    if (type > GGUF_F64)
        return refuse_damaged(r, start, "%s is %u, and types are numbered 0 to %d", what, type, GGUF_F64);
    *out = (enum gguf_type)type;
    return true;
}

/* The strings of an array, checked before there is memory for them, so that a count alone takes none. */
static bool read_string_array(struct gguf_array *array, struct reader *r) {
    size_t start = r->at;
    struct view string;
    for (size_t i = 0; i < array->n; i++)
        if (!take_string(&string, r, "an item of the array")) return false;
    size_t end = r->at;
    struct view *strings = arena_alloc(&r->file->arena, array->n, sizeof *strings, r->st);
    if (!strings) return false;
    r->at = start;
    for (size_t i = 0; i < array->n; i++)
        if (!take_string(&strings[i], r, "an item of the array")) return false;
    array->strings = strings;
    r->at = end;
    return true;
}

static bool read_array(struct gguf_array *array, struct reader *r) {
    size_t start = r->at;
    uint64_t n;
    if (!take_type(&array->type, r, "the type of the array's items")) return false;
    if (array->type == GGUF_ARRAY)
        return refuse(r, STATUS_UNSUPPORTED, start, rewrite, "this is an array of arrays");
    if (!take_u64(&n, r, "the length of the array")) return false;
    size_t bytes = array->type == GGUF_STRING ? 8 : gguf_type_bytes(array->type);
    if (n > remaining(r) / bytes)
        return refuse_damaged(r, start,
                              "the array claims %llu items of type %s, but the file ends after %zu bytes",
                              (unsigned long long)n, gguf_type_name(array->type), remaining(r));
    array->n = (size_t)n;
    array->at = r->file->bytes + r->at;
    if (array->type == GGUF_STRING) return read_string_array(array, r);
    r->at += array->n * bytes;
    return true;
}

static int64_t signed_of(uint64_t bits, size_t bytes) {
    unsigned shift = 64 - 8 * (unsigned)bytes;
    return (int64_t)(bits << shift) >> shift;
}

static double float_of(uint64_t bits, size_t bytes) {
    float narrow;
    double wide;
    uint32_t low = (uint32_t)bits;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return bytes == 4 ? (double)narrow : wide;
}

void ggufread_number(struct gguf_value *value, const uint8_t *at) {
    size_t bytes = gguf_type_bytes(value->type);
    uint64_t bits = number_at(at, bytes);
    switch (value->type) {
    case GGUF_I8:
    case GGUF_I16:
    case GGUF_I32:
    case GGUF_I64: value->i = signed_of(bits, bytes); break;
    case GGUF_F32:
    case GGUF_F64: value->f = float_of(bits, bytes); break;
    case GGUF_BOOL: value->u = bits != 0; break; /* ggml: any non-zero byte is true */
    default: value->u = bits;
    }
}

static bool read_scalar(struct gguf_value *value, struct reader *r) {
    const uint8_t *at = take(r, gguf_type_bytes(value->type), "the value");
    if (at) ggufread_number(value, at);
    return at != NULL;
}

static bool read_value(struct reader *r) {
    struct gguf *file = r->file;
    if (!grow((void **)&file->values, file->n_values, sizeof *file->values, r->st)) return false;
    struct gguf_value value = {0};
    if (!take_name(r, KEY_LIMIT, "the key")) return false;
    value.key = r->name;
    if (!take_type(&value.type, r, "the value's type")) return false;
    value.offset = r->at;
    bool ok = value.type == GGUF_STRING  ? take_string(&value.string, r, "the value")
              : value.type == GGUF_ARRAY ? read_array(&value.array, r)
                                         : read_scalar(&value, r);
    if (ok) file->values[file->n_values++] = value;
    return ok;
}

static bool read_values(struct reader *r, uint64_t n) {
    r->part = "value";
    for (uint64_t i = 0; i < n; i++) {
        r->index = (size_t)i;
        r->name = (struct view){0};
        if (!read_value(r)) return false;
    }
    return true;
}

int ggufread_compare(struct view a, struct view b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.at, b.at, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Equal keys stand in the order of the file. */
static int compare_values(const void *a, const void *b) {
    const struct gguf_value *x = *(const struct gguf_value *const *)a;
    const struct gguf_value *y = *(const struct gguf_value *const *)b;
    int order = ggufread_compare(x->key, y->key);
    return order ? order : (x > y) - (x < y);
}

bool ggufread_sort_values(struct gguf *file, struct status *st) {
    struct reader r = {.file = file, .part = "value", .st = st};
    file->by_key = arena_alloc(&file->arena, file->n_values, sizeof *file->by_key, st);
    if (!file->by_key) return false;
    for (size_t i = 0; i < file->n_values; i++) file->by_key[i] = &file->values[i];
    qsort(file->by_key, file->n_values, sizeof *file->by_key, compare_values);
    for (size_t i = 1; i < file->n_values; i++) {
        const struct gguf_value *a = file->by_key[i - 1], *b = file->by_key[i];
        if (!view_equal(a->key, b->key)) continue;
        r.index = (size_t)(b - file->values);
        r.name = b->key;
        return refuse_damaged(&r, b->offset, "the key was given before, as value %td", a - file->values);
    }
    return true;
}

/* ggml reads general.alignment as a uint32 and nothing else, and wants a power of two. */
static bool read_alignment(struct reader *r) {
    struct gguf *file = r->file;
    file->alignment = 32;
    const struct gguf_value *value = gguf_find(file, "general.alignment");
    if (!value) return true;
    r->index = (size_t)(value - file->values);
    r->name = value->key;
    if (value->type != GGUF_U32)
        return refuse(r, STATUS_BAD_INPUT, value->offset, rewrite,
                      "the alignment has type %s and must be uint32", gguf_type_name(value->type));
    if (value->u == 0 || (value->u & (value->u - 1)))
        return refuse(r, STATUS_BAD_INPUT, value->offset, rewrite, "an alignment of %llu is no power of two",
                      (unsigned long long)value->u);
    file->alignment = (size_t)value->u;
    return true;
}

/* --- tensors -------------------------------------------------------------------------------------------- */

static bool block_of(size_t *elements, size_t *bytes, uint32_t id) {
    switch (id) {
#define GGML_BLOCK(id_, elements_, bytes_)                                                                   \
    case id_:                                                                                                \
        *elements = elements_, *bytes = bytes_;                                                              \
        return true;
#include "engine/file/ggmlblocks.inc"
#undef GGML_BLOCK
    default: return false;
    }
}

static bool read_dims(struct gguf_tensor *tensor, struct reader *r) {
    size_t start = r->at;
    uint32_t n;
    if (!take_u32(&n, r, "the number of dimensions")) return false;
    if (n > DIMS_LIMIT)
        return refuse_damaged(r, start, "%u dimensions, and at most %d are allowed", n, DIMS_LIMIT);
    tensor->n_dims = n;
    uint64_t product = 1;
    for (uint32_t i = 0; i < DIMS_LIMIT; i++) {
        start = r->at;
        tensor->dims[i] = 1;
        if (i < n && !take_u64(&tensor->dims[i], r, "a dimension")) return false;
        if (tensor->dims[i] == 0 || tensor->dims[i] > INT64_MAX)
            return refuse_damaged(r, start, "dimension %u is %lld", i, (long long)tensor->dims[i]);
        if (!checked_mul_u64(&product, product, tensor->dims[i]) || product > INT64_MAX)
            return refuse_damaged(r, start, "the product of the dimensions exceeds 2^63 at dimension %u", i);
    }
    return true;
}

/* Checks the type and sets tensor->bytes. */
static bool read_tensor_type(struct gguf_tensor *tensor, struct reader *r) {
    size_t start = r->at, elements, bytes;
    if (!take_u32(&tensor->type, r, "the tensor's type")) return false;
    const char *name = dtype_ggml_name(tensor->type);
    if (!block_of(&elements, &bytes, tensor->type))
        return refuse(r, STATUS_UNSUPPORTED, start, rewrite, "the tensor's type is %u, %s", tensor->type,
                      name ? "which ggml has removed" : "which ggml does not know (a fork's own?)");
    if (tensor->dims[0] % elements)
        return refuse_damaged(r, start, "a row of %llu elements is no whole number of %s blocks of %zu",
                              (unsigned long long)tensor->dims[0], gguf_tensor_type_name(tensor->type),
                              elements);
    uint64_t total = tensor->dims[0] / elements;
    for (int i = 1; i < DIMS_LIMIT; i++) total *= tensor->dims[i]; /* at most the checked product */
    if (!checked_mul_u64(&total, total, bytes) || total > SIZE_MAX)
        return refuse_damaged(r, start, "its dimensions give it a size above 2^64 bytes");
    tensor->bytes = (size_t)total;
    return true;
}

/* Reads the offset within the data section, which ggml wants to be where the tensor before it ended:
 * *end, rounded up. Leaves it relative; place_tensors adds the section's start. */
static bool read_tensor_offset(struct gguf_tensor *tensor, struct reader *r, uint64_t *end) {
    size_t start = r->at;
    uint64_t offset, padded;
    if (!take_u64(&offset, r, "the tensor's offset")) return false;
    if (!checked_add_u64(&padded, *end, r->file->alignment - 1))
        return refuse_damaged(r, start, "the offset of the tensor exceeds 2^64");
    padded &= ~(uint64_t)(r->file->alignment - 1);
    if (offset != padded)
        return refuse_damaged(r, start, "its data has offset %llu, but the tensor before it ends at %llu",
                              (unsigned long long)offset, (unsigned long long)padded);
    if (!checked_add_u64(end, offset, tensor->bytes) || *end > r->file->n_bytes)
        return refuse_damaged(r, start, "its data, %zu bytes from offset %llu on, goes past the file's end",
                              tensor->bytes, (unsigned long long)offset);
    tensor->offset = (size_t)offset;
    return true;
}

static bool read_tensors(struct reader *r, uint64_t n) {
    struct gguf *file = r->file;
    uint64_t end = 0;
    r->part = "tensor";
    for (uint64_t i = 0; i < n; i++) {
        r->index = (size_t)i;
        r->name = (struct view){0};
        if (!grow((void **)&file->tensors, file->n_tensors, sizeof *file->tensors, r->st)) return false;
        struct gguf_tensor tensor = {0};
        if (!take_name(r, NAME_LIMIT, "the tensor's name")) return false;
        tensor.name = r->name;
        if (!read_dims(&tensor, r) || !read_tensor_type(&tensor, r) || !read_tensor_offset(&tensor, r, &end))
            return false;
        file->tensors[file->n_tensors++] = tensor;
    }
    return true;
}

/* The data section starts at the next multiple of the alignment; every tensor must lie in the file. */
static bool place_tensors(struct reader *r) {
    struct gguf *file = r->file;
    size_t start;
    if (!checked_add(&start, r->at, file->alignment - 1))
        return refuse_damaged(r, r->at, "an alignment of %zu puts the data past the end", file->alignment);
    start &= ~(file->alignment - 1);
    file->data_offset = start;
    for (size_t i = 0; i < file->n_tensors; i++) {
        struct gguf_tensor *tensor = &file->tensors[i];
        size_t end;
        r->index = i;
        r->name = tensor->name;
        if (!checked_add(&tensor->offset, tensor->offset, start) ||
            !checked_add(&end, tensor->offset, tensor->bytes) || end > file->n_bytes)
            return refuse_damaged(r, tensor->offset,
                                  "its %zu bytes of data at this offset go past the file's end at byte %zu",
                                  tensor->bytes, file->n_bytes);
        tensor->data = file->bytes + tensor->offset;
    }
    return true;
}

static int compare_tensors(const void *a, const void *b) {
    const struct gguf_tensor *x = *(const struct gguf_tensor *const *)a;
    const struct gguf_tensor *y = *(const struct gguf_tensor *const *)b;
    int order = ggufread_compare(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

static bool refuse_second(struct gguf *file, const struct gguf_tensor *a, const struct gguf_tensor *b,
                          struct status *st) {
    char first[VIEW_SHOWN], second[VIEW_SHOWN];
    if (b->source.n)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: byte %zu, tensor '%s': it and '%s' are both %s of this model; the model is damaged",
            file->path, b->offset, view_shown(second, b->source), view_shown(first, a->source), b->name.at);
    struct gguf *home = file->parts ? file->parts[b->part] : file;
    struct reader r = {
        .file = home, .part = "tensor", .index = (size_t)(b - file->tensors), .name = b->name, .st = st};
    return refuse_damaged(&r, (size_t)((const uint8_t *)b->name.at - home->bytes),
                          "tensor %td has the same name", a - file->tensors);
}

bool ggufread_sort_tensors(struct gguf *file, struct status *st) {
    file->by_name = arena_alloc(&file->arena, file->n_tensors, sizeof *file->by_name, st);
    if (!file->by_name) return false;
    for (size_t i = 0; i < file->n_tensors; i++) file->by_name[i] = &file->tensors[i];
    qsort(file->by_name, file->n_tensors, sizeof *file->by_name, compare_tensors);
    for (size_t i = 1; i < file->n_tensors; i++) {
        const struct gguf_tensor *a = file->by_name[i - 1], *b = file->by_name[i];
        if (view_equal(a->name, b->name)) return refuse_second(file, a, b, st);
    }
    return true;
}

bool ggufread_all(struct gguf *file, struct status *st) {
    struct reader r = {.file = file, .st = st};
    uint64_t n_tensors, n_values;
    return read_magic(&r) && read_version(&r) &&
           read_count(&n_tensors, &r, "the count of tensors", LEAST_TENSOR) &&
           read_count(&n_values, &r, "the count of metadata values", LEAST_VALUE) &&
           read_values(&r, n_values) && ggufread_sort_values(file, st) && read_alignment(&r) &&
           read_tensors(&r, n_tensors) && place_tensors(&r) && ggufread_sort_tensors(file, st);
}
