/* sota_issue: `fak sota issue OP`, an update for an issue, ready to paste or posted by gh. */
#include "base/jsonout.h"
#include "base/markdown.h"
#include "cmd/fak/gh.h"
#include "cmd/fak/sota.h"
#include "cmd/fak/sota_page.h"
#include "sotadb/gaps.h"

#include <limits.h>

enum { GAPS = 64 };

static void put_section(struct str *out, const char *label, const char *text) {
    if (!*text) return;
    str_printf(out, "#### %s\n\n", label);
    markdown_paragraphs(out, text);
}

static void put_decision(struct str *out, const struct op *op) {
    str_printf(out, "#### Decision\n\nRoute: **%s**", route_name(op->route));
    if (*op->route_note) str_puts(out, ". ");
    markdown_text(out, op->route_note);
    str_puts(out, "\n\n");
    if (*op->selection) {
        str_puts(out, "Selected, not shipped: ");
        markdown_text(out, op->selection);
        str_puts(out, "\n\n");
    }
}

/* What is missing, so that "done" can be checked off. */
static void put_missing(struct str *out, const struct matrix *m, const struct op *op) {
    struct gap gaps[GAPS];
    size_t n = gaps_find(m, op, gaps, GAPS);
    if (n) str_puts(out, "#### Missing today\n\n");
    for (size_t i = 0; i < n && i < GAPS; i++) {
        str_printf(out, "- [ ] %s", gap_name(gaps[i].kind));
        if (gaps[i].witness)
            str_printf(out, " (%s%s%s)", gaps[i].witness->device, *gaps[i].witness->floor_name ? ", " : "",
                       gaps[i].witness->floor_name);
        str_putc(out, '\n');
    }
    if (n) str_putc(out, '\n');
}

static void write_issue(struct str *out, const struct matrix *m, const struct op *op) {
    str_puts(out, "### Prior art: ");
    markdown_text(out, op->title);
    str_printf(out, " (`%s`, %s)\n\n", op->slug, op_status_name(op->status));
    if (*op->summary) {
        markdown_text(out, op->summary);
        str_puts(out, "\n\n");
    }
    put_decision(out, op);
    str_puts(out, "#### Read first\n\n");
    sota_page_markdown_references(out, m, op);
    str_puts(out, "#### Oracle\n\n");
    markdown_text(out, op->oracle);
    str_puts(out, "\n\n");
    sota_page_markdown_witnesses(out, m, op);
    str_puts(out, "A figure below its floor fails the row; a skipped run is not a pass.\n\n");
    put_section(out, "Expected bottleneck", op->bottleneck);
    put_section(out, "Plan", op->plan);
    put_missing(out, m, op);
    str_puts(out, "Commits carry the trailer ");
    struct str trailer = {0};
    sota_page_trailer(&trailer, m, op);
    markdown_code(out, str_c(&trailer));
    str_puts(out, " and name what else was read.\n");
    str_free(&trailer);
}

static bool post(struct cli *cli, long number, struct status *st) {
    return str_ok(&cli->out, st) && gh_ready(st) &&
           gh_comment(number, (struct view){cli->out.at, cli->out.n}, st);
}

static void as_json(struct str *out, const struct op *op) {
    struct str body = *out;
    struct jsonout j;
    *out = (struct str){0};
    jsonout_init(&j, out, 2);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "op", op->slug);
    jsonout_pair_string(&j, "body", str_c(&body));
    jsonout_end_object(&j);
    str_putc(out, '\n');
    out->failed |= body.failed;
    str_free(&body);
}

int fak_sota_issue(struct cli *cli, int argc, char **argv) {
    const struct op *op;
    struct sota_call call;
    struct status st;
    long number;
    bool ok = sota_begin(&call, cli, argc, argv, 1, 1, &st) &&
              cli_number(&number, &call.args, "--post", 1, INT_MAX, 0, &st) &&
              sota_find_op(&op, call.m, call.args.positional[0], &st);
    if (ok) write_issue(&cli->out, call.m, op);
    if (ok && number > 0) {
        ok = post(cli, number, &st);
        if (ok) str_clear(&cli->out);
    } else if (ok && call.format == CLI_JSON) {
        as_json(&cli->out, op);
    }
    return sota_end(&call, cli, ok, 0, &st);
}
