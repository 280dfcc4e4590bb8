/* file: read-only mappings, whole files, and files that appear complete or not at all.
 *
 * Owns:    struct mapping owns its mapping; the descriptor is closed at once.
 * Trusts:  nothing; the length is taken at open. A file that another process truncates later can still
 *          raise SIGBUS, as with every mmap: callers that must not die read instead (file_read).
 * Threads: a mapping may be read from any thread.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"
#include "base/str.h"

#include <stdint.h>

struct mapping {
    const uint8_t *at; /* NULL for an empty file */
    size_t n;          /* bytes */
};

/* Maps a regular file. Directories, devices and missing files are refused by name. */
bool mapping_open(struct mapping *map, const char *path, struct status *st) STATUS_MUST_USE;
void mapping_close(struct mapping *map);
/* Gives the mapping's pages back; what is read again comes from the file again. */
void mapping_let_go(const struct mapping *map);
bool mapping_holds(const struct mapping *map, const void *at);

/* Appends the whole of a file of at most `limit` bytes to *out. */
bool file_read(struct str *out, const char *path, size_t limit, struct status *st) STATUS_MUST_USE;

/* Writes n bytes to a temporary file beside `path`, syncs it and renames it into place, so that a reader
 * sees the old file or the new one and a full disk leaves the old one; the mode stays. A symbolic link stays
 * one: the file behind it is replaced. A device or a pipe is written to as it is. */
bool file_replace(const char *path, const void *bytes, size_t n, struct status *st) STATUS_MUST_USE;

/* The same for bytes that lie in n_parts pieces of memory, one behind the other. */
bool file_replace_parts(const char *path, const struct view *parts, size_t n_parts,
                        struct status *st) STATUS_MUST_USE;

bool file_exists(const char *path);

#endif
