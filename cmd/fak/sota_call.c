/* sota_call: how every `fak sota` command begins and ends. */
#include "cmd/fak/sota.h"

bool sota_begin(struct sota_call *call, struct cli *cli, int argc, char **argv, int low, int high,
                struct status *st) {
    *call = (struct sota_call){.format = CLI_TEXT};
    if (!cli_parse(&call->args, cli->command, argc, argv, st) || !cli_expect(&call->args, low, high, st) ||
        !cli_format(&call->format, &call->args, st) || !whichmatrix_open(&call->which, st))
        return false;
    call->m = call->which.m;
    return true;
}

int sota_end(struct sota_call *call, struct cli *cli, bool ok, int code, const struct status *st) {
    int result = ok ? cli_finish(cli, code) : cli_fail(cli, st);
    whichmatrix_close(&call->which);
    return result;
}
