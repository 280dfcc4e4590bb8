#include "cmd/fak/engine/entries.h"

static const struct cli_entry entries[] = {
    {"tokenize", fak_tokenize},
    {"inspect", fak_inspect},
    {NULL, NULL},
};

CLI_EXPORT const struct cli_entries fak_commands = {entries};
