/* sota_export: `fak sota export`, the whole matrix as JSON. */
#include "cmd/fak/sota.h"
#include "cmd/fak/sota_json.h"

int fak_sota_export(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    struct json j;
    json_init(&j, &cli->out, 2);
    sota_json_export(&j, &sota_matrix);
    str_putc(&cli->out, '\n');
    return cli_finish(cli, 0);
}
