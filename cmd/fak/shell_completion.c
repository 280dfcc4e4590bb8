/* shell_completion: `fak completion`, scripts and the names they ask for. */
#include "cmd/cli/completion.h"
#include "cmd/fak/commands.h"
#include "sotadb/matrix.h"

#include <string.h>

static void put_ops(struct str *out, const struct matrix *m) {
    for (size_t i = 0; i < m->n_ops; i++) str_printf(out, "%s\n", m->ops[i].slug);
}

static void put_axes(struct str *out, const struct matrix *m) {
    for (size_t i = 0; i < m->n_ladders; i++) str_printf(out, "%s\n", m->ladders[i].axis);
}

int fak_completion(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 1, 1, &st))
        return cli_fail(cli, &st);
    const char *what = args.positional[0];
    if (strcmp(what, "bash") == 0) completion_bash(&cli->out, cli->program, cli->table);
    else if (strcmp(what, "zsh") == 0) completion_zsh(&cli->out, cli->program, cli->table);
    else if (strcmp(what, "ops") == 0) put_ops(&cli->out, &sota_matrix);
    else if (strcmp(what, "axes") == 0) put_axes(&cli->out, &sota_matrix);
    else {
        status_fail(&st, STATUS_USAGE, "'%s' is none of bash, zsh, ops and axes", what);
        return cli_fail(cli, &st);
    }
    return cli_finish(cli, 0);
}
