#include "cmd/cli/completion.h"

#include "base/shellword.h"

#include <string.h>

/* Is `kind` one of the words of the row's `positional`? */
static bool takes(const struct cli_command *row, const char *kind) {
    size_t n = strlen(kind);
    for (const char *at = row->positional; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == n && strncmp(at, kind, n) == 0) return true;
        at += length;
    }
    return false;
}

/* The last word of a name that is directly within `command` (NULL: the program), or NULL. */
static const char *word_within(const struct cli_command *row, const struct cli_command *command) {
    if (!command) return strchr(row->name, ' ') ? NULL : row->name;
    if (!cli_is_within(row, command)) return NULL;
    const char *word = row->name + strlen(command->name) + 1;
    return strchr(word, ' ') ? NULL : word;
}

/* "'run'|'sota list'|...": the patterns of a case. */
static void put_names(struct str *out, const struct cli_command *table) {
    for (const struct cli_command *row = table; row->name; row++) {
        if (row != table) str_putc(out, '|');
        shellword_put(out, row->name);
    }
}

static void put_walk(struct str *out, const struct cli_command *table, const char *words, const char *last,
                     int first) {
    str_printf(out,
               "    for ((i = %d; i < %s; i++)); do\n"
               "        word=${%s[i]}\n"
               "        case $word in -*) continue ;; esac\n"
               "        case \"${command:+$command }$word\" in\n        ",
               first, last, words);
    put_names(out, table);
    str_puts(out,
             ") command=\"${command:+$command }$word\" ;;\n        *) break ;;\n        esac\n    done\n");
}

/* The next of an option's names, "-n" then "--tokens". */
static bool next_name(struct view *name, struct view *rest) {
    while (rest->n && (rest->at[0] == ',' || rest->at[0] == ' ')) rest->at++, rest->n--;
    *name = *rest;
    while (rest->n && rest->at[0] != ',') rest->at++, rest->n--;
    name->n -= rest->n;
    return name->n > 0;
}

/* "'run -n'|'run --tokens') ": a case on the command and the word before. */
static void put_before(struct str *out, const struct cli_command *command, const struct cli_option *option) {
    struct view name, rest = view_of(option->names);
    for (bool first = true; next_name(&name, &rest); first = false)
        str_printf(out, "%s'%s %.*s'", first ? "    " : "|", command->name, (int)name.n, name.at);
    str_puts(out, ") ");
}

/* "A|B|C" as words, after `prefix`. */
static void put_choices(struct str *out, const char *prefix, const char *choices, const char *suffix) {
    str_puts(out, prefix);
    for (; *choices; choices++) str_putc(out, *choices == '|' ? ' ' : *choices);
    str_puts(out, suffix);
}

static bool is_file_value(const char *value) { return strstr(value, "FILE") || strstr(value, "DIR"); }

/* --- bash --- */

static void bash_words(struct str *out, const struct cli_command *table, const struct cli_command *command) {
    for (const struct cli_command *row = table; row->name; row++) {
        const char *word = word_within(row, command);
        if (word) str_printf(out, "%s ", word);
    }
}

static void bash_options(struct str *out, const struct cli_option *options) {
    for (; options && options->names; options++) {
        struct view name, rest = view_of(options->names);
        while (next_name(&name, &rest)) str_printf(out, "%.*s ", (int)name.n, name.at);
    }
    str_puts(out, "--help");
}

/* What follows an option that takes a value: choices, files, or nothing we know. */
static void bash_values(struct str *out, const struct cli_command *command) {
    for (const struct cli_option *option = command->options; option && option->names; option++) {
        if (!option->value) continue;
        put_before(out, command, option);
        if (strchr(option->value, '|'))
            put_choices(out, "COMPREPLY=($(compgen -W '", option->value, "' -- \"$current\")); return ;;\n");
        else str_puts(out, is_file_value(option->value) ? "known=1 files=1 ;;\n" : "return ;;\n");
    }
}

static void bash_command(struct str *out, const char *program, const struct cli_command *table,
                         const struct cli_command *row) {
    str_puts(out, "    ");
    shellword_put(out, row->name);
    str_puts(out, ")\n        options='");
    bash_options(out, row->options);
    str_puts(out, "'\n        words='");
    bash_words(out, table, row);
    if (takes(row, "command")) bash_words(out, table, NULL);
    if (takes(row, "shell")) str_puts(out, "bash zsh");
    str_puts(out, "'\n");
    if (takes(row, "op")) str_printf(out, "        words+=\" $(%s completion ops 2>/dev/null)\"\n", program);
    if (takes(row, "axis"))
        str_printf(out, "        words+=\" $(%s completion axes 2>/dev/null)\"\n", program);
    if (takes(row, "file") || takes(row, "model")) str_puts(out, "        files=1\n");
    str_puts(out, "        ;;\n");
}

void completion_bash(struct str *out, const char *program, const struct cli_command *table) {
    str_printf(out,
               "# bash completion for %s: eval \"$(%s completion bash)\"\n"
               "_%s() {\n"
               "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
               "    local command= word= words= options= files= known= i\n"
               "    COMPREPLY=()\n",
               program, program, program);
    put_walk(out, table, "COMP_WORDS", "COMP_CWORD", 1);
    str_puts(out, "    case \"$command $before\" in\n");
    for (const struct cli_command *row = table; row->name; row++) bash_values(out, row);
    str_puts(out, "    esac\n    [ -n \"$known\" ] || case $command in\n    '')\n        words='");
    bash_words(out, table, NULL);
    str_puts(out, "'\n        options='--help --version'\n        ;;\n");
    for (const struct cli_command *row = table; row->name; row++) bash_command(out, program, table, row);
    str_printf(
        out,
        "    esac\n"
        "    case $current in -*) words=$options files= ;; esac\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "    [ -n \"$files\" ] || return 0\n"
        "    compopt -o filenames 2>/dev/null\n"
        "    while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- \"$current\")\n"
        "}\n"
        "complete -F _%s %s\n",
        program, program);
}

/* --- zsh --- */

/* 'word:what it does' for _describe, where a colon separates. */
static void zsh_item(struct str *out, const char *word, size_t n, const char *what) {
    struct str item = {0};
    str_add(&item, word, n);
    str_printf(&item, ":%s", what);
    str_putc(out, ' ');
    shellword_put(out, str_c(&item));
    str_free(&item);
}

static void zsh_words(struct str *out, const struct cli_command *table, const struct cli_command *command) {
    for (const struct cli_command *row = table; row->name; row++) {
        const char *word = word_within(row, command);
        if (word) zsh_item(out, word, strlen(word), row->summary);
    }
}

static void zsh_options(struct str *out, const struct cli_option *options) {
    for (; options && options->names; options++) {
        struct view name, rest = view_of(options->names);
        while (next_name(&name, &rest)) zsh_item(out, name.at, name.n, options->help);
    }
    zsh_item(out, "--help", 6, "show the help page");
}

static void zsh_values(struct str *out, const struct cli_command *command) {
    for (const struct cli_option *option = command->options; option && option->names; option++) {
        if (!option->value) continue;
        put_before(out, command, option);
        if (strchr(option->value, '|')) put_choices(out, "compadd -- ", option->value, "; return ;;\n");
        else str_puts(out, is_file_value(option->value) ? "_files; return ;;\n" : "return ;;\n");
    }
}

static void zsh_command(struct str *out, const char *program, const struct cli_command *table,
                        const struct cli_command *row) {
    str_puts(out, "    ");
    shellword_put(out, row->name);
    str_puts(out, ")\n        options=(");
    zsh_options(out, row->options);
    str_puts(out, ")\n        choices=(");
    zsh_words(out, table, row);
    if (takes(row, "command")) zsh_words(out, table, NULL);
    if (takes(row, "shell")) str_puts(out, " 'bash:for bash' 'zsh:for zsh'");
    str_puts(out, ")\n");
    if (takes(row, "op"))
        str_printf(out, "        names=(${(f)\"$(%s completion ops 2>/dev/null)\"})\n", program);
    if (takes(row, "axis"))
        str_printf(out, "        names=(${(f)\"$(%s completion axes 2>/dev/null)\"})\n", program);
    if (takes(row, "file") || takes(row, "model")) str_puts(out, "        files=1\n");
    str_puts(out, "        ;;\n");
}

void completion_zsh(struct str *out, const char *program, const struct cli_command *table) {
    str_printf(out,
               "#compdef %s\n"
               "# zsh completion for %s: eval \"$(%s completion zsh)\", or a file _%s in fpath\n"
               "_%s() {\n"
               "    local command= word= files= i before=${words[CURRENT-1]}\n"
               "    local -a options names choices\n",
               program, program, program, program, program);
    put_walk(out, table, "words", "CURRENT", 2);
    str_puts(out, "    case \"$command $before\" in\n");
    for (const struct cli_command *row = table; row->name; row++) zsh_values(out, row);
    str_puts(out, "    esac\n    case $command in\n    '')\n        choices=(");
    zsh_words(out, table, NULL);
    str_puts(out,
             ")\n        options=('--help:list the commands' '--version:print the version')\n        ;;\n");
    for (const struct cli_command *row = table; row->name; row++) zsh_command(out, program, table, row);
    str_printf(out,
               "    esac\n"
               "    case ${words[CURRENT]} in\n"
               "    -*) _describe option options; return ;;\n"
               "    esac\n"
               "    (($#choices)) && _describe command choices\n"
               "    (($#names)) && compadd -a names\n"
               "    [ -n \"$files\" ] && _files\n"
               "    return 0\n"
               "}\n"
               "if [ \"$funcstack[1]\" = _%s ]; then _%s \"$@\"; else compdef _%s %s; fi\n",
               program, program, program, program);
}
