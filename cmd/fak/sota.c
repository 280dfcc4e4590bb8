/* sota: `fak sota NAME`: an operation, a file, a place in a file, a kernel. */
#include "cmd/fak/sota.h"

#include "base/file.h"
#include "base/module.h"
#include "cmd/fak/repo_path.h"
#include "cmd/fak/scan/place.h"
#include "cmd/fak/sota_json.h"
#include "cmd/fak/sota_page.h"
#include "sotadb/glob.h"
#include "sotadb/name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What was asked for, and what was found. */
struct lookup {
    const char *query;
    struct str path;   /* from the repository root; empty when a name was asked for */
    struct str symbol; /* the kernel, when one was named or stands at the line */
    struct str alias;  /* the alias that the query is, if it is one */
    struct place place;
    struct match match[SOTA_MATCHES];
    size_t n; /* may exceed SOTA_MATCHES */
};

static void lookup_free(struct lookup *look) {
    str_free(&look->path);
    str_free(&look->symbol);
    str_free(&look->alias);
}

/* "file:12" or "file:12:5" as compilers write it: the length of the file's name and the line, or false. */
static bool split_line(size_t *name_length, long *line, const char *text) {
    size_t n = strlen(text);
    for (int part = 0; part < 2; part++) {
        size_t end = n;
        while (n > 0 && isdigit((unsigned char)text[n - 1])) n--;
        if (n == end || n < 2 || text[n - 1] != ':' || end - n > 9) return part > 0;
        *line = strtol(text + n, NULL, 10);
        *name_length = --n;
    }
    return true;
}

/* The rows of one file. Who stands in a folder may still write the path from the root. */
static bool match_file(struct lookup *look, const struct matrix *m, const char *given, struct status *st) {
    if (!repo_path(&look->path, given, st)) return false;
    look->n = matrix_match_path(m, str_c(&look->path), look->match, SOTA_MATCHES);
    if (look->n > 0 || given[0] == '/') return true;
    struct str tidy = {0};
    repo_path_tidy(&tidy, given);
    look->n = matrix_match_path(m, str_c(&tidy), look->match, SOTA_MATCHES);
    if (look->n > 0) {
        str_clear(&look->path);
        str_puts(&look->path, str_c(&tidy));
    }
    bool ok = str_ok(&tidy, st);
    str_free(&tidy);
    return ok;
}

/* Of the rows that cover the file those that name the kernel; where none does, the file's rows stay. */
static void narrow_to_kernel(struct lookup *look, const struct matrix *m) {
    struct match by_name[SOTA_MATCHES], both[SOTA_MATCHES];
    size_t n_by_name = matrix_match_symbol(m, str_c(&look->symbol), by_name, SOTA_MATCHES), n = 0;
    if (n_by_name > SOTA_MATCHES) n_by_name = SOTA_MATCHES;
    for (size_t i = 0; i < n_by_name; i++)
        for (size_t k = 0; k < look->n && k < SOTA_MATCHES; k++)
            if (look->match[k].op == by_name[i].op) {
                both[n] = look->match[k];
                both[n++].symbol = by_name[i].symbol;
            }
    if (n == 0) return;
    memcpy(look->match, both, n * sizeof both[0]);
    look->n = n;
}

static bool is_kernel_place(const struct lookup *look) {
    for (size_t i = 0; i < look->n && i < SOTA_MATCHES; i++)
        if (look->match[i].path->role == PATH_KERNEL) return true;
    return false;
}

static bool match_place(struct lookup *look, const struct matrix *m, const char *file, long line,
                        struct status *st) {
    const void *table;
    if (!match_file(look, m, file, st)) return false;
    if (!module_table(&table, "fak-scan", "fak_place", st)) return false;
    const struct place_table *scan = table;
    if (!scan->kernel_at(&look->place, &look->symbol, file, is_kernel_place(look), line, st)) return false;
    if (look->symbol.n) narrow_to_kernel(look, m);
    return true;
}

static void match_name(struct lookup *look, const struct matrix *m, const char *name) {
    const struct op *op = matrix_op(m, name);
    if (op) {
        look->match[look->n++].op = op;
        if (!name_equal(view_of(op->slug), view_of(name))) str_puts(&look->alias, name);
        return;
    }
    look->n = matrix_match_symbol(m, name, look->match, SOTA_MATCHES);
    if (look->n) str_puts(&look->symbol, name);
}

/* A name with a slash or a dot is a path, there or not; so is a file that is there and no other name. */
static bool find(struct lookup *look, const struct matrix *m, const char *query, struct status *st) {
    size_t name_length;
    long line;
    look->query = query;
    if (split_line(&name_length, &line, query) && !file_exists(query)) {
        if (line == 0) return status_fail(st, STATUS_USAGE, "lines count from 1: '%s'", query);
        struct str file = {0};
        str_add(&file, query, name_length);
        bool ok = str_ok(&file, st) && match_place(look, m, str_c(&file), line, st);
        str_free(&file);
        return ok;
    }
    if (strpbrk(query, "/.")) return match_file(look, m, query, st);
    match_name(look, m, query);
    if (look->n > 0) return true;
    if (file_exists(query)) return match_file(look, m, query, st);
    return sota_unknown(m, "operation, file, kernel or command", query, true, st);
}

/* --- output --- */

static void put_why(struct str *out, const struct lookup *look, const struct match *match) {
    if (look->alias.n) str_printf(out, "the alias %s", str_c(&look->alias));
    if (match->symbol)
        str_printf(out, "the kernel name %s (%s)", match->symbol->pattern, str_c(&look->symbol));
    if (match->symbol && match->path) str_puts(out, " and ");
    if (match->path) {
        bool generated = *match->path->generates && !glob_match(match->path->glob, str_c(&look->path));
        str_printf(out, "the path %s (%s%s)", generated ? match->path->generates : match->path->glob,
                   path_role_name(match->path->role), generated ? ", generated" : "");
    }
}

static void put_place(struct str *out, const struct lookup *look) {
    if (!look->place.line) return;
    str_printf(out, "%s:%ld ", str_c(&look->path), look->place.line);
    if (look->symbol.n)
        str_printf(out, "is in %s, lines %ld to %ld\n\n", str_c(&look->symbol), look->place.first,
                   look->place.last);
    else str_puts(out, "is in no kernel; the rows of the file:\n\n");
}

static void put_text(struct cli *cli, const struct lookup *look, const struct matrix *m) {
    size_t shown = look->n < SOTA_MATCHES ? look->n : SOTA_MATCHES;
    put_place(&cli->out, look);
    for (size_t i = 0; i < shown; i++) {
        struct str why = {0};
        put_why(&why, look, &look->match[i]);
        if (i) str_putc(&cli->out, '\n');
        if (look->n == 1) sota_page_text(&cli->out, &cli->out_term, m, look->match[i].op, str_c(&why));
        else sota_page_brief(&cli->out, &cli->out_term, m, look->match[i].op, str_c(&why));
        str_free(&why);
    }
    if (look->n > 1) str_printf(&cli->out, "\n%zu operations; `fak sota NAME` tells all of one\n", look->n);
}

static void put_markdown(struct cli *cli, const struct lookup *look, const struct matrix *m) {
    put_place(&cli->out, look);
    for (size_t i = 0; i < look->n && i < SOTA_MATCHES; i++) {
        struct str why = {0};
        put_why(&why, look, &look->match[i]);
        if (i) str_putc(&cli->out, '\n');
        sota_page_markdown(&cli->out, m, look->match[i].op, str_c(&why));
        str_free(&why);
    }
}

static void put_json(struct cli *cli, const struct lookup *look, const struct matrix *m) {
    struct json j;
    json_init(&j, &cli->out, 2);
    json_begin_object(&j);
    json_pair_string(&j, "query", look->query);
    json_pair_string(&j, "path", look->path.n ? look->path.at : NULL);
    json_pair_string(&j, "kernel", look->symbol.n ? look->symbol.at : NULL);
    if (look->place.line) json_pair_int(&j, "line", look->place.line);
    if (look->place.line && look->symbol.n) {
        json_pair_int(&j, "first_line", look->place.first);
        json_pair_int(&j, "last_line", look->place.last);
    }
    json_key(&j, "matches");
    json_begin_array(&j);
    for (size_t i = 0; i < look->n && i < SOTA_MATCHES; i++) {
        json_begin_object(&j);
        json_key(&j, "why");
        sota_json_why(&j, &look->match[i], look->alias.n ? look->alias.at : NULL);
        json_key(&j, "op");
        sota_json_op(&j, m, look->match[i].op);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
    str_putc(&cli->out, '\n');
}

static int uncovered(struct cli *cli, const struct lookup *look, const struct matrix *m,
                     enum cli_format format) {
    struct status st;
    if (format == CLI_JSON) {
        put_json(cli, look, m);
        return cli_finish(cli, 1);
    }
    status_fail(
        &st, STATUS_NOT_FOUND, "no row covers %s; if it holds a kernel, give it one under sotadb/seed/%s",
        str_c(&look->path),
        file_exists(look->query) ? "" : " (there is no such file; `fak sota search` looks for words)");
    return cli_fail(cli, &st);
}

int fak_sota(struct cli *cli, int argc, char **argv) {
    const struct matrix *m = &sota_matrix;
    struct cli_args args;
    struct status st;
    struct lookup look = {0};
    enum cli_format format;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 1, 1, &st) ||
        !cli_format(&format, &args, &st))
        return cli_fail(cli, &st);
    int code = 0;
    if (!find(&look, m, args.positional[0], &st)) code = cli_fail(cli, &st);
    else if (look.n == 0) code = uncovered(cli, &look, m, format);
    else if (format == CLI_JSON) put_json(cli, &look, m);
    else if (format == CLI_MARKDOWN) put_markdown(cli, &look, m);
    else put_text(cli, &look, m);
    lookup_free(&look);
    return code ? code : cli_finish(cli, 0);
}
