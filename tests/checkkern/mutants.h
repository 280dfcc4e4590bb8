/* mutants: kernels that are wrong in one way each. checkkern must turn every one of them down; a harness
 * that lets one live is not looking. Constant; any thread. */
#ifndef TESTS_CHECKKERN_MUTANTS_H
#define TESTS_CHECKKERN_MUTANTS_H

#include "tests/checkkern/checkkern.h"

struct mutant {
    const char *name;             /* what is wrong */
    struct kernel kernel;         /* the row it pretends to be */
    const char *found_by;         /* a part of checkkern's answer */
    struct checkkern_cases cases; /* those that have to find it */
};

extern const struct mutant mutants[];
extern const size_t n_mutants;

#endif
