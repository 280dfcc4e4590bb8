/* coverage: the commands of sota-coverage. Owns, trusts nothing; the main thread. */
#ifndef CMD_SOTA_COVERAGE_COVERAGE_H
#define CMD_SOTA_COVERAGE_COVERAGE_H

#include "cmd/cli/cli.h"

int coverage_scan(struct cli *cli, int argc, char **argv);
int coverage_history(struct cli *cli, int argc, char **argv);
int coverage_debt(struct cli *cli, int argc, char **argv);
int coverage_report(struct cli *cli, int argc, char **argv);

#endif
