/* catfile: blobs of a repository through one `git cat-file --batch` that stays open, so that any repository
 * git can read is read: packs, alternates, SHA-256, reftable, partial clones.
 *
 * Owns:    the child process and the socket to it; catfile_close.
 * Trusts:  git on PATH. Nothing is fetched: an object that a partial clone lacks is missing.
 * Threads: one struct, one thread; several may read one repository at once.
 */
#ifndef GIT_PLUMBING_CATFILE_H
#define GIT_PLUMBING_CATFILE_H

#include "base/str.h"

#include <sys/types.h>

struct catfile {
    pid_t pid;
    int socket;
    struct str buffer; /* what was read and not yet taken */
    size_t at;
};

/* `folder` lies in the repository, or is the bare one itself. */
bool catfile_open(struct catfile *out, const char *folder, struct status *st) STATUS_MUST_USE;
void catfile_close(struct catfile *catfile);

/* Appends the blob of this name (hexadecimal, or what git understands: "HEAD:path") when it has at most
 * `limit` bytes. A missing one is STATUS_NOT_FOUND, a larger one STATUS_UNSUPPORTED; both leave the reader in
 * order. */
bool catfile_read(struct str *out, struct catfile *catfile, const char *name, size_t limit,
                  struct status *st) STATUS_MUST_USE;

#endif
