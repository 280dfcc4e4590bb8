/* record: what is known of one file, as bytes that can be kept and read back: what scan found, and the
 * suppressions that its comments hold.
 *
 * Owns:    nothing; texts live in the caller's arena.
 * Trusts:  nothing when reading: bytes that are no record of this version are refused.
 * Threads: any.
 */
#ifndef COVERAGE_DEBT_RECORD_H
#define COVERAGE_DEBT_RECORD_H

#include "coverage/debt/suppress.h"
#include "coverage/scan/scan.h"

struct record {
    struct scan_file scan;
    const struct suppress *suppresses;
    size_t n_suppresses;
};

void record_write(struct str *out, const struct record *record);

/* False when the bytes are none, or memory is out; *out is then empty. `path` becomes the path of the record.
 */
bool record_read(struct record *out, struct view bytes, const char *path, struct arena *arena);

/* Names this way of writing records and the scanner that they come from: records of another are worthless. */
const char *record_version(void);

#endif
