/* touched: the kernels of a file whose code a change changes, by name.
 *
 * Owns:    nothing; names live in the arena of whoever asked.
 * Trusts:  nothing: both versions of the file are any bytes. What the scanner cannot read has no names.
 * Threads: one call, one thread.
 *
 * No lines are counted: both versions are scanned, and a kernel is touched when one of them lacks it or when
 * its code differs (hooks/gate/code.h), so that a kernel that only moved, or got a comment, is not.
 */
#ifndef HOOKS_GATE_TOUCHED_H
#define HOOKS_GATE_TOUCHED_H

#include "coverage/scan/scan.h"

/* scan_text of coverage/scan/scan.h, which lives in a module that is loaded on demand. */
typedef bool touched_scan(struct scan_file *out, struct view text, const struct scan_request *request,
                          struct arena *arena, struct status *st);

struct touched {
    const char *const
        *names; /* in the order of the file, each once; kernels, then helpers where no kernel is touched */
    size_t n;
};

bool touched_find(struct touched *out, const char *path, bool kernel_place, struct view before,
                  struct view after, touched_scan *scan, struct arena *arena,
                  struct status *st) STATUS_MUST_USE;

#endif
