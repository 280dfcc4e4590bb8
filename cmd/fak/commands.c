#include "cmd/fak/commands.h"

#include <string.h>

const struct cli_command fak_command_table[] = {
    {
        .name = "help",
        .usage = "[COMMAND]",
        .summary = "explain a command",
        .description = "Without a command, lists all of them.",
        .positional = "command",
    },
    {0},
};

const struct cli_command *fak_command(const char *name) {
    for (const struct cli_command *row = fak_command_table; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}
