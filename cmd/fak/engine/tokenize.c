/* fak tokenize: what a model's tokenizer makes of a text. */
#include "base/file.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/shown.h"
#include "engine/file/gguf.h"
#include "engine/token/tokenizer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TEXT = 256 << 20 };

static bool read_stdin(struct str *text, struct status *st) {
    char chunk[16384];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, stdin)) > 0;) {
        str_add(text, chunk, n);
        if (text->n > MAX_TEXT)
            return status_fail(st, STATUS_BAD_INPUT, "the text on stdin is longer than %d MiB",
                               MAX_TEXT >> 20);
    }
    if (ferror(stdin)) return status_fail_errno(st, "cannot read the text from stdin");
    return str_ok(text, st);
}

/* Byte for byte: a newline at the end is text too. */
static bool read_text(struct str *text, const struct cli_args *args, struct status *st) {
    const char *given = cli_value(args, "--prompt"), *path = cli_value(args, "--file");
    if (given && path)
        return status_fail(st, STATUS_USAGE, "-p and --file both name a text; give one of them");
    if (path) return file_read(text, path, MAX_TEXT, st);
    if (!given && isatty(STDIN_FILENO))
        return status_fail(st, STATUS_USAGE, "there is no text; give it with -p, with --file or on stdin");
    if (!given || strcmp(given, "-") == 0) return read_stdin(text, st);
    str_puts(text, given);
    return str_ok(text, st);
}

static void put_json(struct cli *cli, const struct tokenizer *t, const struct token_list *ids) {
    struct jsonout j;
    jsonout_init(&j, &cli->out, 0);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "tokenizer", tokenizer_kind(t));
    jsonout_pair_int(&j, "count", (int64_t)ids->n);
    jsonout_key(&j, "ids");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < ids->n; i++) jsonout_int(&j, ids->ids[i]);
    jsonout_end_array(&j);
    jsonout_key(&j, "pieces");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < ids->n; i++) jsonout_view(&j, tokenizer_piece(t, ids->ids[i]));
    jsonout_end_array(&j);
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

static bool tokenize(struct cli *cli, const struct cli_args *args, struct status *st) {
    struct gguf *file = NULL;
    struct tokenizer *t = NULL;
    struct str text = {0};
    struct token_list ids = {0};
    const struct tokenizer_options options = {.add_special = !cli_given(args, "--no-special"),
                                              .parse_special = !cli_given(args, "--no-parse-special")};
    bool ok = cli_expect(args, 1, 1, st) && gguf_open_header(&file, args->positional[0], st) &&
              tokenizer_open_gguf(&t, file, st) && read_text(&text, args, st) &&
              tokenizer_encode(&ids, t, (struct view){str_c(&text), text.n}, options, st);
    if (ok && cli_given(args, "--json")) put_json(cli, t, &ids);
    else if (ok) put_table(cli, t, &ids, text.n);
    token_list_free(&ids);
    str_free(&text);
    tokenizer_close(t);
    gguf_close(file);
    return ok;
}

int fak_tokenize(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !tokenize(cli, &args, &st))
        return cli_fail(cli, &st);
    return cli_finish(cli, 0);
}
