/* fak detokenize: the text of ids. */
#include "base/file.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/input.h"
#include "engine/token/tokenizer_batch.h"

#include <unistd.h>

struct batch {
    const struct tokenizer *t;
    bool keep_special;
};

static void answer(void *context, struct str *out, struct view line) {
    const struct batch *batch = context;
    tokenizer_batch_decode(out, batch->t, line, batch->keep_special);
}

/* From --ids, --file, further arguments, or stdin. */
static bool read_ids(struct token_list *ids, const struct cli_args *args, struct status *st) {
    const char *given = cli_value(args, "--ids"), *path = cli_value(args, "--file");
    if (!!given + !!path + (args->n_positional > 1) > 1)
        return status_fail(st, STATUS_USAGE,
                           "--ids, --file and further arguments each name ids; give one of them");
    if (given) return input_ids(ids, view_of(given), "--ids", st);
    for (int i = 1; i < args->n_positional; i++)
        if (!input_ids(ids, view_of(args->positional[i]), args->positional[i], st)) return false;
    if (args->n_positional > 1) return true;
    if (!path && isatty(STDIN_FILENO))
        return status_fail(st, STATUS_USAGE,
                           "there are no ids; give them with --ids, with --file or on stdin");
    struct str text = {0};
    bool ok = path ? file_read(&text, path, INPUT_MAX, st) : input_stdin(&text, st);
    ok = ok && input_ids(ids, (struct view){str_c(&text), text.n}, path ? path : "stdin", st);
    str_free(&text);
    return ok;
}

static bool check_ids(const struct tokenizer *t, const struct token_list *ids, struct status *st) {
    for (size_t i = 0; i < ids->n; i++)
        if (ids->ids[i] < 0 || (size_t)ids->ids[i] >= tokenizer_n_vocab(t))
            return status_fail(st, STATUS_BAD_INPUT, "id %d (number %zu) is outside the vocabulary: 0 to %zu",
                               ids->ids[i], i + 1, tokenizer_n_vocab(t) - 1);
    return true;
}

static bool detokenize_one(struct cli *cli, const struct cli_args *args, const struct batch *b,
                           struct status *st) {
    struct token_list ids = {0};
    struct str text = {0};
    bool ok = read_ids(&ids, args, st) && check_ids(b->t, &ids, st);
    if (ok) tokenizer_decode(&text, b->t, ids.ids, ids.n, b->keep_special);
    ok = ok && str_ok(&text, st);
    if (ok && cli_given(args, "--json")) tokenizer_batch_text(&cli->out, (struct view){str_c(&text), text.n});
    else if (ok) str_add(&cli->out, str_c(&text), text.n);
    if (ok && isatty(STDOUT_FILENO) && !cli_given(args, "--json")) str_putc(&cli->out, '\n');
    token_list_free(&ids);
    str_free(&text);
    return ok;
}

static bool detokenize(struct cli *cli, const struct cli_args *args, struct status *st) {
    struct tokenizer *t = NULL;
    if (!cli_expect(args, 1, CLI_MAX_POSITIONAL, st) || !tokenizer_open(&t, args->positional[0], st))
        return false;
    struct batch batch = {.t = t, .keep_special = !cli_given(args, "--skip-special")};
    bool ok = cli_given(args, "--batch") ? input_lines(cli, answer, &batch, st)
                                         : detokenize_one(cli, args, &batch, st);
    tokenizer_close(t);
    return ok;
}

int fak_detokenize(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !detokenize(cli, &args, &st))
        return cli_fail(cli, &st);
    return cli_finish(cli, 0);
}
