/* fak run: continues a text, or answers messages, and writes what the model says as it comes. */
#include "base/file.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/input.h"
#include "cmd/fak/engine/reply.h"
#include "cmd/fak/engine/talk.h"
#include "engine/file/gguf.h"
#include "engine/token/chat_source.h"
#include "engine/token/token_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_CONTEXT = 1 << 24 };

struct run {
    const struct cli_args *args;
    struct str path, text; /* the model's and the prompt's */
    long n_max;            /* tokens to write; -1: as many as there are */
    bool interactive, chats;
    struct sample_options sampling;
    struct engine_model *model;
    struct chat *chat; /* NULL: a text is continued */
    struct reply reply;
    struct token_list prompt;
};

/* --- the prompt ------------------------------------------------------------------------------------- */

/* Is there text to read from stdin that somebody meant for us? A terminal or /dev/null is none. */
static bool stdin_is_piped(void) {
    struct stat info;
    return fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode));
}

/* Without the newline at the end that echo and editors put there. */
static bool read_stdin(struct str *text, struct status *st) {
    if (!input_stdin(text, st)) return false;
    if (text->n && text->at[text->n - 1] == '\n') text->n--;
    if (text->n && text->at[text->n - 1] == '\r') text->n--;
    return true;
}

static bool read_prompt(struct run *r, struct status *st) {
    const char *given = cli_value(r->args, "--prompt");
    if (given ? strcmp(given, "-") == 0 : stdin_is_piped()) return read_stdin(&r->text, st);
    if (given) str_puts(&r->text, given);
    if (r->chats && r->text.n == 0)
        return status_fail(st, STATUS_USAGE, "--chat needs a message: give it with -p");
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
    struct str messages = {0};
    struct jsonout json;
    const char *system = cli_value(r->args, "--system");
    struct view text = {str_c(&r->text), r->text.n};
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

/* Plain text is the user's alone: special tokens written in it are meant, the begin tokens too, which are not
 * put twice. A closing token, which a few models ask for, would end what is to be continued. */
static bool encode_text(struct run *r, struct status *st) {
    const struct tokenizer *t = engine_tokenizer(r->model);
    const struct tokenizer_options options = {.parse_special = true};
    size_t n_front;
    const int32_t *front = tokenizer_front(&n_front, t);
    if (!tokenizer_encode(&r->prompt, t, (struct view){str_c(&r->text), r->text.n}, options, st))
        return false;
    struct token_list *p = &r->prompt;
    bool written = p->n >= n_front && (n_front == 0 || memcmp(p->ids, front, n_front * sizeof *front) == 0);
    for (size_t i = 0; !written && i < n_front; i++)
        if (!token_list_add(p, 0, st)) return false;
    if (!written && n_front) {
        memmove(p->ids + n_front, p->ids, (p->n - n_front) * sizeof *front);
        memcpy(p->ids, front, n_front * sizeof *front);
    }
    return p->n > 0 ||
           status_fail(st, STATUS_USAGE,
                       "the prompt is empty and this model has no begin token; give it some text with -p");
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

/* Any setting but a penalty means that the reply is drawn, so it needs a temperature; a draw needs a seed,
 * which the last line tells. */
static bool read_sampling(struct run *r, struct status *st) {
    bool draws = false, seeded = cli_given(r->args, "--seed");
    r->sampling = sample_defaults();
    for (const char *const *name = talk_settings(); *name; name++) {
        char option[32];
        snprintf(option, sizeof option, "--%s", *name);
        const char *value = cli_value(r->args, option);
        if (value && !talk_set(&r->sampling, *name, value, st)) return false;
        draws = draws || (value && !strstr(*name, "penalty"));
    }
    if (draws && !cli_given(r->args, "--temp")) r->sampling.temperature = 0.8;
    uint32_t seed = 0;
    if (!seeded && r->sampling.temperature > 0 && getrandom(&seed, sizeof seed, 0) == sizeof seed)
        r->sampling.seed = seed;
    return true;
}

static bool read_args(struct run *r, struct engine_options *options, struct status *st) {
    long context;
    r->interactive = cli_given(r->args, "--interactive");
    r->chats = r->interactive || cli_given(r->args, "--chat");
    if (!engine_flags(options, r->args, st) ||
        !cli_number(&r->n_max, r->args, "--tokens", 0, MAX_CONTEXT, -1, st) ||
        !cli_number(&context, r->args, "--context", 1, MAX_CONTEXT, 0, st) || !read_sampling(r, st))
        return false;
    options->context = (size_t)context;
    if (r->chats && !r->interactive && !cli_given(r->args, "--prompt"))
        r->interactive = isatty(STDIN_FILENO) && !cli_given(r->args, "--json");
    if (r->interactive && (cli_given(r->args, "--prompt") || cli_given(r->args, "--json")))
        return status_fail(st, STATUS_USAGE,
                           "--interactive reads its messages line by line: no -p, no --json");
    return !cli_value(r->args, "--system") || r->chats ||
           status_fail(st, STATUS_USAGE, "--system is for --chat");
}

/* The template lies in the GGUF, or beside the weights. */
static bool open_chat(struct run *r, struct status *st) {
    struct view template;
    struct chat_source source = {0};
    if (!gguf_string(&template, engine_file(r->model), "tokenizer.chat_template", "", st)) return false;
    if (template.n == 0) {
        if (!chat_source_read(&source, str_c(&r->path), NULL, st)) return false;
        template = (struct view){str_c(&source.text), source.text.n};
    }
    bool ok = chat_open(&r->chat, engine_tokenizer(r->model), template, st);
    chat_source_free(&source);
    return ok;
}

struct loading {
    const char *name;
    double began;
};

/* Of a load that takes longer than a moment, on a terminal. */
static void show_loading(void *arg, size_t done, size_t total) {
    const struct loading *l = arg;
    if (reply_now() - l->began < 0.5) return;
    fprintf(stderr, "\r\033[Kloading %.60s: %zu of %zu MB", l->name, done / 1000000, total / 1000000);
    fflush(stderr);
}

static bool open_model(struct run *r, struct engine_options *options, struct status *st) {
    bool shows = isatty(STDERR_FILENO);
    const char *path = str_c(&r->path), *slash = strrchr(path, '/');
    struct loading loading = {slash && slash[1] ? slash + 1 : path, reply_now()};
    options->progress = shows ? show_loading : NULL;
    options->progress_arg = &loading;
    bool ok = engine_open(&r->model, path, options, st);
    if (shows) fputs("\r\033[K", stderr);
    if (!ok) return false;
    engine_tell(r->model);
    if (options->context > engine_context(r->model))
        return status_fail(st, STATUS_USAGE, "--context %zu: this model was made for %zu positions",
                           options->context, engine_context(r->model));
    if (r->chats && !open_chat(r, st)) return false;
    if (!reply_open(&r->reply, r->model, r->chat, str_c(&r->path), &r->sampling, st)) return false;
    r->reply.progress = shows;
    return true;
}

/* --- one reply -------------------------------------------------------------------------------------- */

static void put_rate(struct jsonout *j, const char *key, size_t n, double time) {
    if (n && time > 0) jsonout_pair_double(j, key, (double)n / time);
}

static void put_json(struct str *out, const struct run *r) {
    const struct reply *reply = &r->reply;
    struct jsonout j;
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "model", str_c(&r->path));
    jsonout_key(&j, "text");
    jsonout_view(&j, (struct view){str_c(&reply->text), reply->text.n});
    jsonout_pair_string(&j, "stopped", reply_end_name(reply->end));
    jsonout_pair_int(&j, "prompt_tokens", (int64_t)reply->n_prompt);
    jsonout_pair_int(&j, "reply_tokens", (int64_t)reply->ids.n);
    jsonout_key(&j, "ids");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < reply->ids.n; i++) jsonout_int(&j, reply->ids.ids[i]);
    jsonout_end_array(&j);
    jsonout_pair_int(&j, "reused_tokens", (int64_t)reply->n_reused);
    jsonout_pair_double(&j, "temperature", r->sampling.temperature);
    if (r->sampling.temperature > 0) jsonout_pair_int(&j, "seed", (int64_t)r->sampling.seed);
    put_rate(&j, "prompt_tokens_per_second", reply->n_run, reply->prefill_s);
    put_rate(&j, "reply_tokens_per_second", reply->n_decoded, reply->decode_s);
    jsonout_pair_string(&j, "ran", engine_describe(r->model));
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

static void print_speed(const struct run *r, const struct cli *cli) {
    struct str line = {0}, text = {0};
    reply_speed(&text, &r->reply);
    term_put(&line, &cli->err_term, TERM_DIM, str_c(&text));
    fprintf(stderr, "%s\n", str_c(&line));
    str_free(&line);
    str_free(&text);
}

static bool run_once(struct run *r, struct cli *cli, struct status *st) {
    if (!(r->chat ? encode_chat(r, st) : encode_text(r, st))) return false;
    reply_catch_interrupt(true);
    r->reply.quiet = cli_given(r->args, "--json");
    if (!reply_run(&r->reply, &r->prompt, r->n_max, st)) return false;
    if (r->reply.quiet) put_json(&cli->out, r);
    else if (isatty(STDOUT_FILENO) && !r->reply.ends_line) str_putc(&cli->out, '\n');
    if (!cli_flush(cli, st)) return false;
    print_speed(r, cli);
    return true;
}

static bool work(struct run *r, struct cli *cli, struct status *st) {
    struct engine_options options;
    if (!read_args(r, &options, st) || !find_model(r, st) || (!r->interactive && !read_prompt(r, st)) ||
        !open_model(r, &options, st))
        return false;
    return r->interactive ? talk(cli, &r->reply, cli_value(r->args, "--system"), r->n_max, st)
                          : run_once(r, cli, st);
}

int fak_run(struct cli *cli, int argc, char **argv) {
    enum { EXIT_INTERRUPTED = 130 }; /* 128 + SIGINT, as shells count */
    struct cli_args args;
    struct status st;
    struct run r = {.args = &args};
    bool ok = cli_parse(&args, cli->command, argc, argv, &st) && work(&r, cli, &st);
    bool stopped = !r.interactive && reply_interrupted();
    reply_close(&r.reply);
    chat_close(r.chat);
    engine_close(r.model);
    token_list_free(&r.prompt);
    str_free(&r.path);
    str_free(&r.text);
    if (!ok) return cli_fail(cli, &st);
    return cli_finish(cli, stopped ? EXIT_INTERRUPTED : 0);
}
