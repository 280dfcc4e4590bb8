/* fak sota log: what prior art a history consulted, by operation and commit. */
#include "base/jsonout.h"
#include "cmd/fak/hooks/hooks_entries.h"
#include "cmd/fak/sota.h"
#include "hooks/range/priorlog.h"

#include <stdio.h>
#include <string.h>

enum { SHORT_OID = 10, INDENT = 4 };

static void put_view(struct str *out, struct view text) {
    struct str copy = {0};
    str_add(&copy, text.at, text.n);
    term_safe(out, str_c(&copy));
    out->failed |= copy.failed;
    str_free(&copy);
}

/* --- for people ------------------------------------------------------------------------------------------
 */

static void put_entry(struct cli *cli, const struct priorlog_entry *entry) {
    char oid[SHORT_OID + 1];
    struct str text = {0};
    snprintf(oid, sizeof oid, "%s", entry->oid);
    str_puts(&cli->out, "  ");
    term_put(&cli->out, &cli->out_term, TERM_DIM, entry->date);
    str_puts(&cli->out, "  ");
    term_put(&cli->out, &cli->out_term, TERM_YELLOW, oid);
    str_puts(&cli->out, "  ");
    put_view(&text, entry->subject);
    term_fold(&cli->out, &cli->out_term, 2 + 10 + 2 + SHORT_OID + 2, str_c(&text));
    str_clear(&text);
    put_view(&text, entry->consulted);
    if (text.n) {
        str_printf(&cli->out, "%*s", INDENT, "");
        term_fold(&cli->out, &cli->out_term, INDENT, str_c(&text));
    }
    str_free(&text);
}

static void put_head(struct cli *cli, const struct op *op) {
    term_put(&cli->out, &cli->out_term, TERM_BOLD, op ? op->slug : "(free text)");
    if (op) str_printf(&cli->out, "  %s", op->title);
    str_putc(&cli->out, '\n');
}

static void put_text(struct cli *cli, const struct priorlog *log) {
    size_t free_text = 0;
    for (size_t i = 0; i < log->n; i++) {
        bool first = i == 0 || log->at[i].op != log->at[i - 1].op;
        if (first && i) str_putc(&cli->out, '\n');
        if (first) put_head(cli, log->at[i].op);
        put_entry(cli, &log->at[i]);
        free_text += !log->at[i].op;
    }
    struct str last = {0};
    if (log->n) str_putc(&cli->out, '\n');
    str_printf(&last, "%zu commit%s say%s what was read, for %zu operation%s", log->n_commits,
               log->n_commits == 1 ? "" : "s", log->n_commits == 1 ? "s" : "", log->n_ops,
               log->n_ops == 1 ? "" : "s");
    if (free_text) str_printf(&last, ", and %zu time%s in free text", free_text, free_text == 1 ? "" : "s");
    term_fold(&cli->out, &cli->out_term, 0, str_c(&last));
    str_free(&last);
}

/* --- for programs ----------------------------------------------------------------------------------------
 */

static void put_json(struct str *out, const struct priorlog *log, const char *range) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "range", range);
    jsonout_pair_int(&j, "commits", (int64_t)log->n_commits);
    jsonout_pair_int(&j, "operations", (int64_t)log->n_ops);
    jsonout_pair_bool(&j, "shallow", log->shallow);
    jsonout_key(&j, "entries");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < log->n; i++) {
        const struct priorlog_entry *entry = &log->at[i];
        jsonout_begin_object(&j);
        jsonout_pair_string(&j, "op", entry->op ? entry->op->slug : NULL);
        jsonout_pair_string(&j, "commit", entry->oid);
        jsonout_pair_string(&j, "date", entry->date);
        jsonout_key(&j, "subject");
        jsonout_view(&j, entry->subject);
        jsonout_key(&j, "consulted");
        jsonout_view(&j, entry->consulted);
        jsonout_pair_int(&j, "line", entry->line);
        jsonout_end_object(&j);
    }
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

static bool put(struct cli *cli, const struct sota_call *call, struct status *st) {
    struct arena arena = {0};
    struct priorlog log;
    const struct op *only = NULL;
    const char *range = cli_value(&call->args, "--range");
    if (!range) range = "HEAD";
    if (call->args.n_positional && !sota_find_op(&only, call->m, call->args.positional[0], st)) return false;
    bool ok = priorlog_read(&log, call->m, range, only, &arena, st);
    if (ok && call->format == CLI_JSON) put_json(&cli->out, &log, range);
    else if (ok) put_text(cli, &log);
    if (ok && log.shallow)
        fputs("fak sota log: the clone is shallow; older history is missing (git fetch --unshallow)\n",
              stderr);
    arena_release(&arena);
    return ok;
}

int fak_sota_log(struct cli *cli, int argc, char **argv) {
    struct sota_call call;
    struct status st;
    bool ok = sota_begin(&call, cli, argc, argv, 0, 1, &st) && put(cli, &call, &st);
    return sota_end(&call, cli, ok, 0, &st);
}
