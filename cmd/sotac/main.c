/* sotac: compiles the seed of the matrix to C, and renders its pages. */
#include "base/file.h"
#include "cmd/cli/cli.h"
#include "cmd/sotac/page.h"
#include "sotadb/emit/literal.h"
#include "sotadb/sql/matrix_read.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option options[] = {
    {"-o, --output", "FILE", "Write the matrix as one C literal, whole or not at all."},
    {"--docs", "DIR", "Write the pages that are rendered from the matrix into DIR."},
    {"--root", "DIR", "The repository whose files the rows name (default: the working directory)."},
    {"-h, --help", NULL, "This page."},
    {0},
};

static const struct cli_command command = {
    .name = "",
    .usage = "[-o FILE] [--docs DIR] [--root DIR] SCHEMA SEED...",
    .summary = "check the seed of the prior-art matrix and compile it",
    .description =
        "Reads the tables of SCHEMA and the rows of every SEED, in any order, and checks them. A row that is "
        "not right is named with file, line, reason and what to do; then nothing is written and the exit "
        "status is 1.",
    .options = options,
    .examples = "sotac sotadb/schema.sql sotadb/seed/*.sql\tcheck only\n"
                "sotac -o build/gen/sota_matrix.c sotadb/schema.sql sotadb/seed/*.sql\tcheck and compile",
};

static bool write_literal(const char *path, const struct matrix *m, struct status *st) {
    struct str text = {0};
    literal_write(&text, m);
    bool ok = str_ok(&text, st) && file_replace(path, text.at, text.n, st);
    str_free(&text);
    return ok;
}

static bool write_pages(const char *folder, const struct matrix *m, struct status *st) {
    bool ok = true;
    for (const struct page *page = pages; ok && page->name; page++) {
        struct str text = {0}, path = {0};
        page->render(&text, m);
        str_printf(&path, "%s/%s", folder, page->name);
        ok = str_ok(&text, st) && str_ok(&path, st) && file_replace(path.at, text.at, text.n, st);
        str_free(&text);
        str_free(&path);
    }
    return ok;
}

static void put_summary(struct str *out, const struct matrix *m) {
    str_printf(out, "%zu operations, %zu references, %zu witnesses, %zu ladders: all rows are right\n",
               m->n_ops, m->n_references, m->n_witnesses, m->n_ladders);
}

static bool compile(struct cli *cli, const struct cli_args *args, struct status *st) {
    struct arena arena = {0};
    struct str complaints = {0};
    struct matrix m;
    const char *output = cli_value(args, "--output"), *docs = cli_value(args, "--docs");
    const char *root = cli_value(args, "--root");
    bool ok = matrix_read_files(&m, &arena, &complaints, root ? root : ".", args->positional[0],
                                args->positional + 1, (size_t)args->n_positional - 1, "built-in", st);
    fputs(str_c(&complaints), stderr);
    if (ok && output) ok = write_literal(output, &m, st);
    if (ok && docs) ok = write_pages(docs, &m, st);
    if (ok && !output && !docs) put_summary(&cli->out, &m);
    str_free(&complaints);
    arena_release(&arena);
    return ok;
}

int main(int argc, char **argv) {
    struct cli cli;
    struct cli_args args;
    struct status st;
    cli_init(&cli, "sotac");
    if (!cli_parse(&args, &command, argc, argv, &st)) return cli_fail(&cli, &st);
    if (cli_given(&args, "--help")) {
        cli_help(&cli.out, &cli.out_term, "sotac", &command);
        return cli_finish(&cli, 0);
    }
    if (args.n_positional < 2) {
        status_fail(&st, STATUS_USAGE, "the schema and at least one seed file are needed");
        return cli_fail(&cli, &st);
    }
    if (!compile(&cli, &args, &st)) return cli_fail(&cli, &st);
    return cli_finish(&cli, 0);
}
