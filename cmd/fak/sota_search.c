/* sota_search: `fak sota search WORDS`. */
#include "base/jsonout.h"
#include "base/markdown.h"
#include "cmd/fak/sota.h"
#include "sotadb/search.h"

#include <string.h>

enum { HITS = 20, MAX_WORDS = 32 };

/* The arguments, cut at blanks: `search "paged attention"` and `search paged attention` are one. */
struct words {
    struct str text;
    const char *at[MAX_WORDS];
    size_t n;
};

static bool split(struct words *words, const struct cli_args *args, struct status *st) {
    for (int i = 0; i < args->n_positional; i++) str_printf(&words->text, "%s ", args->positional[i]);
    if (!str_ok(&words->text, st)) return false;
    char *rest;
    for (char *word = strtok_r(words->text.at, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
        if (words->n == MAX_WORDS) return status_fail(st, STATUS_USAGE, "more than %d words", MAX_WORDS);
        words->at[words->n++] = word;
    }
    return words->n > 0 ? true : status_fail(st, STATUS_USAGE, "there is no word to search for");
}

/* "NAME  note" and the text below it. */
static void put_entry(struct cli *cli, const char *name, const char *note, const char *text) {
    const struct term *term = &cli->out_term;
    term_put(&cli->out, term, TERM_BOLD, name);
    bool fits = term_columns(name) + 2 + term_columns(note) <= term->width;
    str_puts(&cli->out, fits ? "  " : "\n  ");
    term_put(&cli->out, term, TERM_DIM, note);
    str_puts(&cli->out, "\n  ");
    term_fold(&cli->out, term, 2, text);
}

static void put_hit(struct cli *cli, const struct search_hit *hit) {
    struct str name = {0}, note = {0}, text = {0};
    const struct op *op = hit->op;
    const struct rung *rung = hit->rung;
    if (op) {
        str_puts(&name, op->slug);
        str_printf(&note, "%s, %s (%s)", route_name(op->route), op_status_name(op->status), hit->field);
        str_puts(&text, op->title);
    } else {
        str_printf(&name, "milestones %s", rung->axis);
        str_printf(&note, "L%d (%s)", rung->level, hit->field);
        str_printf(&text, "%s (%d): %s", rung->technique, rung->year, rung->change);
    }
    put_entry(cli, str_c(&name), str_c(&note), str_c(&text));
    str_free(&name);
    str_free(&note);
    str_free(&text);
}

static void put_text(struct cli *cli, const struct search_hit *hits, size_t n, bool any) {
    if (any) term_fold(&cli->out, &cli->out_term, 0, "No row holds all of the words; these hold some:");
    for (size_t i = 0; i < n && i < HITS; i++) put_hit(cli, &hits[i]);
    if (n > HITS) str_printf(&cli->out, "\n%zu more; another word narrows it\n", n - HITS);
}

static void put_markdown(struct str *out, const struct search_hit *hits, size_t n) {
    for (size_t i = 0; i < n && i < HITS; i++) {
        const struct search_hit *hit = &hits[i];
        if (hit->op) {
            str_printf(out, "* `fak sota %s`: ", hit->op->slug);
            markdown_text(out, hit->op->title);
        } else {
            str_printf(out, "* `fak sota milestones %s`: L%d ", hit->rung->axis, hit->rung->level);
            markdown_link(out, hit->rung->technique, hit->rung->url);
        }
        str_putc(out, '\n');
    }
}

static void put_json(struct str *out, const struct search_hit *hits, size_t n, bool any) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_object(&j);
    jsonout_pair_bool(&j, "all_words", !any);
    jsonout_pair_int(&j, "n_hits", (int64_t)n);
    jsonout_key(&j, "hits");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < n && i < HITS; i++) {
        const struct search_hit *hit = &hits[i];
        jsonout_begin_object(&j);
        jsonout_pair_string(&j, "op", hit->op ? hit->op->slug : NULL);
        jsonout_pair_string(&j, "axis", hit->rung ? hit->rung->axis : NULL);
        if (hit->rung) jsonout_pair_int(&j, "level", hit->rung->level);
        jsonout_pair_string(&j, "title", hit->op ? hit->op->title : hit->rung->technique);
        jsonout_pair_string(&j, "field", hit->field);
        jsonout_pair_int(&j, "score", hit->score);
        jsonout_end_object(&j);
    }
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

/* *found: is there a row? Where there is none, JSON says so by itself. */
static bool search(struct cli *cli, bool *found, const struct words *words, const struct sota_call *call,
                   struct status *st) {
    struct search_hit hits[HITS];
    size_t n = search_matrix(call->m, words->at, words->n, false, hits, HITS);
    bool any = n == 0 && words->n > 1;
    if (any) n = search_matrix(call->m, words->at, words->n, true, hits, HITS);
    if (call->format == CLI_JSON) put_json(&cli->out, hits, n, any);
    else if (call->format == CLI_MARKDOWN) put_markdown(&cli->out, hits, n);
    else if (n > 0) put_text(cli, hits, n, any);
    *found = n > 0;
    if (n > 0 || call->format == CLI_JSON) return true;
    return status_fail(st, STATUS_NOT_FOUND, "no row says '%s'%s; `fak sota list` shows all", words->at[0],
                       words->n > 1 ? " or any of the other words" : "");
}

int fak_sota_search(struct cli *cli, int argc, char **argv) {
    struct sota_call call;
    struct status st;
    struct words words = {0};
    bool found = false;
    bool ok = sota_begin(&call, cli, argc, argv, 1, CLI_MAX_POSITIONAL, &st) &&
              split(&words, &call.args, &st) && search(cli, &found, &words, &call, &st);
    str_free(&words.text);
    return sota_end(&call, cli, ok, found ? 0 : 1, &st);
}
