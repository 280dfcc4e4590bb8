/* runner: the programs that manage git hooks for a team, told by the files they write.
 *
 * Owns:    nothing.
 * Trusts:  nothing: a configuration is searched for the words that call us, not understood. A stage that is
 *          overridden to something strange is not seen.
 * Threads: one call at a time.
 *
 * Sources: the hook files that pre-commit 4.7, prek 0.5 and lefthook 2.2 write (tests/e2e/test_managers.sh
 * runs all three), husky 9's documented layout.
 */
#ifndef HOOKS_INSTALL_RUNNER_H
#define HOOKS_INSTALL_RUNNER_H

#include "base/str.h"

enum runner { RUNNER_NONE, RUNNER_PRE_COMMIT, RUNNER_PREK, RUNNER_LEFTHOOK, RUNNER_HUSKY };

/* Who wrote this hook file? */
enum runner runner_of(struct view hook_file);

const char *runner_name(enum runner runner); /* "pre-commit" ... */
const char *runner_file(enum runner runner); /* where its users say what runs: "lefthook.yml" */

/* Does its configuration, at the root of this worktree, call us in this hook? Then its name is appended to
 * *file. */
bool runner_calls(bool *calls, struct str *file, enum runner runner, const char *hook,
                  struct status *st) STATUS_MUST_USE;

#endif
