/* fak: finds the command, loads its module when it has one, runs it. */
#include "base/module.h"
#include "cmd/fak/commands.h"

#include <stdio.h>
#include <string.h>

static const struct cli_entry built_in[] = {
    {"sota", fak_sota},
    {"sota list", fak_sota_list},
    {"sota milestones", fak_sota_milestones},
    {"sota search", fak_sota_search},
    {"sota gaps", fak_sota_gaps},
    {"sota bench", fak_sota_bench},
    {"sota export", fak_sota_export},
    {"sota issue", fak_sota_issue},
    {"completion", fak_completion},
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

/* `sota list`: a command within a command. The word may come after options; it is taken out of argv, so that
 * the command sees only what is its own. Returns the row to run. */
static const struct cli_command *enter(const struct cli_command *command, int *argc, char **argv) {
    int i = 1;
    while (i < *argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) i++;
    if (i == *argc) return command;
    char name[64];
    int n = snprintf(name, sizeof name, "%s %s", command->name, argv[i]);
    const struct cli_command *within = n < (int)sizeof name ? fak_command(name) : NULL;
    if (!within) return command;
    memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof *argv); /* with the NULL at the end */
    --*argc;
    return enter(within, argc, argv);
}

static int run_command(struct cli *cli, int argc, char **argv) {
    struct status st;
    cli->command = enter(cli->command, &argc, argv);
    if (cli_wants_help(cli->command, argc, argv)) {
        cli_help(&cli->out, &cli->out_term, cli->program, cli->command);
        cli_help_within(&cli->out, &cli->out_term, cli->table, cli->command);
        return cli_finish(cli, 0);
    }
    cli_run *run = find_run(cli->command, &st);
    return run ? run(cli, argc, argv) : cli_fail(cli, &st);
}

static int unknown(struct cli *cli, const char *name) {
    struct status st;
    const char *near = fak_nearest_command(name);
    status_fail(&st, STATUS_USAGE, "there is no command '%s'%s%s%s", name, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "");
    return cli_fail(cli, &st);
}

static bool is_one_of(const char *text, const char *a, const char *b) {
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

int main(int argc, char **argv) {
    struct cli cli;
    cli_init(&cli, "fak");
    cli.table = fak_command_table;
    if (argc >= 2 && is_one_of(argv[1], "--version", "-V")) {
        str_puts(&cli.out, "fak " FAK_VERSION "\n");
        return cli_finish(&cli, 0);
    }
    bool plain = argc < 2 || is_one_of(argv[1], "--help", "-h");
    cli.command = fak_command(plain ? "help" : argv[1]);
    if (!cli.command || strchr(cli.command->name, ' ')) {
        cli.command = NULL;
        return unknown(&cli, argv[1]);
    }
    return plain ? fak_help(&cli, 1, argv) : run_command(&cli, argc - 1, argv + 1);
}
