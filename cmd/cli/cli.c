#include "cmd/cli/cli.h"

#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
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

static void hold_stream(int fd, int wrong_way) {
    if (fcntl(fd, F_GETFD) != -1) return;
    int opened = open("/dev/null", wrong_way);
    if (opened >= 0 && opened != fd) close(opened); /* a lower one is closed too, and stays so */
}

void cli_init(struct cli *cli, const char *program) {
    hold_stream(STDIN_FILENO, O_WRONLY);
    hold_stream(STDOUT_FILENO, O_RDONLY);
    hold_stream(STDERR_FILENO, O_RDONLY);
    *cli = (struct cli){
        .program = program, .out_term = term_of(STDOUT_FILENO), .err_term = term_of(STDERR_FILENO)};
}

/* --- the option table --- */

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
    if (args->n_given == CLI_MAX_GIVEN)
        return status_fail(st, STATUS_USAGE, "more than %d options", CLI_MAX_GIVEN);
    args->value[index] = value ? value : "";
    args->given[args->n_given].option = index;
    args->given[args->n_given++].value = args->value[index];
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

static bool is_number(const char *text) {
    char *end;
    strtod(text, &end);
    return end != text && !*end;
}

/* Does this argument begin with a dash and yet stand for itself: "-" and negative numbers, unless the table
 * has such an option. */
static bool is_option(const struct cli_command *command, const char *text) {
    if (text[0] != '-' || !text[1]) return false;
    return !is_number(text) || option_index(command, text, 2) >= 0;
}

bool cli_wants_help(const struct cli_command *command, int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *text = argv[i];
        int index = is_option(command, text) ? option_index(command, text, strlen(text)) : -1;
        if (index >= 0 && command->options[index].value) i++; /* what follows is a value */
        else if (index < 0 && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) return true;
    }
    return false;
}

bool cli_parse(struct cli_args *args, const struct cli_command *command, int argc, char **argv,
               struct status *st) {
    *args = (struct cli_args){.command = command};
    bool options_end = false;
    for (int i = 1, used = 1; i < argc; i += used) {
        used = 1;
        if (!options_end && strcmp(argv[i], "--") == 0) options_end = true;
        else if (!options_end && is_option(command, argv[i])) {
            if (!parse_option(args, argv + i, &used, st)) return false;
        } else if (args->n_positional == CLI_MAX_POSITIONAL) {
            return status_fail(st, STATUS_USAGE, "more than %d arguments", CLI_MAX_POSITIONAL);
        } else {
            args->positional[args->n_positional++] = argv[i];
        }
    }
    return true;
}

bool cli_expect(const struct cli_args *args, int low, int high, struct status *st) {
    if (args->n_positional > high)
        return status_fail(st, STATUS_USAGE, "'%s' is one argument too many; the usage is: %s%s%s",
                           args->positional[high], args->command->name, *args->command->usage ? " " : "",
                           args->command->usage);
    if (args->n_positional < low)
        return status_fail(st, STATUS_USAGE, "an argument is missing; the usage is: %s %s",
                           args->command->name, args->command->usage);
    return true;
}

bool cli_format(enum cli_format *format, const struct cli_args *args, struct status *st) {
    int json = option_index(args->command, "--json", 6),
        markdown = option_index(args->command, "--markdown", 10);
    bool is_json = json >= 0 && args->value[json], is_markdown = markdown >= 0 && args->value[markdown];
    *format = is_json ? CLI_JSON : is_markdown ? CLI_MARKDOWN : CLI_TEXT;
    if (is_json && is_markdown)
        return status_fail(st, STATUS_USAGE, "'--json' and '--markdown' are two forms; ask for one");
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

const char *cli_next(const struct cli_args *args, const char *long_name, int *at) {
    int index = option_index(args->command, long_name, strlen(long_name));
    assert(index >= 0 && "the command table has no such option");
    while (*at < args->n_given) {
        int i = (*at)++;
        if (args->given[i].option == index) return args->given[i].value;
    }
    return NULL;
}

bool cli_decimal(double *out, const struct cli_args *args, const char *long_name, double low, double high,
                 double otherwise, struct status *st) {
    const char *text = cli_value(args, long_name);
    *out = otherwise;
    if (!text) return true;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= low && value <= high))
        return status_fail(st, STATUS_USAGE, "'%s %s' is not a number from %g to %g", long_name, text, low,
                           high);
    *out = value;
    return true;
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

/* --- output --- */

/* 0, or why the bytes could not be written. */
static int write_all(int fd, const char *at, size_t n) {
    while (n > 0) {
        ssize_t wrote = write(fd, at, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return errno;
        at += wrote;
        n -= (size_t)wrote;
    }
    return 0;
}

static int failure_code(const struct cli *cli, int usual) {
    static const int codes[] = {[CLI_UNDECIDED] = 2, [CLI_ADVISES] = 0};
    enum cli_failure failure = cli->command ? cli->command->failure : CLI_FAILS;
    return failure == CLI_FAILS ? usual : codes[failure];
}

bool cli_flush(struct cli *cli, struct status *st) {
    int error = fflush(stdout) ? errno : write_all(STDOUT_FILENO, str_c(&cli->out), cli->out.n);
    if (cli->out.failed) error = ENOMEM;
    str_clear(&cli->out);
    errno = error;
    return !error || status_fail_errno(st, "cannot write the output");
}

int cli_finish(struct cli *cli, int code) {
    int error = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;
    if (cli->out.failed) error = ENOMEM;
    if (!error) error = write_all(STDOUT_FILENO, str_c(&cli->out), cli->out.n);
    if (error && error != EPIPE) {
        fprintf(stderr, "%s: cannot write the output: %s\n", cli->program, strerror(error));
        code = failure_code(cli, code ? code : 1);
    }
    str_free(&cli->out);
    return code;
}

int cli_finish_to(struct cli *cli, const char *path, int code) {
    struct status st;
    if (!path) return cli_finish(cli, code);
    bool ok = str_ok(&cli->out, &st) && file_replace(path, str_c(&cli->out), cli->out.n, &st);
    if (!ok) return cli_fail(cli, &st);
    str_free(&cli->out);
    return code;
}

int cli_fail(struct cli *cli, const struct status *st) {
    const char *name = cli->command ? cli->command->name : "";
    const char *blank = *name ? " " : "";
    fflush(stdout);
    struct str message = {0}; /* names that were typed or read come back in it */
    term_safe(&message, st->message);
    const char *said = message.failed ? "out of memory" : str_c(&message);
    fprintf(stderr, "%s%s%s: %s\n", cli->program, blank, name, said);
    str_free(&message);
    if (st->code == STATUS_USAGE && cli->table)
        fprintf(stderr, "Try '%s help%s%s'.\n", cli->program, blank, name);
    else if (st->code == STATUS_USAGE) fprintf(stderr, "Try '%s --help'.\n", cli->program);
    str_free(&cli->out);
    return failure_code(cli, status_exit_code(st));
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
