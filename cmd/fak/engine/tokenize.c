/* fak tokenize: what a model's tokenizer makes of a text. */
#include "base/base64.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/input.h"
#include "cmd/fak/engine/shown.h"
#include "engine/token/tokenizer_batch.h"

#include <string.h>

/* As text, where what is no UTF-8 becomes U+FFFD, and as bytes. */
static void put_pieces(struct jsonout *j, const struct tokenizer *t, const struct token_list *ids) {
    struct str encoded = {0};
    jsonout_key(j, "pieces");
    jsonout_begin_array(j);
    for (size_t i = 0; i < ids->n; i++) jsonout_view(j, tokenizer_piece(t, ids->ids[i]));
    jsonout_end_array(j);
    jsonout_key(j, "pieces_b64");
    jsonout_begin_array(j);
    for (size_t i = 0; i < ids->n; i++) {
        str_clear(&encoded);
        base64_encode(&encoded, tokenizer_piece(t, ids->ids[i]));
        jsonout_string(j, str_c(&encoded));
    }
    jsonout_end_array(j);
    str_free(&encoded);
}

static void put_json(struct cli *cli, const struct tokenizer *t, const struct token_list *ids, bool pieces) {
    struct jsonout j;
    jsonout_init(&j, &cli->out, 0);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "tokenizer", tokenizer_kind(t));
    jsonout_pair_int(&j, "count", (int64_t)ids->n);
    jsonout_key(&j, "ids");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < ids->n; i++) jsonout_int(&j, ids->ids[i]);
    jsonout_end_array(&j);
    if (pieces) put_pieces(&j, t, ids);
    jsonout_end_object(&j);
    str_putc(&cli->out, '\n');
}

static void put_token(struct cli *cli, const struct tokenizer *t, int32_t id, int width) {
    const char *kind = tokenizer_token_kind(t, id);
    bool plain = strcmp(kind, "normal") == 0;
    struct str piece = {0};
    shown_quoted(&piece, tokenizer_piece(t, id), cli->out_term.width - width - 4);
    str_printf(&cli->out, "%*d  ", width, (int)id);
    term_put(&cli->out, &cli->out_term, plain ? TERM_PLAIN : TERM_CYAN, str_c(&piece));
    str_free(&piece);
    if (!plain) {
        str_puts(&cli->out, "  ");
        term_put(&cli->out, &cli->out_term, TERM_DIM, kind);
    }
    str_putc(&cli->out, '\n');
}

static void put_table(struct cli *cli, const struct tokenizer *t, const struct token_list *ids,
                      size_t n_bytes) {
    int width = 6;
    str_printf(&cli->out, "%*s  ", width, "id");
    term_put(&cli->out, &cli->out_term, TERM_BOLD, "piece");
    str_putc(&cli->out, '\n');
    for (size_t i = 0; i < ids->n; i++) put_token(cli, t, ids->ids[i], width);
    str_putc(&cli->out, '\n');
    shown_count(&cli->out, ids->n);
    str_puts(&cli->out, ids->n == 1 ? " token of " : " tokens of ");
    shown_count(&cli->out, n_bytes);
    str_printf(&cli->out, " bytes; %s, ", tokenizer_kind(t));
    shown_count(&cli->out, tokenizer_n_vocab(t));
    str_puts(&cli->out, " pieces\n");
}

/* A default that is on: *on unless `no` was given. */
static bool read_switch(bool *on, const struct cli_args *args, const char *yes, const char *no,
                        struct status *st) {
    *on = !cli_given(args, no);
    return *on || !cli_given(args, yes) ||
           status_fail(st, STATUS_USAGE, "'%s' and '%s' contradict each other", yes, no);
}

struct batch {
    const struct tokenizer *t;
    struct tokenizer_options options;
};

static void answer(void *context, struct str *out, struct view line) {
    const struct batch *batch = context;
    tokenizer_batch_encode(out, batch->t, line, batch->options);
}

static bool tokenize_one(struct cli *cli, const struct cli_args *args, const struct batch *b,
                         struct status *st) {
    struct str text = {0};
    struct token_list ids = {0};
    bool ok = input_text(&text, args, st) &&
              tokenizer_encode(&ids, b->t, (struct view){str_c(&text), text.n}, b->options, st);
    if (ok && cli_given(args, "--json")) put_json(cli, b->t, &ids, cli_given(args, "--pieces"));
    else if (ok) put_table(cli, b->t, &ids, text.n);
    token_list_free(&ids);
    str_free(&text);
    return ok;
}

static bool tokenize(struct cli *cli, const struct cli_args *args, struct status *st) {
    struct tokenizer *t = NULL;
    struct batch batch;
    bool many = cli_given(args, "--batch");
    if (!cli_expect(args, 1, 1, st) ||
        !read_switch(&batch.options.add_special, args, "--add-special", "--no-special", st) ||
        !read_switch(&batch.options.parse_special, args, "--parse-special", "--no-parse-special", st))
        return false;
    if (many && (cli_given(args, "--prompt") || cli_given(args, "--file")))
        return status_fail(st, STATUS_USAGE, "--batch takes its texts from stdin, not from -p or --file");
    if (!tokenizer_open(&t, args->positional[0], st)) return false;
    batch.t = t;
    bool ok = many ? input_lines(cli, answer, &batch, st) : tokenize_one(cli, args, &batch, st);
    tokenizer_close(t);
    return ok;
}

int fak_tokenize(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !tokenize(cli, &args, &st))
        return cli_fail(cli, &st);
    return cli_finish(cli, 0);
}
