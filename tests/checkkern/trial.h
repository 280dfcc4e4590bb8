/* trial: one task for a kernel, with inputs made up and outputs that can be had several times over.
 *
 * Owns:    struct trial owns everything in its arena.
 * Trusts:  the shape fits the op (trial_shapes makes only such).
 * Threads: one trial, one thread.
 */
#ifndef TESTS_CHECKKERN_TRIAL_H
#define TESTS_CHECKKERN_TRIAL_H

#include "engine/kernels/kernel.h"
#include "tests/checkkern/synth.h"

/* What a task is like. Members that an op does not have are ignored. */
struct trial_shape {
    size_t n;             /* rows */
    size_t width, n_cols; /* of the output; of the input of `linear` */
    size_t head_dim, n_kv_heads, group;
    size_t positions;         /* attention: the last token's position + 1 */
    size_t window, value_dim; /* attention: 0: none; 0: as head_dim */
    size_t rows_per_unit;     /* attention; 0: 1 */
    bool sinks;               /* attention */
    float cap;                /* attention; 0: none */
    enum kv_type kv;          /* attention, kv_store */
    enum dtype type;
    int bits; /* of quantised activations */
    enum synth_kind kind;
    bool strided; /* rows lie apart, with words between that nobody may touch */
    bool halves;  /* rope */
    bool first_page_masked;
};

enum { TRIAL_MAX_OUTPUTS = 4 };

/* A block of memory that the kernel writes: rows within guard words. */
struct trial_output {
    size_t at;                    /* offset in struct task of the pointer to it */
    size_t n_rows, width, stride; /* floats; a row of integers is counted in floats too */
    const float *initial;         /* contents before, for work in place; NULL: guard words */
};

struct trial {
    struct arena arena;
    struct trial_shape shape;
    const char *op;   /* as in kernels.inc */
    bool panels;      /* as in trial_build */
    struct task task; /* outputs point nowhere until trial_outputs */
    size_t units;
    struct trial_output outputs[TRIAL_MAX_OUTPUTS];
    size_t n_outputs;
};

/* `panels`: weights re-laid and activations quantised, as lanes other than ref want them. */
void trial_build(struct trial *trial, const char *op, const struct trial_shape *shape, bool panels);
void trial_release(struct trial *trial);

/* A copy of the task with outputs of its own, freshly guarded. The first output's memory is followed by the
 * second's and so on; *memory holds all of them, *n words. */
struct task trial_outputs(struct trial *trial, float **memory, size_t *n);

/* Are all words outside of the rows what they were? */
bool trial_guards_hold(const struct trial *trial, const float *memory);

/* The rows of all outputs, one behind the other, as numbers to compare with the oracle's:
 * for `quantize` q * scale, the scaled sums, and the sums of halves times the scale. Returns how many; values
 * may be NULL to count. */
size_t trial_values(const struct trial *trial, const float *memory, double *values);

/* What the op gives by definition, in the same order, for ops that need no arithmetic to say so: `quantize`
 * (the input and the sums of its blocks), `embed`, `select`, `add`, `kv_store`. False for the others: ref is
 * their oracle. values may be NULL to ask. */
bool trial_definition(const struct trial *trial, double *values);

/* The activations of `linear` as they were quantised, instead of those they were made from. */
void trial_decode_input(struct trial *trial);

/* The widest row that a kernel works on, columns that fill up a block included: what kernel_scratch asks for.
 */
size_t trial_width(const struct trial *trial);

/* Width of a row of trial_values, for argmax; 0 where argmax means nothing. */
size_t trial_row_width(const struct trial *trial);

/* Does the op take integers for activations, with weights of this type: 16 bits or 8 wide? Any op that takes
 * pages: keys and values of every type? */
bool trial_takes_integers(const char *op, enum dtype type);
bool trial_takes_pages(const char *op);

/* The next of the shapes worth trying for this op; `i` counts from 0. False when there are no more. */
bool trial_next_shape(struct trial_shape *shape, const char *op, enum dtype type, size_t i);

#endif
