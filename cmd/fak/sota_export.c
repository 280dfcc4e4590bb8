/* sota_export: `fak sota export`, the whole matrix as JSON, or every page of it. */
#include "cmd/fak/sota.h"
#include "cmd/fak/sota_json.h"
#include "cmd/fak/sota_page.h"
#include "ladders/ladder.h"

static void put_json(struct str *out, const struct matrix *m) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    sota_json_export(&j, m);
    str_putc(out, '\n');
}

static void put_markdown(struct str *out, const struct matrix *m) {
    for (size_t i = 0; i < m->n_ops; i++) {
        if (i) str_putc(out, '\n');
        sota_page_markdown(out, m, &m->ops[i], "");
    }
    for (size_t i = 0; i < m->n_ladders; i++) {
        str_putc(out, '\n');
        ladder_markdown(out, m, &m->ladders[i]);
    }
}

int fak_sota_export(struct cli *cli, int argc, char **argv) {
    struct sota_call call;
    struct status st;
    bool ok = sota_begin(&call, cli, argc, argv, 0, 0, &st);
    if (ok && call.format == CLI_MARKDOWN) put_markdown(&cli->out, call.m);
    else if (ok) put_json(&cli->out, call.m);
    return sota_end(&call, cli, ok, 0, &st);
}
