/* indexfile: the bytes of one index file as a table of entries.
 *
 * Owns:    a sparse table of where entries start, or (version 4, split index) a table of entries with their
 *          paths; indexfile_close. The bytes stay the caller's and have to outlive it.
 * Trusts:  nothing: every offset and count is checked against the bytes before it is used. An entry's order
 *          is checked where entries are read in sequence (treediff), not here.
 * Threads: one struct, one thread.
 *
 * Format: git, Documentation/gitformat-index. Versions 2, 3 and 4, with SHA-1 or SHA-256 names; extensions
 * TREE, link and sdir; optional ones (capital first letter) are passed over, other mandatory ones refused.
 */
#ifndef GIT_INDEX_INDEXFILE_H
#define GIT_INDEX_INDEXFILE_H

#include "base/str.h"

#include <stdint.h>

enum {
    INDEX_MODE_FOLDER = 0040000, /* a folder that a sparse checkout leaves out, its path ends in '/' */
};

struct index_entry {
    const char *path; /* not NUL-terminated */
    uint32_t n_path, mode;
    const uint8_t *id;
    uint8_t stage; /* 0, or 1 to 3 of a conflict */
    bool intended; /* `git add -N`: promised, nothing is staged */
};

struct indexfile {
    size_t n, n_id;             /* entries; bytes of an object name */
    bool sparse;                /* entries may stand for folders */
    const uint8_t *tree, *link; /* the content of the extensions; NULL: there is none */
    size_t n_tree, n_link;
    const uint8_t *at; /* the file, and where its entries end at the latest: before the checksum */
    size_t end;
    uint32_t version;
    uint32_t *starts;          /* of every 16th entry; NULL with a table */
    struct index_entry *table; /* NULL unless version 4 or split */
    char *paths;               /* what the table's paths point into, in version 4 */
};

/* n_id: OBJID_SHA1 or OBJID_SHA256. Empty on failure. */
bool indexfile_open(struct indexfile *out, const uint8_t *bytes, size_t n, size_t n_id,
                    struct status *st) STATUS_MUST_USE;
void indexfile_close(struct indexfile *index);

/* The i-th entry, i < n. */
struct index_entry indexfile_entry(const struct indexfile *index, size_t i);

/* Compares the checksum at the end with the bytes; one that was left out (index.skipHash: zeros) counts as
 * right, as it does for git. */
bool indexfile_verify(const struct indexfile *index, struct status *st) STATUS_MUST_USE;

/* Lays a split index over the shared one that its `link` names: *index has the entries of both afterwards.
 * `base` has to outlive it. */
bool indexfile_join(struct indexfile *index, const struct indexfile *base, struct status *st) STATUS_MUST_USE;

#endif
