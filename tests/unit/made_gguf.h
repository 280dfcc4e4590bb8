/* made_gguf: GGUF files written by hand, byte by byte, sound or not. For tests. */
#ifndef TESTS_UNIT_MADE_GGUF_H
#define TESTS_UNIT_MADE_GGUF_H

#include "base/str.h"
#include "engine/file/gguf.h"

#include <string.h>

static inline void made_number(struct str *s, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) str_putc(s, (char)(value >> 8 * i));
}

static inline void made_text(struct str *s, const char *text) {
    made_number(s, strlen(text), 8);
    str_puts(s, text);
}

static inline void made_header(struct str *s, uint32_t version, uint64_t n_tensors, uint64_t n_values) {
    str_puts(s, "GGUF");
    made_number(s, version, 4);
    made_number(s, n_tensors, 8);
    made_number(s, n_values, 8);
}

static inline void made_key(struct str *s, const char *key, enum gguf_type type) {
    made_text(s, key);
    made_number(s, type, 4);
}

static inline void made_tensor(struct str *s, const char *name, uint64_t dim0, uint64_t dim1, uint32_t type,
                               uint64_t offset) {
    made_text(s, name);
    made_number(s, 2, 4);
    made_number(s, dim0, 8);
    made_number(s, dim1, 8);
    made_number(s, type, 4);
    made_number(s, offset, 8);
}

static inline void made_padding(struct str *s, size_t alignment, size_t more) {
    while (s->n % alignment) str_putc(s, 0);
    for (size_t i = 0; i < more; i++) str_putc(s, (char)i);
}

#endif
