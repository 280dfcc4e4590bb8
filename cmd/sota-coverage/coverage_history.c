/* sota-coverage history: the debt of every commit. */
#include "base/file.h"
#include "cmd/sota-coverage/coverage.h"
#include "cmd/sota-coverage/scene.h"
#include "coverage/history/ledger.h"
#include "coverage/report/account.h"
#include "coverage/report/plot.h"

#include <stdio.h>

enum { CANNOT_DECIDE = 2 };

static bool write_plot(const struct ledger *ledger, const struct tree *tree, const char *file,
                       struct status *st) {
    struct str svg = {0};
    plot_svg(&svg, ledger, tree);
    bool ok = str_ok(&svg, st) && file_replace(file, str_c(&svg), svg.n, st);
    str_free(&svg);
    return ok;
}

static int print(struct scene *scene, const struct cli_args *args, const struct ledger *ledger,
                 struct status *st) {
    const char *plot = cli_value(args, "--plot");
    struct cli *cli = scene->cli;
    scene_quiet(scene);
    if (plot && !write_plot(ledger, &scene->tree, plot, st)) return scene_give_up(scene, st);
    if (cli_given(args, "--json")) account_json(&cli->out, ledger, &scene->tree);
    else account_text(&cli->out, &cli->out_term, ledger, &scene->tree, cli_given(args, "--all"));
    return cli_finish_to(cli, cli_value(args, "--output"), 0);
}

static int look_back(struct scene *scene, const struct cli_args *args, struct status *st) {
    struct ledger ledger = {0};
    struct ledger_options options = {
        .scan = scene->options, .schema = scene->own.schema, .matrix = scene->own.path};
    int code = ledger_open(&ledger, &scene->tree, &options, &scene->own.complaints, st)
                   ? print(scene, args, &ledger, st)
                   : scene_give_up(scene, st);
    ledger_close(&ledger);
    return code;
}

int coverage_history(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct scene scene;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 1, &st))
        return cli_fail(cli, &st);
    const char *rev = args.n_positional ? args.positional[0] : "HEAD";
    int code = scene_open(&scene, cli, &args, rev, false, &st) ? look_back(&scene, &args, &st)
                                                               : scene_give_up(&scene, &st);
    scene_close(&scene);
    return code;
}
