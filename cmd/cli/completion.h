/* completion: scripts for bash and zsh, from the command table.
 * Owns nothing. Trusts the table. Any thread.
 *
 * Commands, options and choices stand in the script. What the matrix holds (operations, axes) is asked of the
 * program while completing, `PROGRAM completion ops` and `axes`, so that a script never goes stale.
 */
#ifndef CMD_CLI_COMPLETION_H
#define CMD_CLI_COMPLETION_H

#include "cmd/cli/cli.h"

void completion_bash(struct str *out, const char *program, const struct cli_command *table);
void completion_zsh(struct str *out, const char *program, const struct cli_command *table);

#endif
