/* mapguard: mapped files that may be cut while they are read.
 *
 * Owns:    a handler of SIGBUS, from the first mapping that is open to the last, and what was there before
 * it. Trusts:  nothing. git replaces its files and never cuts them; whoever else does must not kill a commit
 * hook. Threads: one at a time: the list of mappings is the process's.
 *
 * A page that a file no longer has raises SIGBUS (mmap(2)). The handler puts a page of zeros in its place,
 * which a parser that trusts nothing survives, and remembers it: mapguard_sound is false from then on, and
 * whatever was read must not be believed. A SIGBUS from anywhere else goes to whom it went before.
 */
#ifndef GIT_INDEX_MAPGUARD_H
#define GIT_INDEX_MAPGUARD_H

#include "base/file.h"

/* As mapping_open and mapping_close. */
bool mapguard_open(struct mapping *map, const char *path, struct status *st) STATUS_MUST_USE;
void mapguard_close(struct mapping *map);

/* No mapped file was cut while it was read. Fails with STATUS_UNSUPPORTED: another reader may know more. */
bool mapguard_sound(struct status *st) STATUS_MUST_USE;

#endif
