/* sota-coverage scan: the kernels of files, without a matrix. */
#include "base/jsonout.h"
#include "cmd/sota-coverage/coverage.h"
#include "cmd/sota-coverage/coverage_walk.h"

#include <string.h>
#include <unistd.h>

struct totals {
    size_t files, kernels, instances, helpers, not_analysed;
};

struct run {
    struct cli *cli;
    struct jsonout json;
    bool as_json;
    struct totals totals;
};

static void put_json(struct jsonout *j, const struct scan_file *file) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "path", file->path);
    jsonout_pair_string(j, "language", scan_language_name(file->language));
    jsonout_pair_string(j, "engine", file->engine);
    jsonout_pair_double(j, "error_share", file->error_share);
    jsonout_pair_bool(j, "generated", file->generated);
    jsonout_pair_string(j, "not_analysed", file->not_analysed);
    jsonout_pair_string(j, "note", file->tree_note);
    jsonout_key(j, "kernels");
    jsonout_begin_array(j);
    for (size_t i = 0; i < file->n_kernels; i++) {
        const struct scan_kernel *k = &file->kernels[i];
        jsonout_begin_object(j);
        jsonout_pair_string(j, "name", k->name);
        jsonout_pair_int(j, "line", k->line);
        jsonout_pair_int(j, "end_line", k->end_line);
        jsonout_pair_string(j, "kind", scan_kind_name(k->kind));
        jsonout_pair_string(j, "language", scan_language_name(k->language));
        jsonout_pair_string(j, "engine", k->engine);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
    jsonout_end_object(j);
}

static void put_text(struct cli *cli, const struct scan_file *file) {
    struct str *out = &cli->out;
    if (!file->n_kernels && !file->not_analysed && !file->tree_note) return;
    struct str path = {0};
    term_safe(&path, file->path);
    term_put(out, &cli->out_term, TERM_BOLD, str_c(&path));
    str_free(&path);
    if (file->language) str_printf(out, "  %s,", scan_language_name(file->language));
    if (file->not_analysed) {
        str_puts(out, file->language ? " not analysed: " : "  not analysed: ");
        term_put(out, &cli->out_term, TERM_YELLOW, file->not_analysed);
    } else {
        str_printf(out, " %s", file->engine);
        if (file->error_share > 0) str_printf(out, ", %.1f %% of it unparsed", 100 * file->error_share);
        if (file->generated) str_puts(out, ", generated");
        if (file->tree_note) str_printf(out, ", %s", file->tree_note);
    }
    str_putc(out, '\n');
    for (size_t i = 0; i < file->n_kernels; i++) {
        const struct scan_kernel *k = &file->kernels[i];
        str_printf(out, "  %6d-%-6d %-9s", k->begin_line, k->end_line, scan_kind_name(k->kind));
        term_safe(out, k->name);
        str_putc(out, '\n');
    }
}

static void count(struct totals *totals, const struct scan_file *file) {
    totals->files++;
    totals->not_analysed += file->not_analysed != NULL;
    for (size_t i = 0; i < file->n_kernels; i++) {
        totals->kernels += file->kernels[i].kind == SCAN_KERNEL;
        totals->instances += file->kernels[i].kind == SCAN_INSTANCE;
        totals->helpers += file->kernels[i].kind == SCAN_HELPER;
    }
}

static bool give(void *context, const struct scan_file *file, struct status *st) {
    struct run *run = context;
    count(&run->totals, file);
    if (run->as_json) put_json(&run->json, file);
    else put_text(run->cli, file);
    return str_ok(&run->cli->out, st);
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

static void put_totals(struct run *run) {
    const struct totals *t = &run->totals;
    str_printf(&run->cli->out, "%zu kernel%s, %zu instance%s, %zu helper%s in %zu file%s", t->kernels,
               plural(t->kernels), t->instances, plural(t->instances), t->helpers, plural(t->helpers),
               t->files, plural(t->files));
    if (t->not_analysed) str_printf(&run->cli->out, ", %zu not analysed", t->not_analysed);
    str_putc(&run->cli->out, '\n');
}

/* As many as there are processors; more than eight only wait for the disk. */
static long default_jobs(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 8 ? 8 : n;
}

static bool scan_all(struct run *run, const struct cli_args *args, struct status *st) {
    struct walk walk = {0};
    long jobs;
    struct scan_request like = {.kernel_place = cli_given(args, "--kernel-place")};
    bool ok = cli_number(&jobs, args, "--jobs", 1, BATCH_JOBS, default_jobs(), st);
    for (int i = 0; ok && i < args->n_positional; i++) ok = walk_add(&walk, args->positional[i], st);
    ok = ok && walk_note_twins(&walk, st);
    if (ok && run->as_json) jsonout_begin_array(&run->json);
    ok = ok && batch_scan(walk.items, walk.n, &like, (int)jobs, give, run, st);
    if (ok && run->as_json) jsonout_end_array(&run->json);
    walk_free(&walk);
    return ok;
}

int coverage_scan(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st)) return cli_fail(cli, &st);
    if (args.n_positional == 0) {
        status_fail(&st, STATUS_USAGE, "name a file or folder to scan");
        return cli_fail(cli, &st);
    }
    struct run run = {.cli = cli, .as_json = cli_given(&args, "--json")};
    jsonout_init(&run.json, &cli->out, 2);
    if (!scan_all(&run, &args, &st)) return cli_fail(cli, &st);
    if (run.as_json) str_putc(&cli->out, '\n');
    else put_totals(&run);
    return cli_finish(cli, 0);
}
