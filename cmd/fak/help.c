#include "cmd/fak/commands.h"

int fak_help(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st)) return cli_fail(cli, &st);
    if (args.n_positional > 0) {
        const struct cli_command *command = fak_command(args.positional[0]);
        if (!command) {
            status_fail(&st, STATUS_USAGE, "there is no command '%s'", args.positional[0]);
            return cli_fail(cli, &st);
        }
        cli_help(&cli->out, &cli->out_term, cli->program, command);
        return cli_finish(cli, 0);
    }
    str_puts(&cli->out, "fak: an LLM inference engine whose kernels carry their prior art\n\n");
    for (const struct cli_command *row = cli->table; row->name; row++)
        str_printf(&cli->out, "  %-12s %s\n", row->name, row->summary);
    return cli_finish(cli, 0);
}
