/* cli: one description of a command, from which its parsing, its help, its man page and its completion come.
 *
 * Owns:    struct cli_args borrows argv. Output is collected in cli->out and written by cli_finish.
 * Trusts:  the command table; argv is from outside.
 * Threads: the main thread.
 *
 * Only code under cmd/ uses this, and only code under cmd/ prints, exits or reads the environment.
 */
#ifndef CMD_CLI_CLI_H
#define CMD_CLI_CLI_H

#include "base/status.h"
#include "base/str.h"
#include "base/term.h"

#include <stdbool.h>

enum { CLI_MAX_OPTIONS = 32, CLI_MAX_POSITIONAL = 256, CLI_MAX_GIVEN = 256 };

struct cli_option {
    const char *names; /* "-n, --tokens" or "--json": the long name is what the code asks for */
    const char *value; /* "N", "TEXT", "FILE|..." or NULL for a flag; "A|B|C" limits and completes */
    const char *help;  /* one sentence */
};

/* The exit code of a command that could not do its work. */
enum cli_failure {
    CLI_FAILS,     /* 1, or 2 for wrong usage */
    CLI_UNDECIDED, /* 2: 1 is an answer of its own (`fak gate --require`) */
    CLI_ADVISES,   /* 0: a hook stops nobody */
};

struct cli_command {
    const char *name;                 /* "run", or "sota list" for a command within a command */
    const char *usage;                /* "[MODEL] [-p TEXT]": what follows the name */
    const char *summary;              /* one line, lower case, no full stop */
    const char *description;          /* paragraphs for help and man page, separated by "\n\n" */
    const struct cli_option *options; /* ended by a row of NULLs; may be NULL */
    const char *examples;             /* lines "command\tmeaning", or NULL */
    const char *positional;           /* what completes: "op", "model", "file", "axis", "command" ... or "" */
    const char *module;               /* lib/NAME.so that carries it, or NULL: in the program itself */
    enum cli_failure failure;
};

struct cli {
    const char *program;               /* "fak" */
    const struct cli_command *command; /* the row that was asked for */
    const struct cli_command *table;   /* the whole table, ended by a NULL name */
    struct term out_term, err_term;    /* what stdout and stderr can show */
    struct str out;                    /* what will go to stdout */
};

typedef int cli_run(struct cli *cli, int argc, char **argv);

/* What a module exports under the symbol "fak_commands": its commands, ended by a NULL name. */
struct cli_entry {
    const char *name;
    cli_run *run;
};
struct cli_entries {
    const struct cli_entry *at;
};
#define CLI_EXPORT __attribute__((visibility("default")))

struct cli_args {
    const struct cli_command *command;
    const char *value[CLI_MAX_OPTIONS]; /* by row of the option table; "" for a given flag; NULL: not given */
    const char *positional[CLI_MAX_POSITIONAL];
    int n_positional;
    struct {
        int option; /* row of the table */
        const char *value;
    } given[CLI_MAX_GIVEN]; /* options in the order in which they were given */
    int n_given;
};

/* Fills cli from the environment (NO_COLOR, TERM, COLUMNS) and from what stdout and stderr are. A standard
 * stream that is closed is opened on /dev/null the wrong way round: writing still fails, and no file that is
 * opened later is taken for it. */
void cli_init(struct cli *cli, const char *program);

/* argv[0] is skipped. `--name=value`, `--name value`, `-n5`, `-n 5`; `--` ends options, a negative number is
 * none. An unknown option suggests the nearest; a value outside "A|B|C" names the choices. STATUS_USAGE on
 * false. */
bool cli_parse(struct cli_args *args, const struct cli_command *command, int argc, char **argv,
               struct status *st) STATUS_MUST_USE;

/* Is `--help` or `-h` asked for, read as cli_parse would read it? Programs look here before they run a
 * command. */
bool cli_wants_help(const struct cli_command *command, int argc, char **argv);

/* Are there from `low` to `high` arguments? Says which one is too many, or what the usage is. */
bool cli_expect(const struct cli_args *args, int low, int high, struct status *st) STATUS_MUST_USE;

/* The form that `--json` and `--markdown` (rows of the table, both or one) ask for; both at once is wrong
 * usage. */
enum cli_format { CLI_TEXT, CLI_MARKDOWN, CLI_JSON };
bool cli_format(enum cli_format *format, const struct cli_args *args, struct status *st) STATUS_MUST_USE;

/* The value of `--name`, or NULL when it was not given. Asks only for options of the table (asserted). */
const char *cli_value(const struct cli_args *args, const char *long_name);
bool cli_given(const struct cli_args *args, const char *long_name);

/* The values of `--name`, which may be given more than once, one after the other: *at starts as 0. NULL: no
 * more. */
const char *cli_next(const struct cli_args *args, const char *long_name, int *at);

/* The value of `--name` as a number in [low, high], or `otherwise` when not given. */
bool cli_decimal(double *out, const struct cli_args *args, const char *long_name, double low, double high,
                 double otherwise, struct status *st) STATUS_MUST_USE;

/* The value of `--name` as a whole number in [low, high], or `otherwise` when not given. */
bool cli_number(long *out, const struct cli_args *args, const char *long_name, long low, long high,
                long otherwise, struct status *st) STATUS_MUST_USE;

/* Writes what cli->out holds to stdout now, and empties it: for answers that come one by one. A closed pipe
 * is an error here: nobody reads what would come. */
bool cli_flush(struct cli *cli, struct status *st) STATUS_MUST_USE;

/* Writes cli->out to stdout, after what stdio holds. Returns `code`, or the code of a failure with one line
 * on stderr when stdout cannot take it (a closed pipe is no error: the reader had enough) or memory was too
 * short for all of it: then nothing is written. */
int cli_finish(struct cli *cli, int code);

/* The same, but into a file (file_replace: whole or not at all) when `path` is not NULL: what `-o FILE` asks.
 */
int cli_finish_to(struct cli *cli, const char *path, int code);

/* "fak run: message" on stderr, control characters made visible; for wrong usage also how to ask for help.
 * Returns the exit code. */
int cli_fail(struct cli *cli, const struct status *st);

/* Edit distance (Damerau-Levenshtein, restricted), for "did you mean". At most 64 characters a word count. */
int cli_distance(const char *a, const char *b);

/* Is `row` a command within `command`: "sota list" within "sota"? */
bool cli_is_within(const struct cli_command *row, const struct cli_command *command);

/* The help page of one command: text for people; and the commands within it, if any. */
void cli_help(struct str *out, const struct term *term, const char *program,
              const struct cli_command *command);
void cli_help_within(struct str *out, const struct term *term, const struct cli_command *table,
                     const struct cli_command *command);

#endif
