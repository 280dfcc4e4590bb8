/* hooks_entries: the commands of lib/fak-hooks.so, and what they share. */
#ifndef CMD_FAK_HOOKS_HOOKS_ENTRIES_H
#define CMD_FAK_HOOKS_HOOKS_ENTRIES_H

#include "cmd/cli/cli.h"
#include "hooks/stage/stage.h"

int fak_gate(struct cli *cli, int argc, char **argv);
/* `fak gate --range`: fills cli->out; *code is 1 when a trailer is required and missing. */
bool gate_range(struct cli *cli, int *code, const struct matrix *m, const struct cli_args *args,
                struct status *st) STATUS_MUST_USE;
int fak_sota_stamp(struct cli *cli, int argc, char **argv);
int fak_sota_log(struct cli *cli, int argc, char **argv);
int fak_hooks(struct cli *cli, int argc, char **argv);
int fak_hooks_install(struct cli *cli, int argc, char **argv);
int fak_hooks_uninstall(struct cli *cli, int argc, char **argv);
int fak_hooks_status(struct cli *cli, int argc, char **argv);
int fak_hooks_doctor(struct cli *cli, int argc, char **argv);
int fak_hooks_run(struct cli *cli, int argc, char **argv);

/* Gives libgit2's reader from lib/fak-git.so. */
bool hooks_load_libgit2(const struct reader **reader, struct status *st);

/* Gives the scanner from lib/fak-scan.so. */
bool hooks_load_scan(touched_scan **scan, struct status *st);

/* Is configuration given through the environment (git -c, GIT_CONFIG_COUNT, GIT_CONFIG_GLOBAL ...)? */
bool hooks_config_by_environment(void);

#endif
