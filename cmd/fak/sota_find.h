/* sota_find: what `fak sota NAME` means: an operation, a file, a folder, a place in a file, a kernel.
 *
 * Owns:    struct sota_found owns its texts (sota_found_free).
 * Trusts:  the matrix; the name is from outside.
 * Threads: the main thread (the working directory is read; a line loads lib/fak-scan.so).
 */
#ifndef CMD_FAK_SOTA_FIND_H
#define CMD_FAK_SOTA_FIND_H

#include "cmd/fak/scan/place.h"
#include "cmd/fak/sota.h"

struct sota_found {
    const char *query;
    struct str path;   /* from the repository root; empty when a name was asked for */
    struct str file;   /* the same as it can be opened */
    struct str symbol; /* the kernel, when one was named or stands at the line */
    struct str alias;  /* the alias that the query is, if it is one */
    struct place place;
    bool is_folder, is_there; /* of the path */
    struct match match[SOTA_MATCHES];
    size_t n; /* may exceed SOTA_MATCHES; 0: a path that no row covers */
};

/* A name with a slash or a dot is a path, there or not; so is one that is there and names nothing else. False
 * for a name that means nothing (STATUS_USAGE, with suggestions) and for a file that cannot be read for its
 * line. */
bool sota_find(struct sota_found *found, const struct matrix *m, const char *query,
               struct status *st) STATUS_MUST_USE;
void sota_found_free(struct sota_found *found);

#endif
