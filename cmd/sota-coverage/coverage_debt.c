/* sota-coverage: the scorecard of a repository. */
#include "cmd/sota-coverage/coverage.h"
#include "cmd/sota-coverage/own_matrix.h"
#include "coverage/report/scorecard.h"

#include <limits.h>
#include <stdio.h>

enum { CANNOT_DECIDE = 2 };

/* Whatever kept us from an answer: never a pass, whichever code the status has. */
static int give_up(struct cli *cli, const struct str *complaints, const struct status *st) {
    if (complaints->n) fputs(str_c(complaints), stderr);
    cli_fail(cli, st);
    return CANNOT_DECIDE;
}

static int verdict(const struct cli_args *args, const struct debt *debt, long limit) {
    bool asked = cli_given(args, "--check") || cli_given(args, "--max-debt");
    return asked && debt->n > (size_t)limit ? 1 : 0;
}

static bool explain(struct cli *cli, const struct report *report, const struct cli_args *args,
                    struct status *st) {
    const char *prefix = cli_value(args, "--explain");
    bool several;
    const struct debt_gap *gap = debt_find(report->debt, prefix, &several);
    if (several)
        return status_fail(st, STATUS_USAGE, "several gaps begin with %s; give more of the fingerprint",
                           prefix);
    if (!gap)
        return status_fail(st, STATUS_USAGE,
                           "no gap has the fingerprint '%s' (4 digits at least); it is mended, or "
                           "`sota-coverage --all` shows which "
                           "there are",
                           prefix);
    if (cli_given(args, "--json")) scorecard_gap_json(&cli->out, report, gap);
    else scorecard_explain(&cli->out, &cli->out_term, report, gap);
    return true;
}

struct work {
    struct tree tree;
    struct matrix matrix;
    struct survey survey;
    struct debt debt;
    struct report report;
};

static bool look(struct work *w, struct str *complaints, const char *folder, struct arena *arena,
                 struct status *st) {
    *w = (struct work){0};
    w->report =
        (struct report){.matrix = &w->matrix, .tree = &w->tree, .survey = &w->survey, .debt = &w->debt};
    return tree_open(&w->tree, folder, arena, st) &&
           own_matrix(&w->matrix, &w->report.origins, complaints, &w->tree, arena, st) &&
           survey_tree(&w->survey, &w->tree, &w->matrix, arena, st) &&
           debt_fold(&w->debt, &w->matrix, &w->tree, &w->survey, arena, st);
}

int coverage_debt(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct arena arena = {0};
    struct str complaints = {0};
    struct work work;
    long limit;
    int code = CANNOT_DECIDE;
    if (!cli_parse(&args, cli->command, argc, argv, &st) ||
        !cli_number(&limit, &args, "--max-debt", 0, INT_MAX, 0, &st))
        return cli_fail(cli, &st);
    if (args.n_positional) {
        status_fail(&st, STATUS_USAGE, "'%s' is no command; to scan files alone say `scan %s`",
                    args.positional[0], args.positional[0]);
        return cli_fail(cli, &st);
    }
    const char *folder = cli_value(&args, "--directory");
    if (!look(&work, &complaints, folder ? folder : ".", &arena, &st)) {
        code = give_up(cli, &complaints, &st);
    } else if (cli_given(&args, "--explain")) {
        bool found = explain(cli, &work.report, &args, &st);
        code = found ? cli_finish(cli, 0) : cli_fail(cli, &st);
    } else {
        if (cli_given(&args, "--json")) scorecard_json(&cli->out, &work.report);
        else scorecard_text(&cli->out, &cli->out_term, &work.report, cli_given(&args, "--all"));
        code = cli_finish(cli, verdict(&args, &work.debt, limit));
    }
    str_free(&complaints);
    arena_release(&arena);
    return code;
}
