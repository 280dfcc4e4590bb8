/* off_switch: what in the environment silences the hooks. Owns nothing; the main thread. */
#ifndef CMD_FAK_OFF_SWITCH_H
#define CMD_FAK_OFF_SWITCH_H

#include "base/status.h"

/* As text for people ("FAK_SKIP in the environment"), or NULL: nothing is switched off. */
const char *off_switch(void);

/* The one line on stderr that a hook may say: nothing was checked, and why. Control characters are shown. */
void off_switch_complain(const char *what, const struct status *why);

#endif
