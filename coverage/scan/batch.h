/* batch: many files scanned on several threads, given out in order.
 *
 * Owns:    nothing after a call; at most BATCH_AHEAD results wait for their turn.
 * Trusts:  nothing in the files, as scan_path.
 * Threads: started and joined within one call; `give` is called from the caller's.
 */
#ifndef COVERAGE_SCAN_BATCH_H
#define COVERAGE_SCAN_BATCH_H

#include "coverage/scan/scan.h"

enum { BATCH_JOBS = 64, BATCH_AHEAD = 256 };

struct batch_item {
    const char *path;
    const char *refused; /* NULL, or why it is not to be read: the record says so and holds no kernel */
    const char *note;    /* NULL, or what the record's note says where it has none of its own */
};

/* Gives the record of each item to `give`, in order, the same for any number of jobs. A record lives for the
 * call. False when a grammar does not load, memory is out or `give` says false (it sets st). */
typedef bool batch_give(void *context, const struct scan_file *file, struct status *st);
bool batch_scan(const struct batch_item *items, size_t n, const struct scan_request *like, int jobs,
                batch_give *give, void *context, struct status *st) STATUS_MUST_USE;

#endif
