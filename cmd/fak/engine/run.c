/* fak run: continues a text, or answers a message, and writes what the model says as it comes. */
#include "base/file.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "engine/file/gguf.h"
#include "engine/session/sample.h"
#include "engine/token/chat.h"
#include "engine/token/token_list.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_STDIN = 64 << 20, PREFILL = 512, MAX_CONTEXT = 1 << 24 };

struct run {
    const struct cli_args *args;
    struct str path, text; /* the model's and the prompt's */
    long n_max;            /* tokens to write; -1: as many as there are */
    struct engine_model *model;
    struct engine_session *session;
    struct token_list prompt;
    struct chat *chat; /* NULL without --chat */
    float *logits;
    struct tokenizer_stream stream;
    struct str piece;          /* text not yet written */
    bool ends_line;            /* the last byte written was a newline */
    size_t n_reply, n_decoded; /* tokens written, and run one at a time */
    double prefill_s, decode_s;
    const char *stopped; /* why, when it is not the end of the text */
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

/* The first Ctrl-C ends the reply in good order, a second one ends the program. */
static void catch_interrupt(void) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- the prompt ------------------------------------------------------------------------------------- */

/* Is there text to read from stdin that somebody meant for us? A terminal or /dev/null is none. */
static bool stdin_is_piped(void) {
    struct stat info;
    return fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode));
}

/* Without the newline at the end that echo and editors put there. */
static bool read_stdin(struct str *text, struct status *st) {
    char chunk[16384];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, stdin)) > 0;) {
        str_add(text, chunk, n);
        if (text->n > MAX_STDIN)
            return status_fail(st, STATUS_BAD_INPUT, "the prompt on stdin is longer than %d MiB",
                               MAX_STDIN >> 20);
    }
    if (ferror(stdin)) return status_fail_errno(st, "cannot read the prompt from stdin");
    if (text->n && text->at[text->n - 1] == '\n') text->n--;
    if (text->n && text->at[text->n - 1] == '\r') text->n--;
    return str_ok(text, st);
}

static bool read_prompt(struct run *r, struct status *st) {
    const char *given = cli_value(r->args, "--prompt");
    if (given ? strcmp(given, "-") == 0 : stdin_is_piped()) return read_stdin(&r->text, st);
    if (given) str_puts(&r->text, given);
    return str_ok(&r->text, st);
}

static void put_message(struct jsonout *json, const char *role, struct view text) {
    jsonout_begin_object(json);
    jsonout_pair_string(json, "role", role);
    jsonout_key(json, "content");
    jsonout_view(json, text);
    jsonout_end_object(json);
}

static bool encode_chat(struct run *r, struct status *st) {
    struct view template;
    struct str messages = {0};
    struct jsonout json;
    const char *system = cli_value(r->args, "--system");
    struct view text = {str_c(&r->text), r->text.n};
    if (text.n == 0) return status_fail(st, STATUS_USAGE, "--chat needs a message: give it with -p");
    if (!gguf_string(&template, engine_file(r->model), "tokenizer.chat_template", "", st) ||
        !chat_open(&r->chat, engine_tokenizer(r->model), template, st))
        return false;
    jsonout_init(&json, &messages, 0);
    jsonout_begin_array(&json);
    if (system) put_message(&json, "system", view_of(system));
    put_message(&json, "user", text);
    jsonout_end_array(&json);
    bool ok =
        str_ok(&messages, st) && chat_encode(&r->prompt, r->chat, (struct view){messages.at, messages.n}, st);
    str_free(&messages);
    return ok;
}

/* Plain text is the user's alone: special tokens written in it are meant, the begin token too. A closing
 * token, which a few models ask for, would end what is to be continued. */
static bool encode_text(struct run *r, struct status *st) {
    const struct tokenizer *t = engine_tokenizer(r->model);
    const struct tokenizer_options options = {.parse_special = true};
    if (tokenizer_adds_bos(t) && !token_list_add(&r->prompt, tokenizer_bos(t), st)) return false;
    if (!tokenizer_encode(&r->prompt, t, (struct view){str_c(&r->text), r->text.n}, options, st))
        return false;
    const int32_t *ids = r->prompt.ids;
    if (tokenizer_adds_bos(t) && r->prompt.n > 1 && ids[0] == tokenizer_bos(t) && ids[1] == ids[0])
        memmove(r->prompt.ids, ids + 1, --r->prompt.n * sizeof *ids);
    return r->prompt.n > 0 ||
           status_fail(st, STATUS_USAGE,
                       "the prompt is empty and this model has no begin token; give it some text with -p");
}

static bool encode(struct run *r, struct status *st) {
    if (cli_value(r->args, "--system") && !cli_given(r->args, "--chat"))
        return status_fail(st, STATUS_USAGE, "--system is for --chat");
    if (!(cli_given(r->args, "--chat") ? encode_chat(r, st) : encode_text(r, st))) return false;
    size_t context = engine_context(r->model);
    return r->prompt.n <= context ||
           status_fail(st, STATUS_BAD_INPUT,
                       "the prompt has %zu tokens and the context holds %zu; shorten it", r->prompt.n,
                       context);
}

/* --- opening ---------------------------------------------------------------------------------------- */

static bool find_model(struct run *r, struct status *st) {
    if (r->args->n_positional > 1)
        return status_fail(st, STATUS_USAGE, "one MODEL at a time, not also '%s'; a prompt is given with -p",
                           r->args->positional[1]);
    if (r->args->n_positional == 0) return builtin_model(&r->path, st);
    str_puts(&r->path, r->args->positional[0]);
    if (!str_ok(&r->path, st)) return false;
    return file_exists(str_c(&r->path)) ||
           status_fail(st, STATUS_NOT_FOUND, "there is no model file '%.200s'; a prompt is given with -p",
                       str_c(&r->path));
}

static bool open_model(struct run *r, struct status *st) {
    struct engine_options options;
    long context;
    if (!engine_flags(&options, r->args, st) ||
        !cli_number(&r->n_max, r->args, "--tokens", 0, MAX_CONTEXT, -1, st) ||
        !cli_number(&context, r->args, "--context", 1, MAX_CONTEXT, 0, st) || !find_model(r, st))
        return false;
    options.context = (size_t)context;
    if (!engine_open(&r->model, r->path.at, &options, st) || !engine_session_open(&r->session, r->model, st))
        return false;
    if (options.context > engine_context(r->model))
        return status_fail(st, STATUS_USAGE, "--context %ld: this model was made for %zu positions", context,
                           engine_context(r->model));
    r->logits = malloc(engine_n_vocab(r->model) * sizeof *r->logits);
    return r->logits ||
           status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu logits", engine_n_vocab(r->model));
}

/* --- the reply -------------------------------------------------------------------------------------- */

/* A model may say anything, and a terminal obeys escape sequences: control characters (U+0080 to U+009F are
 * some, too) but newline and tab are shown as '?' there. Pipes get the bytes as they are. */
static void tame(struct str *text) {
    for (size_t i = 0; i < text->n; i++) {
        unsigned char c = (unsigned char)text->at[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) text->at[i] = '?';
        if (c == 0xC2 && i + 1 < text->n && (unsigned char)text->at[i + 1] < 0xA0)
            text->at[i] = text->at[i + 1] = '?';
    }
}

static bool show(struct run *r, struct status *st) {
    struct str *piece = &r->piece;
    if (!str_ok(piece, st)) return false;
    if (piece->n == 0) return true;
    if (isatty(STDOUT_FILENO)) tame(piece);
    r->ends_line = piece->at[piece->n - 1] == '\n';
    bool ok = fwrite(piece->at, 1, piece->n, stdout) == piece->n && fflush(stdout) == 0;
    str_clear(piece);
    return ok || status_fail_errno(st, "cannot write the reply");
}

/* Runs the prompt; its text goes through the decoder unseen, so that the reply continues it exactly. */
static bool prefill(struct run *r, struct status *st) {
    double start = seconds();
    tokenizer_stream_begin(&r->stream, engine_tokenizer(r->model), false);
    for (size_t i = 0; i < r->prompt.n; i++) tokenizer_stream_put(&r->stream, r->prompt.ids[i], &r->piece);
    str_clear(&r->piece);
    for (size_t done = 0, n; done < r->prompt.n && !interrupted; done += n) {
        n = r->prompt.n - done < PREFILL ? r->prompt.n - done : PREFILL;
        enum engine_logits want = done + n == r->prompt.n ? ENGINE_LOGITS_LAST : ENGINE_LOGITS_NONE;
        if (!engine_feed(r->session, r->prompt.ids + done, n, want, r->logits, st)) return false;
    }
    r->prefill_s = seconds() - start;
    return true;
}

/* The most likely id. NaN is none: a model with damaged weights would go on with id 0 for ever. */
static bool next_id(int32_t *id, const struct run *r, struct status *st) {
    *id = sample_greedy(r->logits, engine_n_vocab(r->model), NULL);
    return r->logits[*id] > -INFINITY ||
           status_fail(st, STATUS_BAD_INPUT,
                       "%.120s: after %zu tokens the model gives no numbers (NaN): its weights are damaged; "
                       "fetch or convert it again",
                       r->path.at, engine_position(r->session));
}

static bool reply(struct run *r, struct status *st) {
    const struct tokenizer *t = engine_tokenizer(r->model);
    double start = seconds();
    bool ok = true;
    while (ok && !interrupted && r->n_max != 0) {
        int32_t id;
        if (!next_id(&id, r, st)) return false;
        if (tokenizer_is_end(t, id) || (r->chat && chat_is_end(r->chat, id))) break;
        tokenizer_stream_put(&r->stream, id, &r->piece);
        r->n_reply++;
        ok = show(r, st);
        if (r->n_max >= 0 && r->n_reply == (size_t)r->n_max) break;
        if (engine_position(r->session) == engine_context(r->model)) {
            r->stopped = "the context is full";
            break;
        }
        ok = ok && engine_feed(r->session, &id, 1, ENGINE_LOGITS_LAST, r->logits, st);
        r->n_decoded++;
    }
    r->decode_s = seconds() - start;
    tokenizer_stream_end(&r->stream, &r->piece);
    ok = ok && show(r, st);
    if (ok && isatty(STDOUT_FILENO) && !r->ends_line) {
        str_putc(&r->piece, '\n');
        ok = show(r, st);
    }
    return ok;
}

/* "5 prompt tokens, 410.2 tok/s": the rate of n tokens, where any were run. */
static void put_rate(struct str *out, size_t n_tokens, const char *whose, size_t n_run, double time) {
    str_printf(out, "%zu %s token%s", n_tokens, whose, n_tokens == 1 ? "" : "s");
    if (n_run) str_printf(out, ", %.1f tok/s", (double)n_run / time);
    str_puts(out, "; ");
}

static void print_speed(const struct run *r, const struct cli *cli) {
    struct str line = {0}, text = {0};
    put_rate(&text, r->prompt.n, "prompt", r->prompt.n, r->prefill_s);
    put_rate(&text, r->n_reply, "reply", r->n_decoded, r->decode_s);
    str_puts(&text, engine_describe(r->model));
    if (r->stopped) str_printf(&text, "; stopped: %s", r->stopped);
    term_put(&line, &cli->err_term, TERM_DIM, str_c(&text));
    fprintf(stderr, "%s\n", str_c(&line));
    str_free(&line);
    str_free(&text);
}

static bool work(struct run *r, const struct cli *cli, struct status *st) {
    if (!open_model(r, st) || !read_prompt(r, st) || !encode(r, st)) return false;
    catch_interrupt();
    if (!prefill(r, st) || !reply(r, st)) return false;
    if (interrupted) r->stopped = "Ctrl-C";
    print_speed(r, cli);
    return true;
}

int fak_run(struct cli *cli, int argc, char **argv) {
    enum { EXIT_INTERRUPTED = 130 }; /* 128 + SIGINT, as shells count */
    struct cli_args args;
    struct status st;
    struct run r = {.args = &args};
    bool ok = cli_parse(&args, cli->command, argc, argv, &st) && work(&r, cli, &st);
    chat_close(r.chat);
    engine_session_close(r.session);
    engine_close(r.model);
    free(r.logits);
    token_list_free(&r.prompt);
    str_free(&r.path);
    str_free(&r.text);
    str_free(&r.piece);
    if (!ok) return cli_fail(cli, &st);
    return cli_finish(cli, interrupted ? EXIT_INTERRUPTED : 0);
}
