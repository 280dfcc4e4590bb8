/* names: a set of names, each with a number, for what a file defines (macros, typedefs).
 *
 * Owns the table, not the names: they point into the text. Trusts nothing. One struct, one thread. */
#ifndef COVERAGE_SCAN_NAMES_H
#define COVERAGE_SCAN_NAMES_H

#include "base/str.h"

struct names_slot {
    struct view name; /* n is 0 in a free slot */
    int value;
};

struct names {
    struct names_slot *slots;
    size_t n, room; /* room is a power of two */
};

/* Adds name with value, or replaces its value. */
bool names_put(struct names *names, struct view name, int value, struct status *st) STATUS_MUST_USE;

/* The value of name, or -1. */
int names_get(const struct names *names, struct view name);

void names_free(struct names *names);

#endif
