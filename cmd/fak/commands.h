/* commands: the one table of fak's commands. Help, man pages, completion and dispatch come from it. */
#ifndef CMD_FAK_COMMANDS_H
#define CMD_FAK_COMMANDS_H

#include "cmd/cli/cli.h"

/* Ended by a row with a NULL name. */
extern const struct cli_command fak_command_table[];

/* The row of this name, or NULL. */
const struct cli_command *fak_command(const char *name);

/* Commands that live in the program itself. */
cli_run fak_help;

#endif
