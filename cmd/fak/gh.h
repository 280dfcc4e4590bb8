/* gh: GitHub's command-line client, where there is one and it is logged in. Run without a shell.
 * Owns nothing. Trusts the gh on the PATH. The main thread. */
#ifndef CMD_FAK_GH_H
#define CMD_FAK_GH_H

#include "base/status.h"
#include "base/str.h"

/* Is there a gh, and is it logged in? STATUS_NOT_FOUND with what to do when not. */
bool gh_ready(struct status *st) STATUS_MUST_USE;

/* Comments on issue `number` of the repository of the working directory; gh prints the comment's address. */
bool gh_comment(long number, struct view body, struct status *st) STATUS_MUST_USE;

#endif
