/* sota_gaps: `fak sota gaps`, what to take up next. */
#include "base/jsonout.h"
#include "base/markdown.h"
#include "cmd/fak/sota.h"
#include "sotadb/gaps.h"

#include <stdlib.h>
#include <string.h>

static const char *const meaning[GAP_KINDS] = {
    [GAP_NO_WITNESS] = "code without a witness: write the witness before anything else",
    [GAP_NO_TEST] = "a device lane whose witness names no test",
    [GAP_NO_ACCEPTANCE] = "a device lane without an acceptance row: nothing makes it run on the device",
    [GAP_NO_FLOOR] = "a named floor without a value",
    [GAP_NOT_MEASURED] = "a floor that is recorded from elsewhere: run the acceptance row and tighten it",
    [GAP_NO_PATH] = "a row none of whose files is there yet",
    [GAP_PLANNED] = "nothing is there yet; the row says what is to come",
};

static void put_detail(struct str *out, const struct gap *gap) {
    if (!gap->witness) return;
    str_printf(out, "%s", gap->witness->device);
    if (*gap->witness->floor_name) str_printf(out, ", %s", gap->witness->floor_name);
    if (gap->kind == GAP_NOT_MEASURED) str_printf(out, " %g", gap->witness->floor);
}

static int slug_columns(const struct gap *gaps, size_t n) {
    int most = 0;
    for (size_t i = 0; i < n; i++) {
        int columns = term_columns(gaps[i].op->slug);
        if (columns > most) most = columns;
    }
    return most + 2;
}

static void put_kind(struct cli *cli, const struct gap *gaps, size_t n, int columns) {
    const struct term *term = &cli->out_term;
    term_put(&cli->out, term, TERM_BOLD, gap_name(gaps->kind));
    str_puts(&cli->out, ": ");
    term_fold(&cli->out, term, term_columns(gap_name(gaps->kind)) + 2, meaning[gaps->kind]);
    for (size_t i = 0; i < n; i++) {
        struct str detail = {0};
        put_detail(&detail, &gaps[i]);
        if (!detail.n) str_puts(&detail, gaps[i].op->title);
        str_puts(&cli->out, "  ");
        term_cell(&cli->out, term, TERM_CYAN, columns, gaps[i].op->slug);
        term_fold(&cli->out, term, columns + 2, str_c(&detail));
        str_free(&detail);
    }
    str_putc(&cli->out, '\n');
}

static size_t kind_length(const struct gap *gaps, size_t n) {
    size_t i = 1;
    while (i < n && gaps[i].kind == gaps[0].kind) i++;
    return i;
}

static void put_text(struct cli *cli, const struct gap *gaps, size_t n) {
    int columns = slug_columns(gaps, n);
    for (size_t i = 0, length; i < n; i += length) {
        length = kind_length(gaps + i, n - i);
        put_kind(cli, gaps + i, length, columns);
    }
    struct str last = {0};
    if (n == 0) str_puts(&last, "No gaps: every operation has a file, a witness, and measured floors.");
    else
        str_printf(&last, "Take up first: %s (%s); `fak sota issue %s` writes it down.", gaps->op->slug,
                   gap_name(gaps->kind), gaps->op->slug);
    term_fold(&cli->out, &cli->out_term, 0, str_c(&last));
    str_free(&last);
}

static void put_markdown(struct str *out, const struct gap *gaps, size_t n) {
    str_puts(out, "| Gap | Operation | Lane |\n|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        struct str detail = {0};
        put_detail(&detail, &gaps[i]);
        str_printf(out, "| %s | `%s` | ", gap_name(gaps[i].kind), gaps[i].op->slug);
        markdown_text(out, str_c(&detail));
        str_puts(out, " |\n");
        str_free(&detail);
    }
}

static void put_json(struct str *out, const struct gap *gaps, size_t n) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_array(&j);
    for (size_t i = 0; i < n; i++) {
        jsonout_begin_object(&j);
        jsonout_pair_string(&j, "gap", gap_name(gaps[i].kind));
        jsonout_pair_string(&j, "op", gaps[i].op->slug);
        jsonout_pair_string(&j, "device", gaps[i].witness ? gaps[i].witness->device : NULL);
        jsonout_pair_string(&j, "floor_name", gaps[i].witness ? gaps[i].witness->floor_name : NULL);
        jsonout_end_object(&j);
    }
    jsonout_end_array(&j);
    str_putc(out, '\n');
}

static bool put(struct cli *cli, const struct sota_call *call, struct status *st) {
    size_t n = gaps_find(call->m, NULL, NULL, 0);
    struct gap *gaps = calloc(n + 1, sizeof *gaps);
    if (!gaps) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu gaps", n);
    gaps_find(call->m, NULL, gaps, n);
    if (call->format == CLI_JSON) put_json(&cli->out, gaps, n);
    else if (call->format == CLI_MARKDOWN) put_markdown(&cli->out, gaps, n);
    else put_text(cli, gaps, n);
    free(gaps);
    return true;
}

int fak_sota_gaps(struct cli *cli, int argc, char **argv) {
    struct sota_call call;
    struct status st;
    bool ok = sota_begin(&call, cli, argc, argv, 0, 0, &st) && put(cli, &call, &st);
    return sota_end(&call, cli, ok, 0, &st);
}
