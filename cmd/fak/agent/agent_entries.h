/* agent_entries: the commands of lib/fak-agent.so, for coding agents. A module of its own, because it reads
 * JSON. */
#ifndef CMD_FAK_AGENT_AGENT_ENTRIES_H
#define CMD_FAK_AGENT_AGENT_ENTRIES_H

#include "cmd/cli/cli.h"

int fak_hooks_agent(struct cli *cli, int argc, char **argv);
int fak_mcp(struct cli *cli, int argc, char **argv);

#endif
