/* sota_list: `fak sota list`, every operation in one line or two. */
#include "base/jsonout.h"
#include "base/markdown.h"
#include "cmd/fak/sota.h"

#include <string.h>

enum { ROUTE_COLUMNS = 14, STATUS_COLUMNS = 10, ONE_LINE = 100 };

static enum term_style status_style(enum op_status status) {
    return status == OP_SHIPPED ? TERM_GREEN : status == OP_SELECTED ? TERM_YELLOW : TERM_DIM;
}

static int slug_columns(const struct matrix *m) {
    int most = 0;
    for (size_t i = 0; i < m->n_ops; i++) {
        int columns = term_columns(m->ops[i].slug);
        if (columns > most) most = columns;
    }
    return most + 2;
}

static size_t count(const struct matrix *m, enum op_status status) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_ops; i++) n += m->ops[i].status == status;
    return n;
}

static void put_text(struct cli *cli, const struct matrix *m) {
    const struct term *term = &cli->out_term;
    int slug = slug_columns(m);
    bool one_line = term->width >= ONE_LINE, tiny = term->width < slug + ROUTE_COLUMNS + STATUS_COLUMNS;
    for (size_t i = 0; i < m->n_ops; i++) {
        const struct op *op = &m->ops[i];
        term_cell(&cli->out, term, TERM_BOLD, slug, op->slug);
        if (tiny) str_puts(&cli->out, "\n  ");
        term_cell(&cli->out, term, TERM_PLAIN, ROUTE_COLUMNS, route_name(op->route));
        if (one_line) {
            term_cell(&cli->out, term, status_style(op->status), STATUS_COLUMNS, op_status_name(op->status));
            term_fold(&cli->out, term, slug + ROUTE_COLUMNS + STATUS_COLUMNS, op->title);
        } else {
            term_put(&cli->out, term, status_style(op->status), op_status_name(op->status));
            str_puts(&cli->out, "\n  ");
            term_fold(&cli->out, term, 2, op->title);
        }
    }
    struct str total = {0};
    str_printf(&total,
               "%zu operations: %zu shipped, %zu selected, %zu planned; `fak sota NAME` tells all of one",
               m->n_ops, count(m, OP_SHIPPED), count(m, OP_SELECTED), count(m, OP_PLANNED));
    str_putc(&cli->out, '\n');
    term_fold(&cli->out, term, 0, str_c(&total));
    str_free(&total);
}

static void put_markdown(struct str *out, const struct matrix *m) {
    str_puts(out, "| Operation | | Read first | Route | Oracle | Status |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < m->n_ops; i++) {
        const struct op *op = &m->ops[i];
        const struct reference *primary = matrix_primary(m, op);
        str_puts(out, "| ");
        markdown_text(out, op->title);
        str_printf(out, " | `%s` | ", op->slug);
        if (primary) markdown_link(out, primary->name, primary->url);
        str_printf(out, " | %s | ", route_name(op->route));
        markdown_text(out, op->oracle);
        str_printf(out, " | %s |\n", op_status_name(op->status));
    }
}

static void put_json(struct str *out, const struct matrix *m) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_array(&j);
    for (size_t i = 0; i < m->n_ops; i++) {
        const struct op *op = &m->ops[i];
        const struct reference *primary = matrix_primary(m, op);
        jsonout_begin_object(&j);
        jsonout_pair_string(&j, "slug", op->slug);
        jsonout_pair_string(&j, "title", op->title);
        jsonout_pair_string(&j, "kind", op_kind_name(op->kind));
        jsonout_pair_string(&j, "route", route_name(op->route));
        jsonout_pair_string(&j, "status", op_status_name(op->status));
        jsonout_pair_string(&j, "axis", op->axis);
        jsonout_pair_string(&j, "reference", primary ? primary->name : NULL);
        jsonout_pair_string(&j, "url", primary ? primary->url : NULL);
        jsonout_pair_string(&j, "oracle", op->oracle);
        jsonout_end_object(&j);
    }
    jsonout_end_array(&j);
    str_putc(out, '\n');
}

int fak_sota_list(struct cli *cli, int argc, char **argv) {
    struct sota_call call;
    struct status st;
    bool ok = sota_begin(&call, cli, argc, argv, 0, 0, &st);
    if (ok && call.format == CLI_JSON) put_json(&cli->out, call.m);
    else if (ok && call.format == CLI_MARKDOWN) put_markdown(&cli->out, call.m);
    else if (ok) put_text(cli, call.m);
    return sota_end(&call, cli, ok, 0, &st);
}
