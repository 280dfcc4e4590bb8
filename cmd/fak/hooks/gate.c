/* fak gate: the advice for what is staged now; with --range see gate_range.c. */
#include "cmd/fak/hooks/hooks_entries.h"
#include "cmd/fak/whichmatrix.h"
#include "hooks/stage/look.h"

#include <stdio.h>
#include <string.h>

static const char *silence_text(enum look_silence silence) {
    switch (silence) {
    case LOOK_FIXUP: return "a fixup will be folded into another commit: nothing to say";
    case LOOK_OFF: return "switched off here: git config fak.priorart";
    case LOOK_STAMPED: return "the message carries a valid Prior-art trailer";
    case LOOK_UNTOUCHED: return "what is staged touches no kernel of the matrix";
    case LOOK_SPEAK: break;
    }
    return "";
}

static void put_json(struct cli *cli, const struct look *look, const struct matrix *m) {
    static const char *const why[] = {[LOOK_SPEAK] = "",
                                      [LOOK_FIXUP] = "fixup",
                                      [LOOK_UNTOUCHED] = "untouched",
                                      [LOOK_OFF] = "off",
                                      [LOOK_STAMPED] = "stamped"};
    struct jsonout json;
    jsonout_init(&json, &cli->out, 2);
    jsonout_begin_object(&json);
    advice_json(&json, m, &look->report);
    jsonout_pair_bool(&json, "speaks", look->silence == LOOK_SPEAK);
    jsonout_pair_string(&json, "silent_because", why[look->silence]);
    jsonout_pair_string(&json, "reader", look->staged ? staged_reader(look->staged) : "");
    jsonout_pair_string(&json, "matrix", m->source);
    jsonout_end_object(&json);
    str_putc(&cli->out, '\n');
}

static void put_text(struct cli *cli, const struct look *look, const struct stage_input *in) {
    enum advice_moment moment = in->message_file ? ADVICE_MESSAGE : ADVICE_STAGED;
    if (look->silence == LOOK_SPEAK)
        advice_text(&cli->out, &cli->out_term, in->matrix, &look->report, moment);
    else str_printf(&cli->out, "fak: %s\n", silence_text(look->silence));
}

/* What only makes sense for a range. */
static bool without_range(const struct cli_args *args, struct status *st) {
    static const char *const ranged[] = {"--first-parent", "--squash", "--message-file", "--require"};
    for (size_t i = 0; i < sizeof ranged / sizeof *ranged; i++)
        if (cli_given(args, ranged[i]))
            return status_fail(st, STATUS_USAGE, "%s is for a range: add --range A..B", ranged[i]);
    const char *format = cli_value(args, "--format");
    if (!format || strcmp(format, "text") == 0 || strcmp(format, "json") == 0) return true;
    return status_fail(st, STATUS_USAGE, "--format %s is for a range: add --range A..B", format);
}

static bool with_range(const struct cli_args *args, struct status *st) {
    if (!cli_given(args, "--message")) return true;
    return status_fail(st, STATUS_USAGE,
                       "--message is for the staged change; of a range it is --message-file");
}

static bool staged(struct cli *cli, const struct matrix *m, const struct cli_args *args, struct status *st) {
    struct stage_input in = {
        .matrix = m,
        .load_scan = hooks_load_scan,
        .term = &cli->out_term,
        .repository = {.load = hooks_load_libgit2, .config_by_git = hooks_config_by_environment()},
        .message_file = cli_value(args, "--message"),
        .source = "",
    };
    struct look look;
    struct str note = {0};
    const char *format = cli_value(args, "--format");
    bool ok = look_open(&look, &in, st);
    if (ok) {
        if (cli_given(args, "--json") || (format && strcmp(format, "json") == 0)) put_json(cli, &look, m);
        else put_text(cli, &look, &in);
        look_note(&note, &look);
        fputs(str_c(&note), stderr);
    }
    str_free(&note);
    look_close(&look);
    return ok;
}

int fak_gate(struct cli *cli, int argc, char **argv) {
    enum { CANNOT_DECIDE = 2 };
    struct cli_args args;
    struct whichmatrix which = {0};
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    bool ranged = cli_given(&args, "--range");
    if (ranged ? !with_range(&args, &st) : !without_range(&args, &st)) return cli_fail(cli, &st);
    int code = 0;
    bool ok = whichmatrix_open(&which, &st) &&
              (ranged ? gate_range(cli, &code, which.m, &args, &st) : staged(cli, which.m, &args, &st));
    whichmatrix_close(&which);
    if (ok) return cli_finish_to(cli, cli_value(&args, "--output"), code);
    cli_fail(cli, &st);
    return CANNOT_DECIDE;
}
