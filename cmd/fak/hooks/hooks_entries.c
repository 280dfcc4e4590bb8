#include "cmd/fak/hooks/hooks_entries.h"

#include "base/module.h"
#include "cmd/fak/scan/place.h"

#include <stdlib.h>

static const struct cli_entry entries[] = {
    {"gate", fak_gate},
    {"sota stamp", fak_sota_stamp},
    {"sota log", fak_sota_log},
    {"hooks", fak_hooks},
    {"hooks install", fak_hooks_install},
    {"hooks uninstall", fak_hooks_uninstall},
    {"hooks status", fak_hooks_status},
    {"hooks doctor", fak_hooks_doctor},
    {"hooks run", fak_hooks_run},
    {NULL, NULL},
};

extern CLI_EXPORT const struct cli_entries fak_commands;
const struct cli_entries fak_commands = {entries};

bool hooks_load_libgit2(const struct reader **reader, struct status *st) {
    const void *table;
    if (!module_table(&table, "fak-git", "repo_reader", st)) return false;
    *reader = table;
    return true;
}

bool hooks_config_by_environment(void) {
    static const char *const names[] = {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",    "GIT_CONFIG_GLOBAL",
                                        "GIT_CONFIG_SYSTEM",     "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

bool hooks_load_scan(touched_scan **scan, struct status *st) {
    const void *table;
    if (!module_table(&table, "fak-scan", "fak_place", st)) return false;
    *scan = ((const struct place_table *)table)->scan;
    return true;
}
