#include "cmd/cli/manpage.h"

#include <ctype.h>
#include <string.h>

void manpage_name(struct str *out, const char *program, const struct cli_command *command) {
    str_puts(out, program);
    if (!command) return;
    str_putc(out, '-');
    for (const char *at = command->name; *at; at++) str_putc(out, *at == ' ' ? '-' : *at);
}

/* Text as roff reads it: backslashes, and a dash is a hyphen unless escaped (names are copied from man
 * pages). A sentence begins a line, so that roff knows where it ends. */
static void put_text(struct str *out, const char *text, size_t n) {
    bool line_start = true;
    for (size_t i = 0; i < n; i++) {
        bool sentence_ends = i > 0 && text[i] == ' ' && text[i - 1] == '.';
        if (line_start && (text[i] == '.' || text[i] == '\'')) str_puts(out, "\\&");
        if (text[i] == '\\') str_puts(out, "\\e");
        else if (text[i] == '-') str_puts(out, "\\-");
        else str_putc(out, sentence_ends ? '\n' : text[i]);
        line_start = sentence_ends || text[i] == '\n';
    }
}

static void put_line(struct str *out, const char *text) {
    put_text(out, text, strlen(text));
    str_putc(out, '\n');
}

/* The argument of a macro: quoted, so that no word of it is taken for another macro. */
static void put_quoted(struct str *out, const char *text, size_t n) {
    str_putc(out, '"');
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') str_puts(out, "\\(dq");
        else if (text[i] == '\\') str_puts(out, "\\e");
        else if (text[i] == '-') str_puts(out, "\\-");
        else str_putc(out, text[i]);
    }
    str_putc(out, '"');
}

static void put_macro(struct str *out, const char *macro, const char *text) {
    str_printf(out, ".%s ", macro);
    put_quoted(out, text, strlen(text));
    str_putc(out, '\n');
}

static void put_header(struct str *out, const struct manpage *about, const char *name, const char *summary) {
    str_printf(out, ".Dd %s\n.Dt ", about->date);
    for (const char *at = name; *at; at++) str_putc(out, (char)toupper((unsigned char)*at));
    str_printf(out, " 1\n.Os \"%s %s\"\n.Sh NAME\n", about->program, about->version);
    put_macro(out, "Nm", name);
    put_macro(out, "Nd", summary);
}

static void put_paragraphs(struct str *out, const char *text) {
    for (bool first = true; text && *text; first = false) {
        const char *end = strstr(text, "\n\n");
        if (!first) str_puts(out, ".Pp\n");
        put_text(out, text, end ? (size_t)(end - text) : strlen(text));
        str_putc(out, '\n');
        text = end ? end + 2 : NULL;
    }
}

static void put_option(struct str *out, const struct cli_option *option) {
    struct str item = {0};
    str_puts(&item, option->names);
    if (option->value) str_printf(&item, " %s", option->value);
    put_macro(out, "It Sy", str_c(&item));
    put_line(out, option->help);
    str_free(&item);
}

static void put_options(struct str *out, const struct cli_option *options) {
    str_puts(out, ".Pp\nThe options are:\n.Bl -tag -width Ds\n");
    for (; options && options->names; options++) put_option(out, options);
    put_option(out, &(struct cli_option){"-h, --help", NULL, "Show a short form of this page."});
    str_puts(out, ".El\n");
}

static void put_examples(struct str *out, const char *examples) {
    str_puts(out, ".Sh EXAMPLES\n.Bl -tag -width Ds\n");
    struct view line, rest = view_of(examples);
    while (view_line(&line, &rest)) {
        const char *tab = memchr(line.at, '\t', line.n);
        size_t n = tab ? (size_t)(tab - line.at) : line.n;
        str_puts(out, ".It Li ");
        put_quoted(out, line.at, n);
        str_putc(out, '\n');
        if (tab) {
            put_text(out, tab + 1, line.n - n - 1);
            str_putc(out, '\n');
        }
    }
    str_puts(out, ".El\n");
}

static bool is_listed(const struct cli_command *row, const struct cli_command *within) {
    return within ? cli_is_within(row, within) : !strchr(row->name, ' ');
}

static bool has_within(const struct manpage *about, const struct cli_command *within) {
    for (const struct cli_command *row = about->table; row->name; row++)
        if (is_listed(row, within)) return true;
    return false;
}

/* The commands within one, or all of the program, each with its own page. */
static void put_commands(struct str *out, const struct manpage *about, const struct cli_command *within) {
    str_puts(out, ".Sh COMMANDS\n.Bl -tag -width Ds\n");
    for (const struct cli_command *row = about->table; row->name; row++) {
        struct str name = {0};
        if (!is_listed(row, within)) continue;
        manpage_name(&name, about->program, row);
        str_printf(out, ".It Xr %s 1\n", str_c(&name));
        put_line(out, row->summary);
        str_free(&name);
    }
    str_puts(out, ".El\n");
}

/* The command that this one is within, or the program. */
static void put_see_also(struct str *out, const struct manpage *about, const struct cli_command *command) {
    struct str name = {0};
    const struct cli_command *outer = NULL;
    for (const struct cli_command *row = about->table; row->name; row++)
        if (cli_is_within(command, row)) outer = row;
    manpage_name(&name, about->program, outer);
    str_printf(out, ".Sh SEE ALSO\n.Xr %s 1\n", str_c(&name));
    str_free(&name);
}

void manpage_write(struct str *out, const struct manpage *about, const struct cli_command *command) {
    struct str name = {0};
    manpage_name(&name, about->program, command);
    put_header(out, about, str_c(&name), command ? command->summary : about->tagline);
    str_printf(out, ".Sh SYNOPSIS\n.Nm %s\n", about->program);
    struct str usage = {0};
    if (command) str_printf(&usage, "%s %s", command->name, command->usage);
    else str_puts(&usage, "COMMAND [OPTION...] [ARGUMENT...]");
    put_line(out, str_c(&usage));
    str_puts(out, ".Sh DESCRIPTION\n");
    if (command && command->description) put_paragraphs(out, command->description);
    else put_line(out, command ? command->summary : about->tagline);
    if (command) put_options(out, command->options);
    if (has_within(about, command)) put_commands(out, about, command);
    str_puts(
        out,
        ".Sh EXIT STATUS\n0 when it did what was asked, 1 when it could not, 2 when it was asked wrongly.\n");
    if (command && command->examples) put_examples(out, command->examples);
    if (command) put_see_also(out, about, command);
    str_free(&usage);
    str_free(&name);
}
