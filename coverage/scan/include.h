/* include: the macros and vector types that a C file takes from its own headers.
 *
 * Owns:    nothing; the headers' texts live in the arena, because macros point into them.
 * Trusts:  nothing: at most INCLUDE_FILES regular files of INCLUDE_BYTES, each read once.
 * Threads: one arena, one thread.
 */
#ifndef COVERAGE_SCAN_INCLUDE_H
#define COVERAGE_SCAN_INCLUDE_H

#include "base/arena.h"
#include "coverage/scan/macro.h"
#include "coverage/scan/scan.h"

enum { INCLUDE_FILES = 32, INCLUDE_BYTES = 1 << 20 };

/* Follows quoted includes, those of the headers too: from the folder of the file that includes, else from
 * `root`. Headers that are not there are passed over. Nothing is followed when both are NULL.
 * With `headers` they are asked for, not read from disk. */
bool include_macros(struct macros *macros, const struct lex *lex, const char *folder, const char *root,
                    const struct scan_headers *headers, struct arena *arena,
                    struct status *st) STATUS_MUST_USE;

#endif
