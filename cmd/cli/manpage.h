/* manpage: a command's page for man(1), in mdoc(7), from the command table.
 * Owns nothing. Trusts the table. Any thread. */
#ifndef CMD_CLI_MANPAGE_H
#define CMD_CLI_MANPAGE_H

#include "cmd/cli/cli.h"

struct manpage {
    const char *program, *tagline, *version, *date; /* date: "November 30, 2026", of the release */
    const struct cli_command *table;
};

/* The page of one command, or of the program when `command` is NULL. */
void manpage_write(struct str *out, const struct manpage *about, const struct cli_command *command);

/* "fak-sota-list": the name under which the page is filed. */
void manpage_name(struct str *out, const char *program, const struct cli_command *command);

#endif
