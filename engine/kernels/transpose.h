/* transpose: four rows of four 32-bit words become four columns. Owns nothing; any thread. */
#ifndef ENGINE_KERNELS_TRANSPOSE_H
#define ENGINE_KERNELS_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t words __attribute__((vector_size(16)));

/* Word i of each row, side by side, at out + i * stride words. */
static inline void transpose_words(void *out, size_t stride, const words rows[4]) {
    const words a = rows[0], b = rows[1], c = rows[2], d = rows[3];
    words ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    words ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const words columns[4] = {
        __builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
        __builtin_shufflevector(ef, gh, 0, 1, 4, 5), __builtin_shufflevector(ef, gh, 2, 3, 6, 7)};
    for (size_t i = 0; i < 4; i++) memcpy((char *)out + i * stride * 4, &columns[i], sizeof columns[i]);
}

#endif
