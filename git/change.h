/* change: what differs between two states of a repository, file by file.
 *
 * Owns:    nothing; list and paths live in the arena of whoever asked.
 * Trusts:  nothing about paths: any bytes but NUL, from the repository root, '/' between folders.
 * Threads: one list, one thread.
 *
 * Renames are not detected: a move is a 'D' and an 'A', so that both names count.
 */
#ifndef GIT_CHANGE_H
#define GIT_CHANGE_H

#include "base/arena.h"

enum { OID_TEXT = 65 }; /* up to 64 hexadecimal digits (SHA-256) and the NUL */

struct change {
    const char *path;
    char status;                 /* 'A' added, 'D' deleted, 'M' modified, 'T' other kind of file */
    unsigned old_mode, new_mode; /* as git writes them (0100644); 0 where there is no file */
    char old_oid[OID_TEXT], new_oid[OID_TEXT]; /* of the blobs; all zeros where there is no file */
};

struct change_list {
    struct change *at;
    size_t n, room;
};

/* Appends a copy; its path is `n_path` bytes at change->path, copied too. */
bool change_add(struct change_list *list, const struct change *change, size_t n_path, struct arena *arena,
                struct status *st) STATUS_MUST_USE;

void change_sort(struct change_list *list); /* bytewise by path */

/* Keeps only what both lists, sorted, name: what a merge changed against every parent. */
void change_keep_common(struct change_list *list, const struct change_list *other);

/* Is it a regular file on one side at least (no submodule, no symbolic link)? */
bool change_is_file(const struct change *change);

#endif
