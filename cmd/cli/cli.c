#include "cmd/cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int width_of(int fd) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char *columns = getenv("COLUMNS");
    return columns ? atoi(columns) : 0;
}

static struct term term_of(int fd) {
    bool terminal = isatty(fd);
    return term_decide(terminal, getenv("NO_COLOR"), getenv("TERM"), terminal ? width_of(fd) : 0);
}

void cli_init(struct cli *cli, const char *program) {
    *cli = (struct cli){
        .program = program, .out_term = term_of(STDOUT_FILENO), .err_term = term_of(STDERR_FILENO)};
}

/* --- the option table --------------------------------------------------------------------------------- */

/* Is `name` ("-n" or "--tokens") one of the comma-separated names of this option? */
static bool option_has(const struct cli_option *option, const char *name, size_t n) {
    for (const char *at = option->names; *at;) {
        size_t length = strcspn(at, ",");
        if (length == n && strncmp(at, name, n) == 0) return true;
        at += length;
        at += strspn(at, ", ");
    }
    return false;
}

static int option_index(const struct cli_command *command, const char *name, size_t n) {
    for (int i = 0; command->options && command->options[i].names; i++) {
        assert(i < CLI_MAX_OPTIONS);
        if (option_has(&command->options[i], name, n)) return i;
    }
    return -1;
}

static bool choice_allowed(const char *choices, const char *value) {
    if (!strchr(choices, '|')) return true;
    size_t n = strlen(value);
    for (const char *at = choices; *at;) {
        size_t length = strcspn(at, "|");
        if (length == n && strncmp(at, value, n) == 0) return true;
        at += length;
        at += *at == '|';
    }
    return false;
}

static bool unknown_option(const struct cli_command *command, const char *name, size_t n, struct status *st) {
    char asked[64], known[64];
    const char *nearest = NULL;
    char best[64] = "";
    int best_distance = 3;
    snprintf(asked, sizeof asked, "%.*s", (int)n, name);
    for (int i = 0; command->options && command->options[i].names; i++) {
        for (const char *at = command->options[i].names; *at;) {
            size_t length = strcspn(at, ",");
            snprintf(known, sizeof known, "%.*s", (int)length, at);
            int distance = cli_distance(asked, known);
            if (length > 2 && distance < best_distance) {
                best_distance = distance;
                nearest = memcpy(best, known, sizeof best);
            }
            at += length;
            at += strspn(at, ", ");
        }
    }
    if (nearest)
        return status_fail(st, STATUS_USAGE, "unknown option '%s'; did you mean '%s'?", asked, nearest);
    return status_fail(st, STATUS_USAGE, "unknown option '%s'", asked);
}

static bool set_option(struct cli_args *args, int index, const char *name, const char *value,
                       struct status *st) {
    const struct cli_option *option = &args->command->options[index];
    if (option->value && !value)
        return status_fail(st, STATUS_USAGE, "'%s' needs a value: %s", name, option->value);
    if (!option->value && value) return status_fail(st, STATUS_USAGE, "'%s' takes no value", option->names);
    if (option->value && !choice_allowed(option->value, value))
        return status_fail(st, STATUS_USAGE, "'%s' is none of %s, the values of '%s'", value, option->value,
                           option->names);
    args->value[index] = value ? value : "";
    return true;
}

/* One argument that starts with a dash; *used is how many of argv it took. */
static bool parse_option(struct cli_args *args, char **argv, int *used, struct status *st) {
    const char *text = argv[0];
    bool is_long = text[1] == '-';
    const char *equals = is_long ? strchr(text, '=') : NULL;
    size_t n = equals ? (size_t)(equals - text) : is_long ? strlen(text) : 2;
    int index = option_index(args->command, text, n);
    *used = 1;
    if (index < 0) return unknown_option(args->command, text, n, st);
    const char *value = equals ? equals + 1 : !is_long && text[2] ? text + 2 : NULL;
    if (!value && args->command->options[index].value && argv[1]) {
        value = argv[1];
        *used = 2;
    }
    return set_option(args, index, text, value, st);
}

bool cli_parse(struct cli_args *args, const struct cli_command *command, int argc, char **argv,
               struct status *st) {
    *args = (struct cli_args){.command = command};
    bool options_end = false;
    for (int i = 1, used = 1; i < argc; i += used) {
        used = 1;
        if (!options_end && strcmp(argv[i], "--") == 0) options_end = true;
        else if (!options_end && argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(args, argv + i, &used, st)) return false;
        } else if (args->n_positional == CLI_MAX_POSITIONAL) {
            return status_fail(st, STATUS_USAGE, "more than %d arguments", CLI_MAX_POSITIONAL);
        } else {
            args->positional[args->n_positional++] = argv[i];
        }
    }
    return true;
}

const char *cli_value(const struct cli_args *args, const char *long_name) {
    int index = option_index(args->command, long_name, strlen(long_name));
    assert(index >= 0 && "the command table has no such option");
    return index < 0 ? NULL : args->value[index];
}

bool cli_given(const struct cli_args *args, const char *long_name) {
    return cli_value(args, long_name) != NULL;
}

bool cli_number(long *out, const struct cli_args *args, const char *long_name, long low, long high,
                long otherwise, struct status *st) {
    const char *text = cli_value(args, long_name);
    *out = otherwise;
    if (!text) return true;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < low || value > high)
        return status_fail(st, STATUS_USAGE, "'%s %s' is not a whole number from %ld to %ld", long_name, text,
                           low, high);
    *out = value;
    return true;
}

/* --- output ------------------------------------------------------------------------------------------- */

int cli_finish(struct cli *cli, int code) {
    bool failed = cli->out.failed;
    if (cli->out.n) failed |= fwrite(cli->out.at, 1, cli->out.n, stdout) != cli->out.n;
    errno = 0;
    failed |= fflush(stdout) != 0;
    if (failed && errno != EPIPE) {
        fprintf(stderr, "%s: cannot write the output: %s\n", cli->program,
                cli->out.failed ? "out of memory" : strerror(errno));
        code = code ? code : 1;
    }
    str_free(&cli->out);
    return code;
}

int cli_fail(struct cli *cli, const struct status *st) {
    const char *name = cli->command ? cli->command->name : NULL;
    char message[sizeof st->message];
    /* Messages quote files and arguments; what a terminal would obey is shown as '?'. */
    snprintf(message, sizeof message, "%s", st->message);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    fflush(stdout);
    fprintf(stderr, "%s%s%s: %s\n", cli->program, name ? " " : "", name ? name : "", message);
    if (st->code == STATUS_USAGE)
        fprintf(stderr, "Try '%s help%s%s'.\n", cli->program, name ? " " : "", name ? name : "");
    return status_exit_code(st);
}

int cli_distance(const char *a, const char *b) {
    enum { MAX = 64 };
    int row[3][MAX + 1];
    size_t na = strnlen(a, MAX), nb = strnlen(b, MAX);
    for (size_t j = 0; j <= nb; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *two = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two[j - 2] + 1 < best)
                best = two[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

/* --- help --------------------------------------------------------------------------------------------- */

static void help_options(struct str *out, const struct term *term, const struct cli_option *options) {
    enum { COLUMN = 26 };
    term_put(out, term, TERM_BOLD, "\nOptions\n");
    for (; options->names; options++) {
        size_t start = out->n;
        str_printf(out, "  %s%s%s", options->names, options->value ? " " : "",
                   options->value ? options->value : "");
        if (out->n - start > COLUMN - 2) str_printf(out, "\n%*s", COLUMN, "");
        else str_printf(out, "%*s", (int)(COLUMN - (out->n - start)), "");
        term_fold(out, term, COLUMN, options->help);
    }
}

static void help_examples(struct str *out, const struct term *term, const char *examples) {
    term_put(out, term, TERM_BOLD, "\nExamples\n");
    struct view line, rest = view_of(examples);
    while (view_line(&line, &rest)) {
        const char *tab = memchr(line.at, '\t', line.n);
        int n = tab ? (int)(tab - line.at) : (int)line.n;
        str_printf(out, "  %.*s\n", n, line.at);
        if (tab) str_printf(out, "      %.*s\n", (int)line.n - n - 1, tab + 1);
    }
}

void cli_help(struct str *out, const struct term *term, const char *program,
              const struct cli_command *command) {
    str_printf(out, "%s %s: %s\n\n", program, command->name, command->summary);
    term_put(out, term, TERM_BOLD, "Usage\n");
    str_printf(out, "  %s %s %s\n\n", program, command->name, command->usage);
    for (const char *at = command->description; at && *at;) {
        const char *end = strstr(at, "\n\n");
        struct str paragraph = {0};
        str_add(&paragraph, at, end ? (size_t)(end - at) : strlen(at));
        term_fold(out, term, 0, str_c(&paragraph));
        str_free(&paragraph);
        at = end ? end + 2 : NULL;
        if (at) str_putc(out, '\n');
    }
    if (command->options) help_options(out, term, command->options);
    if (command->examples) help_examples(out, term, command->examples);
}
