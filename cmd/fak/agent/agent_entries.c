#include "cmd/fak/agent/agent_entries.h"

static const struct cli_entry entries[] = {
    {"hooks agent", fak_hooks_agent},
    {"mcp", fak_mcp},
    {NULL, NULL},
};

extern CLI_EXPORT const struct cli_entries fak_commands;
const struct cli_entries fak_commands = {entries};
