/* help: `fak help`, for people and for man(1). */
#include "cmd/cli/manpage.h"
#include "cmd/fak/commands.h"

#include <string.h>

static void put_all(struct cli *cli) {
    const struct term *term = &cli->out_term;
    struct str text = {0};
    str_puts(&text, "fak: " FAK_TAGLINE);
    term_fold(&cli->out, term, 0, str_c(&text));
    str_free(&text);
    term_put(&cli->out, term, TERM_BOLD, "\nUsage\n");
    str_puts(&cli->out, "  fak COMMAND [OPTION...] [ARGUMENT...]\n");
    term_put(&cli->out, term, TERM_BOLD, "\nCommands\n");
    for (const struct cli_command *row = cli->table; row->name; row++) {
        if (strchr(row->name, ' ')) continue;
        str_puts(&cli->out, "  ");
        term_cell(&cli->out, term, TERM_CYAN, 12, row->name);
        term_fold(&cli->out, term, 14, row->summary);
    }
    str_puts(&cli->out, "\n`fak help COMMAND` explains one; `fak --version` prints the version.\n");
}

static void put_names(struct cli *cli) {
    for (const struct cli_command *row = cli->table; row->name; row++)
        str_printf(&cli->out, "%s\n", row->name);
}

static void put_man(struct cli *cli, const struct cli_command *command) {
    const struct manpage about = {.program = cli->program,
                                  .tagline = FAK_TAGLINE,
                                  .version = FAK_VERSION,
                                  .date = FAK_DATE,
                                  .table = cli->table};
    manpage_write(&cli->out, &about, command);
}

/* `help sota list`: the arguments together are one name. */
static bool named_command(const struct cli_command **command, const struct cli_args *args,
                          struct status *st) {
    struct str name = {0};
    *command = NULL;
    for (int i = 0; i < args->n_positional; i++) str_printf(&name, "%s%s", i ? " " : "", args->positional[i]);
    bool ok = str_ok(&name, st);
    if (ok && name.n > 0) {
        const char *near = fak_nearest_command(name.at);
        *command = fak_command(name.at);
        if (!*command)
            ok = status_fail(st, STATUS_USAGE, "there is no command '%s'%s%s%s", name.at,
                             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    str_free(&name);
    return ok;
}

int fak_help(struct cli *cli, int argc, char **argv) {
    const struct cli_command *command;
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !named_command(&command, &args, &st))
        return cli_fail(cli, &st);
    if (cli_given(&args, "--names")) put_names(cli);
    else if (cli_given(&args, "--man")) put_man(cli, command);
    else if (!command) put_all(cli);
    else {
        cli_help(&cli->out, &cli->out_term, cli->program, command);
        cli_help_within(&cli->out, &cli->out_term, cli->table, command);
    }
    return cli_finish(cli, 0);
}
