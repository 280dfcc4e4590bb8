/* lpanel: matrices in layouts of other formats (engine/tensor/layout.h) as panels of codes (cpanel.h).
 *
 * Owns:    its tables, in the caller's arena.
 * Trusts:  the layout. Threads: constant once made; any number pack at once, different panels.
 *
 * A scale has to serve whole blocks of 32 columns, so columns are put in another order where a group's do not
 * stand together (act-order, EXL2), and groups are filled up to whole blocks. Activations have to be
 * quantised in that order, with 0 where a column is none. EXL2's widths of code become segments, at most one
 * each: a segment is a panel of its own over some of the blocks; a panel of the matrix is they, one behind
 * the other.
 */
#ifndef ENGINE_KERNELS_LPANEL_H
#define ENGINE_KERNELS_LPANEL_H

#include "base/arena.h"
#include "engine/kernels/cpanel.h"
#include "engine/tensor/layout.h"

enum { LPANEL_SEGMENTS = 6 /* 8, 6, 5, 4, 3 and 2 bits */ };

struct lpanel_segment {
    struct cpanel form;
    size_t at;              /* in bytes, within a panel */
    size_t first, n_blocks; /* of the blocks of a row */
};

struct lpanel {
    const struct layout *layout;
    size_t n_rows, n_blocks; /* blocks of 32 columns in all segments */
    size_t bytes;            /* of a panel of 16 rows */
    size_t n_segments;
    struct lpanel_segment segments[LPANEL_SEGMENTS];
    const int32_t *columns; /* [32 n_blocks] which column stands here, -1: none; NULL: each in its place */
    const struct layout_place *places; /* [n_blocks] of their first columns */
};

/* True where this kind of layout becomes panels of codes. */
bool lpanel_takes(const struct layout *layout);

bool lpanel_make(struct lpanel *out, const struct layout *layout, size_t n_rows, struct arena *arena,
                 struct status *st) STATUS_MUST_USE;

/* Panel number `panel` into lpanel.bytes at `out`. */
void lpanel_pack(uint8_t *out, const struct lpanel *of, size_t panel);

#endif
