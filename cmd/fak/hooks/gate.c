/* fak gate: the advice for what is staged now. */
#include "cmd/fak/hooks/hooks_entries.h"
#include "hooks/stage/look.h"

#include <stdio.h>

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

int fak_gate(struct cli *cli, int argc, char **argv) {
    enum { CANNOT_DECIDE = 2 };
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    struct stage_input in = {
        .matrix = &sota_matrix,
        .load_scan = hooks_load_scan,
        .term = &cli->out_term,
        .repository = {.load = hooks_load_libgit2, .config_by_git = hooks_config_by_environment()},
        .message_file = cli_value(&args, "--message"),
        .source = "",
    };
    struct look look;
    struct str note = {0};
    bool ok = look_open(&look, &in, &st);
    if (ok) {
        if (cli_given(&args, "--json")) put_json(cli, &look, in.matrix);
        else put_text(cli, &look, &in);
        look_note(&note, &look);
        fputs(str_c(&note), stderr);
    }
    str_free(&note);
    look_close(&look);
    if (ok) return cli_finish(cli, 0);
    cli_fail(cli, &st);
    return CANNOT_DECIDE;
}
