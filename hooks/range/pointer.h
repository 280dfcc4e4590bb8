/* pointer: which other commit a message points at.
 * Owns, trusts: nothing. Pure; any thread. */
#ifndef HOOKS_RANGE_POINTER_H
#define HOOKS_RANGE_POINTER_H

#include "base/str.h"
#include "git/change.h"

/* oid = the commit that `git revert` says it takes back ("This reverts commit OID", whole or abbreviated to
 * seven digits or more), or "". */
void pointer_reverted(char oid[OID_TEXT], struct view message);

/* The subject that a fixup!, squash! or amend! is meant for, the innermost of several; empty for any other
 * subject. */
struct view pointer_target(struct view subject);

#endif
