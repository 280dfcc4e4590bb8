/* spoilt: products that are wrong in one way each, for every type of weights alike: mutants.c gives each type
 * those that apply to it. They run the portable kernel of the exact lane on a copy of what they spoil.
 *
 * Owns nothing. Trusts the task as a kernel does. Threads: any.
 */
#ifndef TESTS_CHECKKERN_SPOILT_H
#define TESTS_CHECKKERN_SPOILT_H

#include "engine/kernels/kernel.h"

/* What a panel of codes holds (engine/kernels/panel.h). */
kernel_fn spoilt_nibbles_swapped;   /* in the lines that hold nibbles; of pairs and bytes, halves */
kernel_fn spoilt_high_bits_flipped; /* the last line of a block that has some behind its nibbles */
kernel_fn spoilt_scale_of_the_next_row;
kernel_fn spoilt_scale_of_the_other_block; /* of a super-block's: neighbours exchanged */

/* What comes with activations as integers. */
kernel_fn spoilt_min_dropped;      /* the sums that minima multiply are 0 */
kernel_fn spoilt_half_of_the_sums; /* a block's sum is that of its first half */

/* Tails. */
kernel_fn spoilt_last_rows_skipped;    /* those that do not fill a panel */
kernel_fn spoilt_last_columns_skipped; /* the last block; of numbers the last column */

#endif
