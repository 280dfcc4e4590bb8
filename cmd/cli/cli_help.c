#include "cmd/cli/cli.h"

#include <string.h>

enum { COLUMN = 26 };

/* "  left        text folded beside it" */
static void put_row(struct str *out, const struct term *term, int column, const char *left,
                    const char *text) {
    str_puts(out, "  ");
    int taken = 2 + term_columns(left);
    term_put(out, term, TERM_CYAN, left);
    if (taken > column - 2) str_printf(out, "\n%*s", column, "");
    else str_printf(out, "%*s", column - taken, "");
    term_fold(out, term, column, text);
}

static void put_option(struct str *out, const struct term *term, const struct cli_option *option) {
    struct str left = {0};
    str_puts(&left, option->names);
    if (option->value) str_printf(&left, " %s", option->value);
    put_row(out, term, COLUMN, str_c(&left), option->help);
    str_free(&left);
}

static void put_options(struct str *out, const struct term *term, const struct cli_option *options) {
    term_put(out, term, TERM_BOLD, "\nOptions\n");
    for (; options && options->names; options++) put_option(out, term, options);
    put_option(out, term, &(struct cli_option){"-h, --help", NULL, "show this page"});
}

static void put_examples(struct str *out, const struct term *term, const char *examples) {
    term_put(out, term, TERM_BOLD, "\nExamples\n");
    struct view line, rest = view_of(examples);
    while (view_line(&line, &rest)) {
        const char *tab = memchr(line.at, '\t', line.n);
        int n = tab ? (int)(tab - line.at) : (int)line.n;
        str_printf(out, "  %.*s\n", n, line.at);
        if (!tab) continue;
        struct str meaning = {0};
        str_add(&meaning, tab + 1, line.n - (size_t)n - 1);
        str_puts(out, "      ");
        term_fold(out, term, 6, str_c(&meaning));
        str_free(&meaning);
    }
}

static void put_paragraphs(struct str *out, const struct term *term, const char *text) {
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        struct str paragraph = {0};
        str_add(&paragraph, text, end ? (size_t)(end - text) : strlen(text));
        str_putc(out, '\n');
        term_fold(out, term, 0, str_c(&paragraph));
        str_free(&paragraph);
        text = end ? end + 2 : NULL;
    }
}

void cli_help(struct str *out, const struct term *term, const char *program,
              const struct cli_command *command) {
    struct str text = {0};
    str_printf(&text, "%s%s%s: %s", program, *command->name ? " " : "", command->name, command->summary);
    term_fold(out, term, 0, str_c(&text));
    term_put(out, term, TERM_BOLD, "\nUsage\n");
    str_clear(&text);
    str_printf(&text, "%s%s%s %s", program, *command->name ? " " : "", command->name, command->usage);
    str_puts(out, "  ");
    term_fold(out, term, 6, str_c(&text));
    str_free(&text);
    put_paragraphs(out, term, command->description);
    put_options(out, term, command->options);
    if (command->examples) put_examples(out, term, command->examples);
}

bool cli_is_within(const struct cli_command *row, const struct cli_command *command) {
    size_t n = strlen(command->name);
    return n > 0 && strncmp(row->name, command->name, n) == 0 && row->name[n] == ' ';
}

void cli_help_within(struct str *out, const struct term *term, const struct cli_command *table,
                     const struct cli_command *command) {
    int column = 0;
    for (const struct cli_command *row = table; row->name; row++)
        if (cli_is_within(row, command) && term_columns(row->name) + 4 > column)
            column = term_columns(row->name) + 4;
    if (column) term_put(out, term, TERM_BOLD, "\nCommands within it\n");
    for (const struct cli_command *row = table; row->name; row++)
        if (cli_is_within(row, command)) put_row(out, term, column, row->name, row->summary);
}
