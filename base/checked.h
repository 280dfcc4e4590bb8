/* checked: size arithmetic that says when it overflows, for every number that a file gave us. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool checked_mul(size_t *out, size_t a, size_t b) { return !__builtin_mul_overflow(a, b, out); }

static inline bool checked_add(size_t *out, size_t a, size_t b) { return !__builtin_add_overflow(a, b, out); }

static inline bool checked_mul_u64(uint64_t *out, uint64_t a, uint64_t b) {
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool checked_add_u64(uint64_t *out, uint64_t a, uint64_t b) {
    return !__builtin_add_overflow(a, b, out);
}

#endif
