/* sota_milestones: `fak sota milestones [AXIS]`, where we stand on each ladder of prior art. */
#include "cmd/fak/sota.h"
#include "ladders/ladder.h"

static void put_json(struct str *out, const struct matrix *m, const struct ladder *only) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    if (!only) jsonout_begin_array(&j);
    for (size_t i = 0; i < m->n_ladders; i++)
        if (!only || only == &m->ladders[i]) ladder_json(&j, m, &m->ladders[i]);
    if (!only) jsonout_end_array(&j);
    str_putc(out, '\n');
}

static void put_markdown(struct str *out, const struct matrix *m, const struct ladder *only) {
    if (!only) ladder_overview_markdown(out, m);
    for (size_t i = 0; i < m->n_ladders; i++) {
        if (only && only != &m->ladders[i]) continue;
        if (!only) str_putc(out, '\n');
        ladder_markdown(out, m, &m->ladders[i]);
    }
}

static void put_text(struct cli *cli, const struct matrix *m, const struct ladder *only) {
    if (only) {
        ladder_text(&cli->out, &cli->out_term, m, only);
        return;
    }
    ladder_overview_text(&cli->out, &cli->out_term, m);
    str_putc(&cli->out, '\n');
    term_fold(&cli->out, &cli->out_term, 0,
              "=> where fak stands, -> the next milestone; `fak sota milestones AXIS` shows the rungs");
}

int fak_sota_milestones(struct cli *cli, int argc, char **argv) {
    const struct ladder *only = NULL;
    struct sota_call call;
    struct status st;
    bool ok = sota_begin(&call, cli, argc, argv, 0, 1, &st) &&
              (!call.args.n_positional || sota_find_ladder(&only, call.m, call.args.positional[0], &st));
    if (ok && call.format == CLI_JSON) put_json(&cli->out, call.m, only);
    else if (ok && call.format == CLI_MARKDOWN) put_markdown(&cli->out, call.m, only);
    else if (ok) put_text(cli, call.m, only);
    return sota_end(&call, cli, ok, 0, &st);
}
