/* instances: what the use of a macro that instantiates templates instantiates.
 *
 * Owns nothing; adds to the reader's sites. Trusts nothing: nesting and number are bounded. As the reader's
 * thread. */
#ifndef COVERAGE_SCAN_INSTANCES_H
#define COVERAGE_SCAN_INSTANCES_H

#include "coverage/scan/site.h"

/* The use that begins at token `use` and ends at `close`. Each instantiation is called after its host_name,
 * parts of it put together ("add_" #type), else after the template. */
bool instances_add(struct site_reader *r, const struct macro *macro, size_t use,
                   size_t close) STATUS_MUST_USE;

#endif
