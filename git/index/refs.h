/* refs: what HEAD names, from loose files and packed-refs.
 *
 * Owns:    nothing that outlives a call.
 * Trusts:  nothing: a name that leads out of the repository, or a file that is no ref, is refused.
 * Threads: any; each call is its own.
 */
#ifndef GIT_INDEX_REFS_H
#define GIT_INDEX_REFS_H

#include "git/index/gitdir.h"

/* oid = the commit HEAD names, in hexadecimal, or "" when its branch has no commit yet. */
bool refs_head(char oid[OID_TEXT], const struct gitdir *git, struct status *st) STATUS_MUST_USE;

/* Refuses a repository whose replace refs or grafts put other objects in the place of those that are named.
 */
bool refs_plain(const struct gitdir *git, struct status *st) STATUS_MUST_USE;

#endif
