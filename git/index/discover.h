/* discover: the folder of the repository that the working directory, or $GIT_DIR, means.
 *
 * Owns:    nothing that outlives a call.
 * Trusts:  the environment. A repository that another user owns is refused, so that git decides
 *          (safe.directory); one that $GIT_DIR names is not asked for its owner, as git does not.
 * Threads: any, as long as nobody changes the working directory.
 */
#ifndef GIT_INDEX_DISCOVER_H
#define GIT_INDEX_DISCOVER_H

#include "base/str.h"

/* dir = the repository's own folder, root = the top of what it was found from, here = the working directory.
 * *bare: the repository has no .git: the working directory is in its own folder. */
bool discover(struct str *dir, struct str *root, struct str *here, bool *bare,
              struct status *st) STATUS_MUST_USE;

/* *out = `path` as seen from `dir`, unless it is absolute. */
bool discover_resolve(struct str *out, const char *dir, struct view path, struct status *st) STATUS_MUST_USE;

#endif
