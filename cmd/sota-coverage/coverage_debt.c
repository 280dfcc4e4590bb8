/* sota-coverage: the scorecard of a repository. */
#include "cmd/sota-coverage/coverage.h"
#include "cmd/sota-coverage/scene.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { CANNOT_DECIDE = 2 };

struct asked {
    struct cli_args args;
    const char *rev, *format;
    long limit, window;
    bool absolute; /* --check or --max-debt */
};

/* --- what is asked for ------------------------------------------------------------------------------------
 */

static bool is_whole(const struct asked *a, struct status *st) {
    const struct cli_args *args = &a->args;
    const char *today = cli_value(args, "--today");
    long day;
    if (a->rev && cli_given(args, "--index"))
        return status_fail(st, STATUS_USAGE, "a revision and --index are two trees; name one");
    if (cli_given(args, "--fail-on") && !cli_given(args, "--since"))
        return status_fail(st, STATUS_USAGE, "--fail-on added needs --since REV: added to what?");
    if (cli_given(args, "--exact") && !cli_given(args, "--since"))
        return status_fail(st, STATUS_USAGE, "--exact says how --since REV is meant; name the revision");
    if (today && !scorecard_day(&day, today))
        return status_fail(st, STATUS_USAGE, "--today '%s' is no date such as 2026-11-30", today);
    if (cli_given(args, "--json") && cli_given(args, "--format") && strcmp(a->format, "json") != 0)
        return status_fail(st, STATUS_USAGE, "--json and --format %s are two formats; ask for one",
                           a->format);
    return true;
}

static bool parse(struct asked *a, struct cli *cli, int argc, char **argv, struct status *st) {
    *a = (struct asked){0};
    if (!cli_parse(&a->args, cli->command, argc, argv, st) || !cli_expect(&a->args, 0, 1, st) ||
        !cli_number(&a->limit, &a->args, "--max-debt", 0, INT_MAX, 0, st) ||
        !cli_number(&a->window, &a->args, "--window", 1, 36500, 180, st))
        return false;
    a->rev = a->args.n_positional ? a->args.positional[0] : NULL;
    a->format = cli_given(&a->args, "--json") ? "json" : cli_value(&a->args, "--format");
    if (!a->format) a->format = "text";
    a->absolute = cli_given(&a->args, "--check") || cli_given(&a->args, "--max-debt");
    return is_whole(a, st);
}

/* --- since --- */

static bool compare(struct scene *scene, struct scene *base, struct delta *delta, const struct asked *a,
                    struct status *st) {
    const char *since = cli_value(&a->args, "--since"), *rev = since;
    *delta = (struct delta){.since = since};
    if (!since) return true;
    if (!cli_given(&a->args, "--exact") && !tree_merge_base(&rev, &scene->tree, since, &scene->arena, st))
        return false;
    if (!scene_beside(base, scene, rev, st) ||
        !delta_compare(delta, &base->debt, &scene->debt, &scene->arena, st))
        return false;
    delta->base = base->tree.commit;
    delta->own_matrix = base->own.found;
    scene->report.delta = delta;
    return true;
}

/* --- output --- */

static int explain(struct scene *scene, const struct asked *a, struct status *st) {
    const char *prefix = cli_value(&a->args, "--explain");
    bool several;
    const struct debt_gap *gap = debt_find(&scene->debt, prefix, &several);
    if (several)
        status_fail(st, STATUS_USAGE, "several gaps begin with %s; give more of the fingerprint", prefix);
    else if (!gap)
        status_fail(
            st, STATUS_USAGE,
            "no gap has the fingerprint '%s' (4 digits at least); it is mended, or `sota-coverage --all` "
            "shows which there are",
            prefix);
    if (several || !gap) return cli_fail(scene->cli, st);
    if (strcmp(a->format, "json") == 0) scorecard_gap_json(&scene->cli->out, &scene->report, gap);
    else scorecard_explain(&scene->cli->out, &scene->cli->out_term, &scene->report, gap);
    return cli_finish_to(scene->cli, cli_value(&a->args, "--output"), 0);
}

static bool write_report(struct str *out, struct scene *scene, const char *format, const struct term *term,
                         bool all, struct status *st) {
    struct diagnostic_report findings;
    enum diagnostic_format kind;
    if (strcmp(format, "json") == 0) {
        scorecard_json(out, &scene->report);
    } else if (diagnostic_format_of(&kind, format)) {
        if (!scorecard_diagnostics(&findings, &scene->report, &scene->arena, st)) return false;
        diagnostic_write(out, kind, &findings);
    } else {
        scorecard_text(out, term, &scene->report, all);
    }
    return str_ok(out, st);
}

/* 1: more debt than allowed. */
static int verdict(const struct scene *scene, const struct asked *a) {
    bool above = a->absolute && scene->debt.n > (size_t)a->limit;
    bool grown = cli_given(&a->args, "--fail-on") && scene->report.delta && scene->report.delta->n_added;
    return above || grown ? 1 : 0;
}

/* A format for machines goes into the file, and people still read the text. */
static int print(struct scene *scene, const struct asked *a, struct status *st) {
    const char *file = cli_value(&a->args, "--output");
    bool all = cli_given(&a->args, "--all"), text = strcmp(a->format, "text") == 0;
    struct term plain = {.width = 80}, *term = file ? &plain : &scene->cli->out_term;
    if (!write_report(&scene->cli->out, scene, a->format, term, all, st)) return scene_give_up(scene, st);
    int code = verdict(scene, a);
    if (!file || text) return cli_finish_to(scene->cli, file, code);
    int written = cli_finish_to(scene->cli, file, 0);
    if (written) return CANNOT_DECIDE;
    str_clear(&scene->cli->out);
    if (!write_report(&scene->cli->out, scene, "text", &scene->cli->out_term, all, st))
        return scene_give_up(scene, st);
    return cli_finish(scene->cli, code);
}

static int answer(struct scene *scene, struct scene *base, const struct asked *a, struct status *st) {
    struct delta delta;
    if (!scene_scan(scene, st) || !compare(scene, base, &delta, a, st)) {
        if (base->own.complaints.n) fputs(str_c(&base->own.complaints), stderr);
        return scene_give_up(scene, st);
    }
    scene->report.today = cli_value(&a->args, "--today");
    scene->report.window = (int)a->window;
    scene_quiet(scene);
    return cli_given(&a->args, "--explain") ? explain(scene, a, st) : print(scene, a, st);
}

int coverage_debt(struct cli *cli, int argc, char **argv) {
    struct asked asked;
    struct status st;
    struct scene scene, base = {0};
    if (!parse(&asked, cli, argc, argv, &st)) return cli_fail(cli, &st);
    int code = scene_open(&scene, cli, &asked.args, asked.rev, cli_given(&asked.args, "--index"), &st)
                   ? answer(&scene, &base, &asked, &st)
                   : scene_give_up(&scene, &st);
    base.cache = NULL; /* borrowed */
    scene_close(&base);
    scene_close(&scene);
    return code;
}
