/* name: how names that are typed by hand are compared: case does not count, and blank, '_' and '-' are one.
 * Owns nothing, trusts nothing, any thread. */
#ifndef SOTADB_NAME_H
#define SOTADB_NAME_H

#include "base/str.h"

static inline char name_fold(char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '_' || c == ' ' ? '-' : c;
}

static inline bool name_equal(struct view a, struct view b) {
    size_t i = 0;
    if (a.n != b.n) return false;
    while (i < a.n && name_fold(a.at[i]) == name_fold(b.at[i])) i++;
    return i == a.n;
}

#endif
