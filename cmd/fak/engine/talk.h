/* talk: a conversation on a terminal, line by line, with commands that begin with a slash.
 *
 * Owns nothing of the reply and the chat it is given. Trusts nothing that is typed. The main thread.
 */
#ifndef CMD_FAK_ENGINE_TALK_H
#define CMD_FAK_ENGINE_TALK_H

#include "cmd/cli/cli.h"
#include "cmd/fak/engine/reply.h"

/* Until the input ends or /quit. `system`: the first system message, or NULL. Ctrl-C stops a reply and
 * nothing else. */
bool talk(struct cli *cli, struct reply *reply, const char *system, long n_max,
          struct status *st) STATUS_MUST_USE;

/* --- settings that a command line and /set share --- */

/* Sets one by its name ("temp", "top-k", "top-p", "min-p", "repeat-penalty", "frequency-penalty",
 * "presence-penalty", "penalty-window", "seed") from a text. */
bool talk_set(struct sample_options *o, const char *name, const char *value,
              struct status *st) STATUS_MUST_USE;
/* The names, ended by a NULL. */
const char *const *talk_settings(void);
/* The value of one, as text. */
void talk_show(struct str *out, const struct sample_options *o, const char *name);

#endif
