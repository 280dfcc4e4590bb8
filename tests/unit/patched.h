/* patched: a copy of a model file in memory with a few bytes changed, for tests of what must be refused. */
#ifndef TESTS_UNIT_PATCHED_H
#define TESTS_UNIT_PATCHED_H

#include "base/file.h"
#include "base/str.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct patched {
    struct str bytes;
    char path[32];
};

/* Where the text, written in a GGUF file as u64 length and bytes, ends; the test stops when it is not there.
 */
static inline char *patched_after(struct patched *p, const char *text) {
    size_t n = strlen(text);
    for (char *at = p->bytes.at; at + n + 8 <= p->bytes.at + p->bytes.n; at++) {
        uint64_t length;
        memcpy(&length, at, sizeof length);
        if (length == n && memcmp(at + 8, text, n) == 0) return at + 8 + n;
    }
    abort();
}

static inline void patched_load(struct patched *p, const char *path) {
    *p = (struct patched){.path = "/tmp/fak-test-XXXXXX"};
    if (!file_read(&p->bytes, path, SIZE_MAX / 2, NULL)) abort();
}

/* The value of a metadata key whose type has four bytes. */
static inline void patched_u32(struct patched *p, const char *key, uint32_t value) {
    memcpy(patched_after(p, key) + 4, &value, sizeof value);
}
static inline void patched_f32(struct patched *p, const char *key, float value) {
    memcpy(patched_after(p, key) + 4, &value, sizeof value);
}

/* Every such text becomes another of the same length; a key or a tensor is hidden by it. */
static inline void patched_rename(struct patched *p, const char *from, const char *to) {
    if (strlen(from) != strlen(to)) abort();
    memcpy(patched_after(p, from) - strlen(from), to, strlen(to));
}

/* A further metadata entry, before all others. A filler after it keeps the data where alignment wants it. */
static inline void patched_add(struct patched *p, const char *key, uint32_t type, const void *value,
                               size_t n) {
    enum { HEADER = 24, ALIGNMENT = 32, STRING = 8 };
    struct str added = {0}, whole = {0};
    uint64_t length = strlen(key), n_values;
    uint32_t string = STRING;
    str_add(&added, (const char *)&length, 8);
    str_puts(&added, key);
    str_add(&added, (const char *)&type, 4);
    str_add(&added, value, n);
    length = strlen("filler.") + strlen(key);
    str_add(&added, (const char *)&length, 8);
    str_printf(&added, "filler.%s", key);
    str_add(&added, (const char *)&string, 4);
    length = (ALIGNMENT - (added.n + 8) % ALIGNMENT) % ALIGNMENT;
    str_add(&added, (const char *)&length, 8);
    while (length-- > 0) str_putc(&added, '.');
    str_add(&whole, p->bytes.at, HEADER);
    memcpy(&n_values, whole.at + 16, 8);
    n_values += 2;
    memcpy(whole.at + 16, &n_values, 8);
    str_add(&whole, added.at, added.n);
    str_add(&whole, p->bytes.at + HEADER, p->bytes.n - HEADER);
    if (whole.failed) abort();
    str_free(&added);
    str_free(&p->bytes);
    p->bytes = whole;
}
static inline void patched_add_u32(struct patched *p, const char *key, uint32_t value) {
    patched_add(p, key, 4, &value, sizeof value);
}
static inline void patched_add_f32(struct patched *p, const char *key, float value) {
    patched_add(p, key, 6, &value, sizeof value);
}
static inline void patched_add_string(struct patched *p, const char *key, const char *text) {
    struct str value = {0};
    uint64_t length = strlen(text);
    str_add(&value, (const char *)&length, 8);
    str_puts(&value, text);
    patched_add(p, key, 8, value.at, value.n);
    str_free(&value);
}

/* The two dimensions of a tensor change places. */
static inline void patched_transpose(struct patched *p, const char *tensor) {
    char *dims = patched_after(p, tensor) + 4, first[8];
    memcpy(first, dims, 8);
    memcpy(dims, dims + 8, 8);
    memcpy(dims + 8, first, 8);
}

/* Writes the file; patched_end removes it. */
static inline const char *patched_path(struct patched *p) {
    int fd = mkstemp(p->path);
    if (fd < 0 || write(fd, p->bytes.at, p->bytes.n) != (ssize_t)p->bytes.n || close(fd) != 0) abort();
    return p->path;
}

static inline void patched_end(struct patched *p) {
    unlink(p->path);
    str_free(&p->bytes);
}

#endif
