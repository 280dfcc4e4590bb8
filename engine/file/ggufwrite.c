#include "engine/file/ggufwrite.h"

#include "base/checked.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGNMENT = 32 };

struct ggufwrite {
    char *path, *temporary; /* temporary is NULL where the path is a device and written to as it is */
    FILE *file;
    struct str values, infos;
    uint64_t n_values, n_tensors, data; /* data: bytes announced, padding included */
    size_t *bytes;                      /* [n_tensors] */
    size_t at, used;                    /* the tensor that is being written, and its bytes so far */
    bool begun, failed;
    struct status st;
};

/* --- opening -------------------------------------------------------------------------------------------- */

static bool is_device(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static bool open_file(struct ggufwrite *w, struct status *st) {
    if (is_device(w->path)) {
        w->file = fopen(w->path, "wb");
    } else {
        struct str name = {0};
        str_printf(&name, "%s.XXXXXX", w->path);
        w->temporary = name.at;
        int fd = name.at ? mkstemp(name.at) : -1;
        if (fd < 0 && name.at) name.at[0] = '\0';
        if (fd >= 0) fchmod(fd, 0644);
        if (fd >= 0) w->file = fdopen(fd, "wb");
    }
    return w->file || status_fail_errno(st, "cannot write '%.200s'", w->path);
}

bool ggufwrite_open(struct ggufwrite **out, const char *path, struct status *st) {
    *out = NULL;
    struct ggufwrite *w = calloc(1, sizeof *w);
    if (w) w->path = strdup(path);
    if (!w || !w->path) {
        free(w);
        return status_fail(st, STATUS_NO_MEMORY, "out of memory writing '%.200s'", path);
    }
    if (open_file(w, st)) *out = w;
    else ggufwrite_abandon(w);
    return *out != NULL;
}

bool ggufwrite_open_memory(struct ggufwrite **out, char **bytes, size_t *n, struct status *st) {
    *out = NULL;
    *bytes = NULL;
    struct ggufwrite *w = calloc(1, sizeof *w);
    if (w) w->path = strdup("memory");
    if (w && w->path) w->file = open_memstream(bytes, n);
    if (w && w->file) *out = w;
    else ggufwrite_abandon(w);
    return *out || status_fail(st, STATUS_NO_MEMORY, "out of memory for a file in memory");
}

/* --- bytes ---------------------------------------------------------------------------------------------- */

static void put_number(struct str *s, uint64_t value, int n) {
    for (int i = 0; i < n; i++) str_putc(s, (char)(value >> 8 * i));
}

static void put_text(struct str *s, struct view text) {
    put_number(s, text.n, 8);
    str_add(s, text.at, text.n);
}

static void fail(struct ggufwrite *w) {
    if (!w->failed) status_fail_errno(&w->st, "cannot write '%.200s'", w->path);
    w->failed = true;
}

static void write_bytes(struct ggufwrite *w, const void *bytes, size_t n) {
    if (!w->failed && n && fwrite(bytes, 1, n, w->file) != n) fail(w);
}

/* --- metadata ------------------------------------------------------------------------------------------- */

static void begin_value(struct ggufwrite *w, struct view key, enum gguf_type type) {
    assert(!w->begun);
    put_text(&w->values, key);
    put_number(&w->values, type, 4);
    w->n_values++;
}

void ggufwrite_u32(struct ggufwrite *w, const char *key, uint32_t value) {
    begin_value(w, view_of(key), GGUF_U32);
    put_number(&w->values, value, 4);
}

void ggufwrite_i32(struct ggufwrite *w, const char *key, int32_t value) {
    begin_value(w, view_of(key), GGUF_I32);
    put_number(&w->values, (uint32_t)value, 4);
}

static uint64_t bits_of(double value, bool wide) {
    uint64_t bits = 0;
    float narrow = (float)value;
    if (wide) memcpy(&bits, &value, sizeof value);
    else memcpy(&bits, &narrow, sizeof narrow);
    return bits;
}

void ggufwrite_f32(struct ggufwrite *w, const char *key, float value) {
    begin_value(w, view_of(key), GGUF_F32);
    put_number(&w->values, bits_of((double)value, false), 4);
}

void ggufwrite_bool(struct ggufwrite *w, const char *key, bool value) {
    begin_value(w, view_of(key), GGUF_BOOL);
    put_number(&w->values, value, 1);
}

void ggufwrite_string(struct ggufwrite *w, const char *key, struct view value) {
    begin_value(w, view_of(key), GGUF_STRING);
    put_text(&w->values, value);
}

static void begin_array(struct ggufwrite *w, struct view key, enum gguf_type type, size_t n) {
    begin_value(w, key, GGUF_ARRAY);
    put_number(&w->values, type, 4);
    put_number(&w->values, n, 8);
}

void ggufwrite_strings(struct ggufwrite *w, const char *key, const struct view *values, size_t n) {
    begin_array(w, view_of(key), GGUF_STRING, n);
    for (size_t i = 0; i < n; i++) put_text(&w->values, values[i]);
}

void ggufwrite_array(struct ggufwrite *w, const char *key, enum gguf_type type, const void *values,
                     size_t n) {
    begin_array(w, view_of(key), type, n);
    str_add(&w->values, values, n * gguf_type_bytes(type));
}

void ggufwrite_value(struct ggufwrite *w, const struct gguf_value *value) {
    const struct gguf_array *array = &value->array;
    bool wide = value->type == GGUF_F64;
    switch (value->type) {
    case GGUF_ARRAY:
        begin_array(w, value->key, array->type, array->n);
        for (size_t i = 0; array->strings && i < array->n; i++) put_text(&w->values, array->strings[i]);
        if (!array->strings)
            str_add(&w->values, (const char *)array->at, array->n * gguf_type_bytes(array->type));
        return;
    case GGUF_STRING:
        begin_value(w, value->key, value->type);
        put_text(&w->values, value->string);
        return;
    case GGUF_F32:
    case GGUF_F64:
        begin_value(w, value->key, value->type);
        put_number(&w->values, bits_of(value->f, wide), wide ? 8 : 4);
        return;
    default:
        begin_value(w, value->key, value->type);
        put_number(&w->values, value->u, (int)gguf_type_bytes(value->type));
    }
}

/* --- tensors -------------------------------------------------------------------------------------------- */

static uint64_t padded(uint64_t n) { return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

void ggufwrite_tensor(struct ggufwrite *w, struct view name, unsigned n_dims, const uint64_t *dims,
                      enum dtype type) {
    assert(!w->begun && n_dims <= 4);
    size_t bytes = dtype_row_bytes(type, n_dims ? (size_t)dims[0] : 1);
    bool fits = true;
    for (unsigned i = 1; i < n_dims; i++) fits = fits && checked_mul(&bytes, bytes, (size_t)dims[i]);
    void *grown = fits ? realloc(w->bytes, (w->n_tensors + 1) * sizeof *w->bytes) : NULL;
    if (!grown) {
        if (!w->failed) status_fail(&w->st, STATUS_NO_MEMORY, "out of memory writing '%.200s'", w->path);
        w->failed = true;
        return;
    }
    w->bytes = grown;
    w->bytes[w->n_tensors++] = bytes;
    put_text(&w->infos, name);
    put_number(&w->infos, n_dims, 4);
    for (unsigned i = 0; i < n_dims; i++) put_number(&w->infos, dims[i], 8);
    put_number(&w->infos, type, 4);
    put_number(&w->infos, w->data, 8);
    w->data += padded(bytes);
}

static void pad(struct ggufwrite *w, uint64_t n) {
    static const char zeros[ALIGNMENT];
    write_bytes(w, zeros, (size_t)(padded(n) - n));
}

/* Everything in front of the data. */
static void write_head(struct ggufwrite *w) {
    struct str head = {0};
    w->begun = true;
    str_puts(&head, "GGUF");
    put_number(&head, 3, 4);
    put_number(&head, w->n_tensors, 8);
    put_number(&head, w->n_values, 8);
    if (!w->failed && (!str_ok(&head, &w->st) || !str_ok(&w->values, &w->st) || !str_ok(&w->infos, &w->st)))
        w->failed = true;
    write_bytes(w, head.at, head.n);
    write_bytes(w, w->values.at, w->values.n);
    write_bytes(w, w->infos.at, w->infos.n);
    pad(w, head.n + w->values.n + w->infos.n);
    str_free(&head);
}

/* Past the tensors that are full. */
static void advance(struct ggufwrite *w) {
    while (w->at < w->n_tensors && w->used == w->bytes[w->at]) {
        pad(w, w->used);
        w->used = 0;
        w->at++;
    }
}

void ggufwrite_rows(struct ggufwrite *w, const void *bytes, size_t n) {
    if (!w->begun) write_head(w);
    while (n > 0 && !w->failed) {
        advance(w);
        assert(w->at < w->n_tensors && "more rows than were announced");
        size_t left = w->bytes[w->at] - w->used, now = n < left ? n : left;
        write_bytes(w, bytes, now);
        bytes = (const char *)bytes + now;
        w->used += now;
        n -= now;
    }
}

/* --- the end -------------------------------------------------------------------------------------------- */

static void finish(struct ggufwrite *w) {
    if (!w->begun) write_head(w);
    advance(w);
    if (!w->failed && w->at < w->n_tensors) {
        status_fail(&w->st, STATUS_BAD_INPUT, "'%.200s': tensor %zu of %llu was not written whole", w->path,
                    w->at, (unsigned long long)w->n_tensors);
        w->failed = true;
    }
    if (!w->failed && fflush(w->file) != 0) fail(w);
    if (!w->failed && w->temporary && fsync(fileno(w->file)) != 0) fail(w);
    if (fclose(w->file) != 0) fail(w);
    w->file = NULL;
    if (!w->failed && w->temporary && rename(w->temporary, w->path) != 0) fail(w);
    if (!w->failed && w->temporary) w->temporary[0] = '\0';
}

bool ggufwrite_end(struct ggufwrite *w, struct status *st) {
    finish(w);
    bool ok = !w->failed;
    if (!ok && st) *st = w->st;
    ggufwrite_abandon(w);
    return ok;
}

void ggufwrite_abandon(struct ggufwrite *w) {
    if (!w) return;
    if (w->file) fclose(w->file);
    if (w->temporary && w->temporary[0]) unlink(w->temporary);
    str_free(&w->values);
    str_free(&w->infos);
    free(w->bytes);
    free(w->temporary);
    free(w->path);
    free(w);
}
