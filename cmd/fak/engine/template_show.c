/* fak template: a chat template, rendered. */
#include "base/file.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/input.h"
#include "engine/token/chat_source.h"
#include "engine/token/template_batch.h"

#include <string.h>

enum { MAX_JSON = 64 << 20 };

static void answer(void *context, struct str *out, struct view line) {
    (void)context;
    template_batch(out, line);
}

/* The texts that a rendering looks into. */
struct show {
    const struct cli_args *args;
    struct chat_source source;
    struct str messages, tools, documents, context;
    struct tm clock;
    struct template_input input;
};

static bool read_json(struct view *out, struct str *text, const struct cli_args *args, const char *option,
                      struct status *st) {
    const char *path = cli_value(args, option);
    if (!path) return true;
    bool ok = strcmp(path, "-") == 0 ? input_stdin(text, st) : file_read(text, path, MAX_JSON, st);
    *out = (struct view){str_c(text), text->n};
    return ok;
}

/* --set KEY=JSON, any number of them, as one object. */
static bool read_variables(struct show *s, struct status *st) {
    const char *given;
    int at = 0;
    str_putc(&s->context, '{');
    while ((given = cli_next(s->args, "--set", &at))) {
        const char *equals = strchr(given, '=');
        struct jsonout j;
        if (!equals || equals == given)
            return status_fail(st, STATUS_USAGE, "--set '%.60s' is not KEY=JSON", given);
        if (s->context.n > 1) str_putc(&s->context, ',');
        jsonout_init(&j, &s->context, 0);
        jsonout_view(&j, (struct view){given, (size_t)(equals - given)});
        str_printf(&s->context, ":%s", equals + 1);
    }
    str_putc(&s->context, '}');
    s->input.context = (struct view){s->context.at, s->context.n};
    return str_ok(&s->context, st);
}

static bool read_show(struct show *s, struct status *st) {
    const struct cli_args *args = s->args;
    const char *now = cli_value(args, "--now");
    if (!cli_expect(args, 1, 1, st)) return false;
    if (!cli_value(args, "--messages"))
        return status_fail(st, STATUS_USAGE,
                           "give the messages, a JSON array in a file: --messages FILE.json");
    if (now && !template_batch_time(&s->clock, now, st)) return false;
    if (!chat_source_read(&s->source, args->positional[0], cli_value(args, "--tools") ? "tool_use" : NULL,
                          st))
        return false;
    if (s->source.text.n == 0)
        return status_fail(st, STATUS_UNSUPPORTED, "%.200s has no chat template", args->positional[0]);
    s->input.now = now ? &s->clock : NULL;
    s->input.add_generation_prompt = !cli_given(args, "--no-generation-prompt");
    s->input.continue_final_message = cli_given(args, "--continue-final-message");
    s->input.bos = (struct view){str_c(&s->source.bos), s->source.bos.n};
    s->input.eos = (struct view){str_c(&s->source.eos), s->source.eos.n};
    if (s->input.continue_final_message) s->input.add_generation_prompt = false;
    return read_json(&s->input.messages, &s->messages, args, "--messages", st) &&
           read_json(&s->input.tools, &s->tools, args, "--tools", st) &&
           read_json(&s->input.documents, &s->documents, args, "--documents", st) && read_variables(s, st);
}

/* *failed: the template refused, which --json says on stdout. */
static bool show(struct cli *cli, struct show *s, bool *failed, struct status *st) {
    struct template *t = NULL;
    struct template_text text = {0};
    struct template_fault fault = {0};
    bool json = cli_given(s->args, "--json");
    if (!read_show(s, st)) return false;
    struct view source = {str_c(&s->source.text), s->source.text.n};
    bool ok = template_open(&t, source, &fault, st) && template_render(&text, t, &s->input, &fault, st);
    if (ok && json) template_batch_text(&cli->out, (struct view){text.at, text.n});
    else if (ok) str_add(&cli->out, text.at, text.n);
    else if (json && fault.kind != TEMPLATE_NO_FAULT) {
        template_batch_error(&cli->out, template_kind_name(fault.kind), fault.message);
        *failed = ok = true;
    }
    template_text_free(&text);
    template_close(t);
    return ok;
}

int fak_template(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct show s = {.args = &args};
    bool failed = false, ok = cli_parse(&args, cli->command, argc, argv, &st);
    if (ok && cli_given(&args, "--batch"))
        ok = cli_expect(&args, 0, 0, &st) && input_lines(cli, answer, NULL, &st);
    else ok = ok && show(cli, &s, &failed, &st);
    chat_source_free(&s.source);
    str_free(&s.messages);
    str_free(&s.tools);
    str_free(&s.documents);
    str_free(&s.context);
    return ok ? cli_finish(cli, failed) : cli_fail(cli, &st);
}
