/* checkkern: proves a kernel, case by case.
 *
 * A kernel is right when, on every shape and every kind of number (trial.h, sweep.h),
 *   against `ref` on the same inputs, or what the op gives by definition where that needs no arithmetic: the
 * cosine is at least `cosine`, the normalised error at most `error`, the largest element of each row is the
 * same (or as large, within the error), all results are finite. A cosine alone is blind to a scale, an error
 * alone to a rotation: always both; against itself, bit for bit: however the units are cut, and for `linear`
 * however the batch is; against the portable clone of its lane: bit for bit; no word outside of its output
 * rows, or behind its scratch, changes. The idea of one harness that every kernel of a table passes through
 * is dav1d's checkasm.
 *
 * Owns:    nothing.
 * Trusts:  ref, which values by hand (tests/unit/test_kernels.c) and golden vectors of the reference
 * libraries (tests/unit/test_engine.c) hold. Threads: one call, one thread.
 */
#ifndef TESTS_CHECKKERN_CHECKKERN_H
#define TESTS_CHECKKERN_CHECKKERN_H

#include "engine/kernels/kernel.h"

enum checkkern_verdict { CHECKKERN_PASS, CHECKKERN_FAIL, CHECKKERN_SKIP };

struct checkkern_floor {
    double cosine, error;
};

struct checkkern_result {
    enum checkkern_verdict verdict; /* SKIP: this CPU cannot run it; that is no PASS */
    size_t n_cases;
    bool is_oracle;       /* a kernel of ref, compared with nothing: cosine and error say nothing */
    double cosine, error; /* the worst of all cases */
    bool has_argmax;      /* false where a row's largest element means nothing */
    bool argmax, finite, guards, same_bits;
    uint64_t bits; /* of all results of all cases: the same for every clone, on every processor */
    char why[240]; /* the first case that failed, or why it was skipped */
};

/* What a kernel of this op has to reach on the CPU, by contract: with activations of so many bits where they
 * are integers, with keys and values of this type where it reads pages. Lanes other than ref may ask for less
 * by name in the matrix; these are for the exact lane, a few times what it measures. */
struct checkkern_floor checkkern_floor(const char *op, int activations, enum kv_type kv);

/* QUICK: the shapes of trial.h, and those of sweep.h with at most 2^15 products each. FULL: with 2^24
 * (attention, experts, delta net and the oracle: 2^20), and with every kind of number in a sixteenth of it.
 * TENTH: a tenth of FULL. SPARSE: a tenth of QUICK, for builds that check every access. */
enum checkkern_depth { CHECKKERN_QUICK, CHECKKERN_FULL, CHECKKERN_TENTH, CHECKKERN_SPARSE };

/* Which of a kernel's cases. */
struct checkkern_cases {
    enum checkkern_depth depth;
    int activations;  /* bits of activations where they are integers: 16, 8; 0: both. 8: those alone */
    const char *type; /* of the weights; NULL: all that the op takes */
    const char *kv;   /* the type of keys and values; NULL: every one */
};

/* Are there contracts to choose from: activations as integers of 16 or of 8 bits; keys and values of every
 * type? */
bool checkkern_has_widths(const struct kernel *kernel);
bool checkkern_has_pages(const struct kernel *kernel);

/* Case by case until one fails. kernel->run may be a mutant: it is tried, not trusted. */
void checkkern_run(struct checkkern_result *result, const struct kernel *kernel,
                   const struct checkkern_floor *floor, const struct checkkern_cases *cases);

/* "PASS", "FAIL", "SKIP" */
const char *checkkern_verdict_name(enum checkkern_verdict verdict);

#endif
