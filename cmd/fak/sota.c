/* sota: `fak sota NAME`. */
#include "cmd/fak/sota.h"

#include "cmd/fak/sota_find.h"
#include "cmd/fak/sota_json.h"
#include "cmd/fak/sota_page.h"
#include "sotadb/glob.h"

static void put_why(struct str *out, const struct sota_found *found, const struct match *match) {
    if (found->alias.n) {
        str_puts(out, "the alias ");
        term_safe(out, str_c(&found->alias));
    }
    if (match->symbol) {
        str_printf(out, "the kernel name %s (", match->symbol->pattern);
        term_safe(out, str_c(&found->symbol));
        str_putc(out, ')');
    }
    if (match->symbol && match->path) str_puts(out, " and ");
    if (match->path) {
        bool generated = *match->path->generates && !found->is_folder &&
                         !glob_match(match->path->glob, str_c(&found->path));
        str_printf(out, "the path %s (%s%s)", generated ? match->path->generates : match->path->glob,
                   path_role_name(match->path->role), generated ? ", generated" : "");
    }
}

static void put_place(struct str *out, const struct sota_found *found) {
    if (!found->is_folder && !found->place.line) return;
    term_safe(out, found->path.n ? found->path.at : "the root");
    if (found->is_folder) {
        str_puts(out, " is a folder; the operations with files in it:\n\n");
    } else if (found->symbol.n) {
        str_printf(out, ":%ld is in ", found->place.line);
        term_safe(out, str_c(&found->symbol));
        str_printf(out, ", lines %ld to %ld\n\n", found->place.first, found->place.last);
    } else {
        str_printf(out, ":%ld is in no kernel; the rows of the file:\n\n", found->place.line);
    }
}

static void put_text(struct cli *cli, const struct sota_found *found, const struct matrix *m) {
    size_t shown = found->n < SOTA_MATCHES ? found->n : SOTA_MATCHES;
    put_place(&cli->out, found);
    for (size_t i = 0; i < shown; i++) {
        struct str why = {0};
        put_why(&why, found, &found->match[i]);
        if (i) str_putc(&cli->out, '\n');
        if (found->is_folder) sota_page_head(&cli->out, &cli->out_term, found->match[i].op, str_c(&why));
        else if (found->n == 1) sota_page_text(&cli->out, &cli->out_term, m, found->match[i].op, str_c(&why));
        else sota_page_brief(&cli->out, &cli->out_term, m, found->match[i].op, str_c(&why));
        str_free(&why);
    }
    if (found->n > 1) str_printf(&cli->out, "\n%zu operations; `fak sota NAME` tells all of one\n", found->n);
}

static void put_markdown(struct cli *cli, const struct sota_found *found, const struct matrix *m) {
    put_place(&cli->out, found);
    for (size_t i = 0; i < found->n && i < SOTA_MATCHES; i++) {
        struct str why = {0};
        put_why(&why, found, &found->match[i]);
        if (i) str_putc(&cli->out, '\n');
        sota_page_markdown(&cli->out, m, found->match[i].op, str_c(&why));
        str_free(&why);
    }
}

static void put_json(struct cli *cli, const struct sota_found *found, const struct matrix *m) {
    struct jsonout j;
    jsonout_init(&j, &cli->out, 2);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "query", found->query);
    jsonout_pair_string(&j, "path", found->path.n ? found->path.at : NULL);
    jsonout_pair_string(&j, "kernel", found->symbol.n ? found->symbol.at : NULL);
    if (found->place.line) jsonout_pair_int(&j, "line", found->place.line);
    if (found->place.line && found->symbol.n) {
        jsonout_pair_int(&j, "first_line", found->place.first);
        jsonout_pair_int(&j, "last_line", found->place.last);
    }
    jsonout_key(&j, "matches");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < found->n && i < SOTA_MATCHES; i++) {
        jsonout_begin_object(&j);
        jsonout_key(&j, "why");
        sota_json_why(&j, &found->match[i], found->alias.n ? found->alias.at : NULL);
        jsonout_key(&j, "op");
        sota_json_op(&j, m, found->match[i].op);
        jsonout_end_object(&j);
    }
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(&cli->out, '\n');
}

/* In JSON the empty list says it. */
static bool uncovered(struct cli *cli, const struct sota_found *found, const struct sota_call *call,
                      struct status *st) {
    if (call->format == CLI_JSON) {
        put_json(cli, found, call->m);
        return true;
    }
    struct str kernel = {0};
    if (found->symbol.n)
        str_printf(&kernel, " (kernel %s, lines %ld to %ld)", str_c(&found->symbol), found->place.first,
                   found->place.last);
    const char *hint = found->is_there ? "" : " (there is no such file; `fak sota search` looks for words)";
    status_fail(st, STATUS_NOT_FOUND,
                "no row covers %s%s; if it holds a kernel, give it one under sotadb/seed/%s",
                str_c(&found->path), str_c(&kernel), hint);
    str_free(&kernel);
    return false;
}

int fak_sota(struct cli *cli, int argc, char **argv) {
    struct sota_call call;
    struct status st;
    struct sota_found found = {0};
    bool ok = sota_begin(&call, cli, argc, argv, 1, 1, &st) &&
              sota_find(&found, call.m, call.args.positional[0], &st);
    int code = ok && found.n == 0 ? 1 : 0;
    if (code) ok = uncovered(cli, &found, &call, &st);
    else if (ok && call.format == CLI_JSON) put_json(cli, &found, call.m);
    else if (ok && call.format == CLI_MARKDOWN) put_markdown(cli, &found, call.m);
    else if (ok) put_text(cli, &found, call.m);
    sota_found_free(&found);
    return sota_end(&call, cli, ok, code, &st);
}
