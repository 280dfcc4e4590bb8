/* fpanel: F32, F16 and BF16 weights re-laid so that 16 rows fill the lanes of a vector.
 *
 * Owns:    nothing; the caller allocates fpanel_bytes, aligned to 64.
 * Trusts:  the caller for lengths. Rows past the last are packed as zeros.
 * Threads: any number at once, on different panels.
 *
 * A panel is LINEAR_ROWS rows of a weight, column by column, so that a product reads one stream and needs no
 * sum across lanes:
 *   F32    a line of 64 bytes for each column, value r belongs to row r
 *   F16    half a line for each column
 *   BF16   a line for two columns: 32-bit word r is row r's pair, the even column in its low half, so that
 *          one shift or one mask makes an f32 of either
 * An odd last column of F16 or BF16 has zeros behind it.
 */
#ifndef ENGINE_KERNELS_FPANEL_H
#define ENGINE_KERNELS_FPANEL_H

#include "engine/tensor/dtype.h"

#include <stddef.h>

/* Bytes of one panel of rows of n_cols, 0 for a type that has none. */
size_t fpanel_bytes(enum dtype type, size_t n_cols);

/* Panel number `panel` of rows [n_rows][n_cols] as in the file. */
void fpanel_pack(void *out, enum dtype type, const void *rows, size_t n_rows, size_t n_cols, size_t panel);

#endif
