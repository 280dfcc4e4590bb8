/* sota-coverage report: the report as a page. */
#include "base/file.h"
#include "cmd/sota-coverage/coverage.h"
#include "cmd/sota-coverage/scene.h"
#include "coverage/history/ledger.h"
#include "coverage/report/plot.h"
#include "coverage/webpage/webpage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The first walk over the 4,700 commits of llama.cpp takes less; a longer one is done by `history`, once. */
enum { HISTORY_SECONDS = 60 };

/* coverage/webpage/webpage.css and webpage.js, put into the program by the linker (Makefile). */
extern const char _binary_coverage_webpage_webpage_css_start[], _binary_coverage_webpage_webpage_css_end[];
extern const char _binary_coverage_webpage_webpage_js_start[], _binary_coverage_webpage_webpage_js_end[];

static struct view embedded(const char *start, const char *end) {
    return (struct view){start, (size_t)(end - start)};
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool make_folder(const char *path, struct status *st) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return true;
    return status_fail_errno(st, "%s: cannot make the folder", path);
}

/* The plot of the history that the tree has behind it; false: why there is none. */
static bool draw_history(struct str *svg, const struct scene *scene, struct arena *arena, struct status *st) {
    struct ledger ledger = {0};
    struct str complaints = {0};
    struct tree tree;
    struct ledger_options options = {
        .scan = scene->options, .schema = scene->own.schema, .matrix = scene->own.path};
    const char *rev = *scene->tree.commit ? scene->tree.commit : "HEAD";
    scene_limit(HISTORY_SECONDS);
    bool ok = tree_open_commit(&tree, &scene->tree, rev, arena, st) &&
              ledger_open(&ledger, &tree, &options, &complaints, st);
    bool late = scene_limit(0);
    if (ok) plot_svg(svg, &ledger, &tree);
    else if (late && !scene_interrupted())
        status_fail(
            st, STATUS_SYSTEM,
            "the history takes longer than %d s; `sota-coverage history` has no limit and keeps what it "
            "finds, so that the next page has the plot",
            HISTORY_SECONDS);
    ledger_close(&ledger);
    str_free(&complaints);
    return ok;
}

/* DIR/index.html, whole or not at all. */
static bool write_page(const struct scene *scene, const char *folder, const char *plot, const char *no_plot,
                       struct status *st) {
    const struct tree *tree = &scene->tree;
    struct str out = {0}, path = {0}, revision = {0};
    if (*tree->commit) str_printf(&revision, "commit %.12s", tree->commit);
    else str_puts(&revision, tree->name);
    struct webpage_about about = {.name = last_part(*tree->root ? tree->root : tree->folder),
                                  .revision = str_c(&revision),
                                  .plot = plot,
                                  .no_plot = no_plot,
                                  .style = embedded(_binary_coverage_webpage_webpage_css_start,
                                                    _binary_coverage_webpage_webpage_css_end),
                                  .script = embedded(_binary_coverage_webpage_webpage_js_start,
                                                     _binary_coverage_webpage_webpage_js_end)};
    str_printf(&path, "%s/index.html", folder);
    webpage_html(&out, &scene->report, &about);
    bool ok = str_ok(&path, st) && str_ok(&out, st) && make_folder(folder, st) &&
              file_replace(str_c(&path), out.at, out.n, st);
    str_free(&out);
    str_free(&path);
    str_free(&revision);
    return ok;
}

static bool put_page(struct scene *scene, const struct cli_args *args, struct status *st) {
    const char *folder = cli_value(args, "--html"), *no_plot = "";
    struct arena arena = {0};
    struct str svg = {0};
    struct status why;
    if (!cli_given(args, "--no-history") && !draw_history(&svg, scene, &arena, &why)) no_plot = why.message;
    scene_quiet(scene);
    bool ok = !scene_interrupted() && str_ok(&svg, st) && write_page(scene, folder, str_c(&svg), no_plot, st);
    if (ok && *no_plot) fprintf(stderr, "sota-coverage: the page has no plot: %s\n", no_plot);
    str_free(&svg);
    arena_release(&arena);
    return ok;
}

static int report(struct scene *scene, const struct cli_args *args, struct status *st) {
    const char *rev = args->n_positional ? args->positional[0] : NULL;
    bool ok =
        scene_open(scene, scene->cli, args, rev, cli_given(args, "--index"), st) && scene_scan(scene, st);
    scene_quiet(scene);
    if (!ok || !put_page(scene, args, st)) return scene_give_up(scene, st);
    str_puts(&scene->cli->out, "wrote ");
    term_safe(&scene->cli->out, cli_value(args, "--html"));
    str_printf(&scene->cli->out, "/index.html\nsota_debt=%zu\n", scene->debt.n);
    return cli_finish(scene->cli, 0);
}

int coverage_report(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct scene scene = {.cli = cli};
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 1, &st))
        return cli_fail(cli, &st);
    if (!cli_given(&args, "--html")) {
        status_fail(&st, STATUS_USAGE, "say where the page goes: report --html DIR");
        return cli_fail(cli, &st);
    }
    int code = report(&scene, &args, &st);
    scene_close(&scene);
    return code;
}
