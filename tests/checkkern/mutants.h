/* mutants: kernels that are wrong in one way each. checkkern must turn every one of them down; a harness
 * that lets one live is not looking. Constant; any thread. */
#ifndef TESTS_CHECKKERN_MUTANTS_H
#define TESTS_CHECKKERN_MUTANTS_H

#include "engine/kernels/kernel.h"

struct mutant {
    const char *name;     /* what is wrong */
    struct kernel kernel; /* the row it pretends to be */
    const char *found_by; /* a part of checkkern's answer */
};

extern const struct mutant mutants[];
extern const size_t n_mutants;

#endif
