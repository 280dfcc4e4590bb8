/* commands: the one table of fak's commands. Help, man pages, completion and dispatch come from it. */
#ifndef CMD_FAK_COMMANDS_H
#define CMD_FAK_COMMANDS_H

#include "cmd/cli/cli.h"

#define FAK_VERSION "0.1.0"
#define FAK_DATE "November 30, 2026"
#define FAK_TAGLINE "an LLM inference engine whose kernels carry their prior art"

/* Ended by a row with a NULL name. A row "sota list" is a command within "sota". */
extern const struct cli_command fak_command_table[];

/* The row of this name, or NULL. */
const struct cli_command *fak_command(const char *name);

/* The nearest name within reach of a typing error, or NULL. */
const char *fak_nearest_command(const char *name);

/* Commands that live in the program itself. */
cli_run fak_help, fak_completion;
cli_run fak_sota, fak_sota_list, fak_sota_milestones, fak_sota_search, fak_sota_gaps, fak_sota_bench,
    fak_sota_export, fak_sota_issue;

#endif
