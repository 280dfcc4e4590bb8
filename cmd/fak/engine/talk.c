#include "cmd/fak/engine/talk.h"

#include "base/jsonout.h"
#include "engine/token/token_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the conversation ---------------------------------------------------------------------------------- */

struct turn {
    const char *role; /* "user" or "assistant" */
    struct str text;
};

struct talk {
    struct cli *cli;
    struct reply *reply;
    long n_max;
    struct str system;
    struct turn *turns;
    size_t n, room;
    bool on_terminal; /* somebody types */
};

static void drop_turns(struct talk *t, size_t n) {
    while (t->n > n) str_free(&t->turns[--t->n].text);
}

static bool add_turn(struct talk *t, const char *role, struct view text, struct status *st) {
    if (t->n == t->room) {
        size_t room = t->room ? 2 * t->room : 16;
        struct turn *turns = realloc(t->turns, room * sizeof *turns);
        if (!turns) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu messages", room);
        t->turns = turns;
        t->room = room;
    }
    struct turn *turn = &t->turns[t->n++];
    *turn = (struct turn){.role = role};
    str_add(&turn->text, text.at, text.n);
    return str_ok(&turn->text, st);
}

static void put_message(struct jsonout *j, const char *role, struct view text) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "role", role);
    jsonout_key(j, "content");
    jsonout_view(j, text);
    jsonout_end_object(j);
}

static bool encode(struct token_list *prompt, const struct talk *t, struct status *st) {
    struct str json = {0};
    struct jsonout j;
    jsonout_init(&j, &json, 0);
    jsonout_begin_array(&j);
    if (t->system.n) put_message(&j, "system", (struct view){t->system.at, t->system.n});
    for (size_t i = 0; i < t->n; i++)
        put_message(&j, t->turns[i].role, (struct view){str_c(&t->turns[i].text), t->turns[i].text.n});
    jsonout_end_array(&j);
    bool ok = str_ok(&json, st) && chat_encode(prompt, t->reply->chat, (struct view){json.at, json.n}, st);
    str_free(&json);
    return ok;
}

/* To people, on stderr: stdout has the replies alone. */
static void say(const struct talk *t, enum term_style style, const char *text) {
    struct str line = {0};
    term_put(&line, &t->cli->err_term, style, text);
    fprintf(stderr, "%s\n", str_c(&line));
    str_free(&line);
}

static bool too_long(const struct talk *t, size_t n_prompt) {
    size_t context = engine_context(t->reply->model);
    if (n_prompt < context) return false;
    struct str text = {0};
    str_printf(&text,
               "the conversation has %zu tokens now and the context holds %zu, so this message was taken "
               "back; /clear "
               "forgets the conversation, /undo its last exchange, --context makes more room",
               n_prompt, context);
    say(t, TERM_YELLOW, str_c(&text));
    str_free(&text);
    return true;
}

static void say_speed(const struct talk *t) {
    struct str text = {0};
    if (!t->on_terminal) return;
    reply_speed(&text, t->reply);
    say(t, TERM_DIM, str_c(&text));
    str_free(&text);
}

/* Answers the last turn, which is the user's. */
static bool answer(struct talk *t, struct status *st) {
    struct token_list prompt = {0};
    struct reply *r = t->reply;
    bool ok = encode(&prompt, t, st);
    if (ok && too_long(t, prompt.n)) drop_turns(t, t->n - 1);
    else if (ok) {
        reply_forget_interrupt();
        ok = reply_run(r, &prompt, t->n_max, st);
        if (ok && !r->ends_line) ok = putchar('\n') != EOF && fflush(stdout) == 0;
        if (ok) say_speed(t);
        ok = ok && add_turn(t, "assistant", (struct view){str_c(&r->text), r->text.n}, st);
    }
    token_list_free(&prompt);
    return ok;
}

/* A message that a template refuses is taken back, and the talk goes on. */
static bool exchange(struct talk *t, struct view text, struct status *st) {
    if (!add_turn(t, "user", text, st)) return false;
    if (answer(t, st)) return true;
    if (st->code != STATUS_BAD_INPUT) return false;
    drop_turns(t, t->n - 1);
    say(t, TERM_YELLOW, st->message);
    return true;
}

/* --- settings ------------------------------------------------------------------------------------------ */

static const char *const settings[] = {
    "temp",           "top-k", "top-p", "min-p", "repeat-penalty", "frequency-penalty", "presence-penalty",
    "penalty-window", "seed",  NULL};

const char *const *talk_settings(void) { return settings; }

static double *decimal_of(struct sample_options *o, const char *name, double *low, double *high) {
    const struct {
        const char *name;
        double *value, low, high;
    } all[] = {{"temp", &o->temperature, 0, 100},
               {"top-p", &o->top_p, 0, 1},
               {"min-p", &o->min_p, 0, 1},
               {"repeat-penalty", &o->repeat, 0.01, 100},
               {"frequency-penalty", &o->frequency, -100, 100},
               {"presence-penalty", &o->presence, -100, 100}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) != 0) continue;
        *low = all[i].low;
        *high = all[i].high;
        return all[i].value;
    }
    return NULL;
}

static bool set_whole(struct sample_options *o, const char *name, const char *value, struct status *st) {
    char *end;
    bool is_seed = strcmp(name, "seed") == 0, is_k = strcmp(name, "top-k") == 0;
    if (!is_seed && !is_k && strcmp(name, "penalty-window") != 0)
        return status_fail(
            st, STATUS_USAGE,
            "there is no setting '%.40s'; there are temp, top-k, top-p, min-p, repeat-penalty, "
            "frequency-penalty, presence-penalty, penalty-window and seed",
            name);
    errno = 0;
    unsigned long long whole = strtoull(value, &end, 10);
    if (end == value || *end || errno || *value == '-' || (!is_seed && whole > 1 << 20))
        return status_fail(st, STATUS_USAGE, "'%.40s' is no whole number for %s", value, name);
    if (is_seed) o->seed = whole;
    else if (is_k) o->top_k = (size_t)whole;
    else o->window = (size_t)whole;
    return true;
}

bool talk_set(struct sample_options *o, const char *name, const char *value, struct status *st) {
    double low, high, *out = decimal_of(o, name, &low, &high);
    if (!out) return set_whole(o, name, value, st);
    char *end;
    double given = strtod(value, &end);
    if (end == value || *end || !(given >= low && given <= high))
        return status_fail(st, STATUS_USAGE, "'%.40s' is no number from %g to %g for %s", value, low, high,
                           name);
    *out = given;
    return true;
}

void talk_show(struct str *out, const struct sample_options *o, const char *name) {
    struct sample_options copy = *o;
    double low, high;
    const double *value = decimal_of(&copy, name, &low, &high);
    if (value) str_printf(out, "%g", *value);
    else if (strcmp(name, "seed") == 0) str_printf(out, "%llu", (unsigned long long)o->seed);
    else str_printf(out, "%zu", strcmp(name, "top-k") == 0 ? o->top_k : o->window);
}

/* --- commands ------------------------------------------------------------------------------------------ */

static const char help[] = "/clear            forget the conversation\n"
                           "/undo             take the last message and its reply back\n"
                           "/retry            answer the last message again\n"
                           "/system [TEXT]    set the system message, or none, and forget the conversation\n"
                           "/set NAME VALUE   change a setting, as `fak help run` names them: /set temp 0.7\n"
                           "/show             the settings, and how full the context is\n"
                           "/help             this list\n"
                           "/quit             leave (or Ctrl-D)\n"
                           "\"\"\"               begins and ends a message of several lines\n"
                           "//...             a message that begins with a slash\n"
                           "Ctrl-C stops a reply.";

static void show_settings(const struct talk *t) {
    struct str text = {0};
    for (const char *const *name = settings; *name; name++) {
        str_printf(&text, "%-18s", *name);
        talk_show(&text, &t->reply->sampler.options, *name);
        str_putc(&text, '\n');
    }
    str_printf(&text, "%-18s%zu of %zu positions", "context", engine_position(t->reply->session),
               engine_context(t->reply->model));
    say(t, TERM_PLAIN, str_c(&text));
    str_free(&text);
}

/* The sampler's tables depend on its settings, so it is made again; it has seen nothing then, which each
 * prompt tells it anew. */
static void set(struct talk *t, const char *rest) {
    struct sample_options o = t->reply->sampler.options;
    struct sampler made;
    struct status st;
    char name[32];
    size_t n = strcspn(rest, " =");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), rest);
    rest += n + strspn(rest + n, " =");
    if (!talk_set(&o, name, rest, &st) || !sample_open(&made, &o, engine_n_vocab(t->reply->model), &st)) {
        say(t, TERM_YELLOW, st.message);
        return;
    }
    sample_close(&t->reply->sampler);
    t->reply->sampler = made;
}

static bool retry(struct talk *t, struct status *st) {
    if (t->n && strcmp(t->turns[t->n - 1].role, "assistant") == 0) drop_turns(t, t->n - 1);
    if (t->n) return answer(t, st);
    say(t, TERM_YELLOW, "there is no message to answer yet");
    return true;
}

static void set_system(struct talk *t, const char *text) {
    str_clear(&t->system);
    str_puts(&t->system, text);
    drop_turns(t, 0);
}

static bool is_command(const char *line, const char *name, const char **rest) {
    size_t n = strlen(name);
    if (strncmp(line, name, n) != 0 || (line[n] && line[n] != ' ')) return false;
    *rest = line + n + strspn(line + n, " ");
    return true;
}

/* *quit: leave. */
static bool command(struct talk *t, const char *line, bool *quit, struct status *st) {
    const char *rest;
    *quit = is_command(line, "/quit", &rest) || is_command(line, "/exit", &rest) ||
            is_command(line, "/bye", &rest);
    if (*quit) return true;
    if (is_command(line, "/retry", &rest)) return retry(t, st);
    if (is_command(line, "/help", &rest)) say(t, TERM_PLAIN, help);
    else if (is_command(line, "/clear", &rest)) drop_turns(t, 0);
    else if (is_command(line, "/undo", &rest)) drop_turns(t, t->n > 2 ? t->n - 2 : 0);
    else if (is_command(line, "/system", &rest)) set_system(t, rest);
    else if (is_command(line, "/set", &rest)) set(t, rest);
    else if (is_command(line, "/show", &rest)) show_settings(t);
    else
        say(t, TERM_YELLOW,
            "there is no such command; /help lists them, and // begins a message with a slash");
    return true;
}

/* --- reading ------------------------------------------------------------------------------------------- */

static void prompt_for(const struct talk *t, const char *mark) {
    struct str text = {0};
    if (!t->on_terminal) return;
    term_put(&text, &t->cli->err_term, TERM_CYAN, mark);
    fprintf(stderr, "%s ", str_c(&text));
    fflush(stderr);
    str_free(&text);
}

enum input { INPUT_END, INPUT_INTERRUPTED, INPUT_LINE };

static enum input read_line(char **line, size_t *room) {
    errno = 0;
    reply_forget_interrupt();
    ssize_t n = getline(line, room, stdin);
    if (n < 0) {
        bool again = errno == EINTR;
        clearerr(stdin);
        return again ? INPUT_INTERRUPTED : INPUT_END;
    }
    while (n > 0 && ((*line)[n - 1] == '\n' || (*line)[n - 1] == '\r')) (*line)[--n] = '\0';
    return INPUT_LINE;
}

/* A message: a line, or the lines between two lines that begin with three quotes. */
static enum input read_message(struct talk *t, struct str *text, char **line, size_t *room) {
    static const char quotes[] = "\"\"\"";
    str_clear(text);
    prompt_for(t, ">");
    enum input got = read_line(line, room);
    if (got != INPUT_LINE) return got;
    if (strncmp(*line, quotes, 3) != 0) {
        str_puts(text, *line);
        return got;
    }
    str_puts(text, *line + 3);
    for (;;) {
        prompt_for(t, ".");
        got = read_line(line, room);
        if (got == INPUT_INTERRUPTED) return got;
        const char *end = got == INPUT_LINE ? strstr(*line, quotes) : NULL;
        if (text->n && got == INPUT_LINE && end != *line) str_putc(text, '\n');
        if (got == INPUT_LINE) str_add(text, *line, end ? (size_t)(end - *line) : strlen(*line));
        if (end || got == INPUT_END) return INPUT_LINE;
    }
}

static bool run(struct talk *t, struct status *st) {
    struct str text = {0};
    char *line = NULL;
    size_t room = 0;
    bool ok = true, quit = false;
    while (ok && !quit) {
        enum input got = read_message(t, &text, &line, &room);
        if (got == INPUT_END) break;
        ok = str_ok(&text, st);
        if (got == INPUT_INTERRUPTED) fputs("\n", stderr);
        else if (ok && str_c(&text)[0] == '/' && str_c(&text)[1] != '/')
            ok = command(t, str_c(&text), &quit, st);
        else if (ok && text.n) {
            size_t slash = str_c(&text)[0] == '/';
            ok = exchange(t, (struct view){text.at + slash, text.n - slash}, st);
        }
    }
    if (ok && !quit && t->on_terminal) fputs("\n", stderr);
    free(line);
    str_free(&text);
    return ok;
}

bool talk(struct cli *cli, struct reply *reply, const char *system, long n_max, struct status *st) {
    struct talk t = {.cli = cli, .reply = reply, .n_max = n_max, .on_terminal = isatty(STDIN_FILENO)};
    if (system) str_puts(&t.system, system);
    reply_catch_interrupt(false);
    if (t.on_terminal) say(&t, TERM_DIM, "/help lists the commands, Ctrl-D leaves");
    bool ok = str_ok(&t.system, st) && run(&t, st);
    drop_turns(&t, 0);
    free(t.turns);
    str_free(&t.system);
    return ok;
}
