/* stamps: which blob each file of a working tree held when it was last read, good as long as size, times and
 * inode are the same: git's own rule for its index. A file that changed within two seconds of being read is
 * not remembered, since it could change again without showing it.
 *
 * Owns:    the table; stamps_free.
 * Trusts:  the file system's times; not the cache: a table that cannot be read is empty.
 * Threads: one struct, one thread.
 */
#ifndef COVERAGE_DEBT_STAMPS_H
#define COVERAGE_DEBT_STAMPS_H

#include "base/str.h"
#include "git/change.h"

#include <stdint.h>

struct cache;
struct stat;

struct stamp {
    const char *path;
    int64_t size, modified, changed, inode; /* times in nanoseconds */
    char oid[OID_TEXT];
};

struct stamps {
    struct str bytes; /* what the paths point into */
    struct stamp *at; /* by path */
    size_t n;
};

/* The table of the working tree at `root`; empty when there is none. */
void stamps_load(struct stamps *out, struct cache *cache, const char *root);
void stamps_save(struct cache *cache, const char *root, const struct stamp *all, size_t n);
void stamps_free(struct stamps *stamps);

/* What the file looks like now; false when it is none, or may still be changing. `now`: nanoseconds. */
bool stamp_take(struct stamp *out, const char *path, const struct stat *info, int64_t now);

/* Puts the blob's name into `stamp` if the table knows a file of this look. */
bool stamps_find(struct stamp *stamp, const struct stamps *stamps);

#endif
