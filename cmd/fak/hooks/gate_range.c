/* fak gate --range: the verdict on every commit of a range, for people and for a CI. */
#include "base/file.h"
#include "cmd/fak/commands.h"
#include "cmd/fak/hooks/hooks_entries.h"
#include "hooks/range/rangereport.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_LIMIT = 16 << 20 };

/* What one call holds. */
struct ranged {
    struct revrange range;
    struct str message;
    struct arena arena;
};

static bool judge(struct ranged *g, const struct matrix *m, const struct cli_args *args, struct status *st) {
    const char *file = cli_value(args, "--message-file");
    if (file && !file_read(&g->message, file, MESSAGE_LIMIT, st)) return false;
    struct view message = {str_c(&g->message), g->message.n};
    const struct revrange_input in = {
        .matrix = m,
        .load = hooks_load_libgit2,
        .load_scan = hooks_load_scan,
        .range = cli_value(args, "--range"),
        .first_parent = cli_given(args, "--first-parent"),
        .squash = cli_given(args, "--squash"),
        .message = file ? &message : NULL,
    };
    return revrange_open(&g->range, &in, st);
}

static bool put(struct cli *cli, struct ranged *g, const struct matrix *m, const char *format, bool required,
                struct status *st) {
    enum diagnostic_format as;
    struct diagnostic_report report;
    if (strcmp(format, "json") == 0) rangereport_json(&cli->out, m, &g->range);
    if (strcmp(format, "text") == 0) rangereport_text(&cli->out, &cli->out_term, &g->range);
    if (!diagnostic_format_of(&as, format)) return true;
    if (!rangereport_diagnostics(&report, m, &g->range, required, &g->arena, st)) return false;
    report.version = FAK_VERSION;
    report.url = "";
    diagnostic_write(&cli->out, as, &report);
    return true;
}

bool gate_range(struct cli *cli, int *code, const struct matrix *m, const struct cli_args *args,
                struct status *st) {
    struct ranged g = {0};
    bool required = cli_given(args, "--require");
    const char *format = cli_value(args, "--format");
    if (!format) format = cli_given(args, "--json") ? "json" : "text";
    bool ok = judge(&g, m, args, st) && put(cli, &g, m, format, required, st);
    *code = ok && required && revrange_open_count(&g.range) ? 1 : 0;
    const char *fallback = ok ? history_fallback(g.range.history) : "";
    if (*fallback) fprintf(stderr, "fak: read with git (%s)\n", fallback);
    revrange_close(&g.range);
    arena_release(&g.arena);
    str_free(&g.message);
    return ok;
}
