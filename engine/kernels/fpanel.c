#include "engine/kernels/fpanel.h"

#include "engine/kernels/kernel.h"
#include "engine/kernels/transpose.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a BF16 pair has its even column in the low half");

/* A step takes whole cache lines of few rows: sixteen rows a power of two apart share a set of the cache. */
enum { LINE = 64, WORD_ROWS = 4, HALF_ROWS = 8 };

typedef uint16_t halves __attribute__((vector_size(16)));

size_t fpanel_bytes(enum dtype type, size_t n_cols) {
    if (type == DTYPE_F32) return n_cols * LINE;
    return type == DTYPE_F16 || type == DTYPE_BF16 ? (n_cols + 1) / 2 * LINE : 0;
}

static halves low_halves(halves a, halves b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static halves high_halves(halves a, halves b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/* Three rounds of riffling: each brings rows one bit of their number nearer. */
static void transpose_halves(uint16_t *out, halves *rows) {
    halves other[HALF_ROWS];
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < 4; i++) {
            other[2 * i] = low_halves(rows[i], rows[i + 4]);
            other[2 * i + 1] = high_halves(rows[i], rows[i + 4]);
        }
        memcpy(rows, other, sizeof other);
    }
    for (size_t i = 0; i < HALF_ROWS; i++) memcpy(out + i * LINEAR_ROWS, &rows[i], sizeof rows[i]);
}

/* WORD_ROWS rows, from lane `row` on, of n_words 32-bit words each. */
static void pack_words(uint32_t *out, const char *const *rows, size_t row, size_t n_words) {
    size_t whole = n_words / 4 * 4;
    for (size_t i = 0; i < whole; i += 4) {
        words in[WORD_ROWS];
        for (size_t r = 0; r < WORD_ROWS; r++) memcpy(&in[r], rows[row + r] + i * 4, sizeof in[r]);
        transpose_words(out + i * LINEAR_ROWS + row, LINEAR_ROWS, in);
    }
    for (size_t i = whole; i < n_words; i++)
        for (size_t r = 0; r < WORD_ROWS; r++)
            memcpy(out + i * LINEAR_ROWS + row + r, rows[row + r] + i * 4, 4);
}

static void pack_halves(uint16_t *out, const char *const *rows, size_t row, size_t n_cols) {
    size_t whole = n_cols / 8 * 8;
    for (size_t i = 0; i < whole; i += 8) {
        halves in[HALF_ROWS];
        for (size_t r = 0; r < HALF_ROWS; r++) memcpy(&in[r], rows[row + r] + i * 2, sizeof in[r]);
        transpose_halves(out + i * LINEAR_ROWS + row, in);
    }
    for (size_t i = whole; i < n_cols; i++)
        for (size_t r = 0; r < HALF_ROWS; r++)
            memcpy(out + i * LINEAR_ROWS + row + r, rows[row + r] + i * 2, 2);
}

/* One row by itself: the last panel may lack some. */
static void pack_row(char *out, enum dtype type, const char *from, size_t row, size_t n_cols) {
    size_t bytes = type == DTYPE_F32 ? 4 : 2;
    for (size_t c = 0; c < n_cols; c++) {
        size_t at = type == DTYPE_BF16 ? (c / 2 * LINEAR_ROWS + row) * 4 + c % 2 * 2
                                       : (c * LINEAR_ROWS + row) * bytes;
        memcpy(out + at, from + c * bytes, bytes);
    }
}

static void pack_whole(char *out, enum dtype type, const char *const *rows, size_t n_cols) {
    if (type == DTYPE_F16) {
        for (size_t r = 0; r < LINEAR_ROWS; r += HALF_ROWS)
            pack_halves((uint16_t *)(void *)out, rows, r, n_cols);
        return;
    }
    size_t n_words = type == DTYPE_F32 ? n_cols : n_cols / 2;
    for (size_t r = 0; r < LINEAR_ROWS; r += WORD_ROWS) pack_words((uint32_t *)(void *)out, rows, r, n_words);
    for (size_t r = 0; type == DTYPE_BF16 && n_cols % 2 && r < LINEAR_ROWS; r++)
        memcpy(out + (n_words * LINEAR_ROWS + r) * 4, rows[r] + n_words * 4, 2);
}

void fpanel_pack(void *out, enum dtype type, const void *rows, size_t n_rows, size_t n_cols, size_t panel) {
    size_t bytes = fpanel_bytes(type, n_cols), row_bytes = n_cols * (type == DTYPE_F32 ? 4 : 2);
    size_t first = panel * LINEAR_ROWS, n = n_rows - first < LINEAR_ROWS ? n_rows - first : LINEAR_ROWS;
    const char *at[LINEAR_ROWS];
    for (size_t r = 0; r < n; r++) at[r] = (const char *)rows + (first + r) * row_bytes;
    if (bytes) memset((char *)out + bytes - LINE, 0, LINE); /* behind an odd last column */
    if (n == LINEAR_ROWS) {
        pack_whole(out, type, at, n_cols);
        return;
    }
    memset(out, 0, bytes);
    for (size_t r = 0; r < n; r++) pack_row(out, type, at[r], r, n_cols);
}
