/* synth_layout: matrices of random codes in the layouts of other formats (engine/tensor/layout.h), each in
 * some of its widths, groups and orders of columns, as the shape says.
 *
 * Owns:    nothing; memory comes from the caller's arena. Trusts the caller for shapes. One generator, one
 * thread.
 */
#ifndef TESTS_CHECKKERN_SYNTH_LAYOUT_H
#define TESTS_CHECKKERN_SYNTH_LAYOUT_H

#include "engine/tensor/layout.h"
#include "tests/checkkern/synth.h"

/* `type` is GPTQ, AWQ, EXL2 or PACKED. EXL2's columns come in multiples of 32: n_cols is rounded up. */
struct layout synth_layout(struct arena *arena, struct synth *s, enum synth_kind kind, enum dtype type,
                           size_t n_rows, size_t *n_cols);

#endif
