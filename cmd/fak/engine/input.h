/* input: texts, lines and lists of ids as the commands of the engine take them. Owns nothing, trusts nothing,
 * the main thread. */
#ifndef CMD_FAK_ENGINE_INPUT_H
#define CMD_FAK_ENGINE_INPUT_H

#include "cmd/cli/cli.h"
#include "engine/token/tokenizer.h"

enum { INPUT_MAX = 256 << 20 }; /* bytes of a text */

/* Appends all of stdin. */
bool input_stdin(struct str *text, struct status *st) STATUS_MUST_USE;

/* Appends the text that `-p TEXT`, `--file FILE` or stdin gives, byte for byte; "-" is stdin, too. */
bool input_text(struct str *text, const struct cli_args *args, struct status *st) STATUS_MUST_USE;

/* Calls `answer` for each line of stdin, and writes what it put into cli->out at once. */
typedef void input_answer(void *context, struct str *out, struct view line);
bool input_lines(struct cli *cli, input_answer *answer, void *context, struct status *st) STATUS_MUST_USE;

/* Appends the ids of "1,403,407", or of a file's text: commas, blanks and lines between them, maybe brackets
 * around. `what` begins the message. */
bool input_ids(struct token_list *ids, struct view text, const char *what, struct status *st) STATUS_MUST_USE;

#endif
