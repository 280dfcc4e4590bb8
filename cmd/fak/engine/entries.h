/* entries: the commands of fak-engine.so and what they share. */
#ifndef CMD_FAK_ENGINE_ENTRIES_H
#define CMD_FAK_ENGINE_ENTRIES_H

#include "cmd/cli/cli.h"

cli_run fak_tokenize, fak_inspect;

#endif
