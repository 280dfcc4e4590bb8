/* sota_bench: `fak sota bench [OP]`, the lineage of every figure. */
#include "base/markdown.h"
#include "cmd/fak/sota.h"
#include "cmd/fak/sota_json.h"

#include <string.h>

static void put_line(struct cli *cli, const char *label, const char *text) {
    if (!*text) return;
    str_puts(&cli->out, "  ");
    term_cell(&cli->out, &cli->out_term, TERM_CYAN, 12, label);
    term_fold(&cli->out, &cli->out_term, 14, text);
}

static void put_bench(struct cli *cli, const struct bench *row) {
    struct str text = {0};
    str_printf(&text, "%.10g %s", row->number, row->unit);
    term_put(&cli->out, &cli->out_term, TERM_BOLD, str_c(&text));
    str_printf(&cli->out, "  %s\n", row->op);
    str_clear(&text);
    str_printf(&text, "%s%s%s", row->model, *row->quant ? ", " : "", row->quant);
    put_line(cli, "model", str_c(&text));
    str_clear(&text);
    str_printf(&text, "%s%s%s on %s", row->engine, *row->backend ? ", " : "", row->backend, row->machine);
    put_line(cli, "engine", str_c(&text));
    put_line(cli, "baseline", row->baseline);
    str_clear(&text);
    str_printf(&text, "%s%s%s%s%s", row->commit,
               *row->commit ? row->public_commit ? " (public)" : " (private)" : "",
               *row->commit && *row->measured_on ? ", " : "", *row->measured_on ? "measured on " : "",
               row->measured_on);
    put_line(cli, "commit", str_c(&text));
    put_line(cli, "artifact", row->artifact);
    if (*row->command) { /* to be copied: never folded */
        str_puts(&cli->out, "  ");
        term_cell(&cli->out, &cli->out_term, TERM_CYAN, 12, "reproduce");
        str_printf(&cli->out, "%s\n", row->command);
    }
    put_line(cli, "regime",
             row->regime == BENCH_DETERMINISTIC ? "deterministic: the same on every machine"
                                                : "wall-clock: this machine only");
    str_free(&text);
}

static void put_text(struct cli *cli, const struct matrix *m, const struct op *only) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_benches; i++) {
        if (only && strcmp(m->benches[i].op, only->slug) != 0) continue;
        if (n++) str_putc(&cli->out, '\n');
        put_bench(cli, &m->benches[i]);
    }
    if (n == 0)
        str_printf(&cli->out,
                   "No bench row%s%s yet: a figure enters the matrix with the command that reproduces it.\n",
                   only ? " of " : "", only ? only->slug : "");
}

static void put_markdown(struct str *out, const struct matrix *m, const struct op *only) {
    str_puts(out,
             "| Operation | Number | Model | Engine | Machine | Baseline | Commit | Reproduce | Regime |\n"
             "|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < m->n_benches; i++) {
        const struct bench *row = &m->benches[i];
        if (only && strcmp(row->op, only->slug) != 0) continue;
        const char *const cells[][2] = {
            {row->model, row->quant}, {row->engine, row->backend}, {row->machine, ""}, {row->baseline, ""}};
        str_printf(out, "| `%s` | %.10g %s | ", row->op, row->number, row->unit);
        for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
            markdown_text(out, cells[k][0]);
            if (*cells[k][1]) str_puts(out, ", ");
            markdown_text(out, cells[k][1]);
            str_puts(out, " | ");
        }
        str_printf(out, "%s%s, %s | ", row->commit, row->public_commit ? "" : " (private)", row->measured_on);
        if (*row->command) markdown_code(out, row->command);
        str_printf(out, " | %s |\n", bench_regime_name(row->regime));
    }
}

static void put_json(struct str *out, const struct matrix *m, const struct op *only) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    sota_json_benches(&j, m, only);
    str_putc(out, '\n');
}

int fak_sota_bench(struct cli *cli, int argc, char **argv) {
    const struct op *only = NULL;
    struct sota_call call;
    struct status st;
    bool ok = sota_begin(&call, cli, argc, argv, 0, 1, &st) &&
              (!call.args.n_positional || sota_find_op(&only, call.m, call.args.positional[0], &st));
    if (ok && call.format == CLI_JSON) put_json(&cli->out, call.m, only);
    else if (ok && call.format == CLI_MARKDOWN) put_markdown(&cli->out, call.m, only);
    else if (ok) put_text(cli, call.m, only);
    return sota_end(&call, cli, ok, 0, &st);
}
