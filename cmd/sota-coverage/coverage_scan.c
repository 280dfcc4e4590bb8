/* sota-coverage scan: the kernels of files, without a matrix. */
#include "base/jsonout.h"
#include "cmd/sota-coverage/coverage.h"
#include "coverage/scan/scan.h"

#include <errno.h>
#include <fts.h>
#include <string.h>

struct totals {
    size_t files, kernels, instances, helpers, not_analysed;
};

struct run {
    struct cli *cli;
    struct jsonout json;
    bool as_json, place;
    struct totals totals;
    struct status *st;
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
    if (!file->n_kernels && !file->not_analysed) return;
    struct str path = {0};
    term_safe(&path, file->path);
    term_put(out, &cli->out_term, TERM_BOLD, str_c(&path));
    str_free(&path);
    str_printf(out, "  %s", scan_language_name(file->language));
    if (file->not_analysed) {
        str_puts(out, ", not analysed: ");
        term_put(out, &cli->out_term, TERM_YELLOW, file->not_analysed);
    } else {
        str_printf(out, ", %s", file->engine);
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

static bool scan_one(struct run *run, const char *path) {
    struct arena arena = {0};
    struct scan_file file;
    struct scan_request request = {.path = path, .kernel_place = run->place};
    bool ok = scan_path(&file, path, &request, &arena, run->st);
    if (ok && file.language != SCAN_NONE) {
        count(&run->totals, &file);
        if (run->as_json) put_json(&run->json, &file);
        else put_text(run->cli, &file);
    }
    arena_release(&arena);
    return ok;
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

/* Folders in order of name; symbolic links are not followed, .git is not entered. */
static bool scan_tree(struct run *run, const char *root) {
    char *roots[] = {(char *)(size_t)root, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!fts) return status_fail_errno(run->st, "%s", root);
    bool ok = true;
    for (FTSENT *entry; ok && (entry = fts_read(fts));) {
        bool top = entry->fts_level == 0;
        if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR || (top && entry->fts_info == FTS_DNR)) {
            errno = entry->fts_errno;
            if (top) ok = status_fail_errno(run->st, "%s", entry->fts_path);
        } else if (entry->fts_info == FTS_D && strcmp(entry->fts_name, ".git") == 0) {
            fts_set(fts, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F || entry->fts_info == FTS_SL || entry->fts_info == FTS_SLNONE ||
                   entry->fts_info == FTS_DEFAULT) {
            if (top && scan_language_of(entry->fts_path) == SCAN_NONE)
                ok = status_fail(run->st, STATUS_BAD_INPUT,
                                 "%s: its extension is of no language that kernels are written in",
                                 entry->fts_path);
            else ok = scan_one(run, entry->fts_path);
        }
    }
    fts_close(fts);
    return ok;
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

int coverage_scan(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st)) return cli_fail(cli, &st);
    if (args.n_positional == 0) {
        status_fail(&st, STATUS_USAGE, "name a file or folder to scan");
        return cli_fail(cli, &st);
    }
    struct run run = {.cli = cli,
                      .as_json = cli_given(&args, "--json"),
                      .place = cli_given(&args, "--kernel-place"),
                      .st = &st};
    jsonout_init(&run.json, &cli->out, 2);
    if (run.as_json) jsonout_begin_array(&run.json);
    for (int i = 0; i < args.n_positional; i++)
        if (!scan_tree(&run, args.positional[i])) return cli_fail(cli, &st);
    if (run.as_json) {
        jsonout_end_array(&run.json);
        str_putc(&cli->out, '\n');
    } else {
        put_totals(&run);
    }
    return cli_finish(cli, 0);
}
