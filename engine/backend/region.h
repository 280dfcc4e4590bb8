/* region: a large block of zeroed memory straight from the system.
 *
 * Owns:    its mapping. Pages are taken when they are first written.
 * Trusts:  nothing.
 * Threads: any; open and close once.
 */
#ifndef ENGINE_BACKEND_REGION_H
#define ENGINE_BACKEND_REGION_H

#include "base/status.h"

#include <stddef.h>

struct region {
    void *at; /* page-aligned; NULL when closed */
    size_t n;
};

/* `what` it is for, and what makes it smaller, stands in the refusal. `huge` asks for 2 MiB pages: fewer
 * faults and more bandwidth for what is read from end to end, and memory taken 2 MiB at a time. */
bool region_open(struct region *region, size_t n, bool huge, const char *what,
                 struct status *st) STATUS_MUST_USE;
void region_close(struct region *region);

#endif
