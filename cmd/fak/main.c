/* fak: finds the command, loads its module when it has one, runs it. */
#include "base/module.h"
#include "cmd/fak/commands.h"

#include <string.h>

static const struct cli_entry built_in[] = {
    {"help", fak_help},
    {NULL, NULL},
};

static cli_run *entry_of(const struct cli_entry *entries, const char *name) {
    for (; entries->name; entries++)
        if (strcmp(entries->name, name) == 0) return entries->run;
    return NULL;
}

static cli_run *find_run(const struct cli_command *command, struct status *st) {
    if (!command->module) return entry_of(built_in, command->name);
    const void *table;
    if (!module_table(&table, command->module, "fak_commands", st)) return NULL;
    const struct cli_entries *entries = table;
    cli_run *run = entry_of(entries->at, command->name);
    if (!run)
        status_fail(st, STATUS_SYSTEM, "lib/%s.so does not carry '%s'; build it again with `make`",
                    command->module, command->name);
    return run;
}

static const struct cli_command *nearest_command(const char *name) {
    const struct cli_command *nearest = NULL;
    int best = 3;
    for (const struct cli_command *row = fak_command_table; row->name; row++) {
        int distance = cli_distance(name, row->name);
        if (distance < best) {
            best = distance;
            nearest = row;
        }
    }
    return nearest;
}

int main(int argc, char **argv) {
    struct cli cli;
    struct status st;
    cli_init(&cli, "fak");
    cli.table = fak_command_table;
    bool plain = argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    const char *name = plain ? "help" : argv[1];
    const struct cli_command *command = fak_command(name);
    if (!command) {
        const struct cli_command *near = nearest_command(name);
        status_fail(&st, STATUS_USAGE, "there is no command '%s'%s%s%s", name, near ? "; did you mean '" : "",
                    near ? near->name : "", near ? "'?" : "");
        return cli_fail(&cli, &st);
    }
    cli.command = command;
    cli_run *run = find_run(command, &st);
    if (!run) return cli_fail(&cli, &st);
    return plain ? run(&cli, 1, argv) : run(&cli, argc - 1, argv + 1);
}
