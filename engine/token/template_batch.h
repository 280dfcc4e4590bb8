/* template_batch: a line of JSON in, a line of JSON out: `fak template --batch`.
 *
 * A line is a case: {"template_text", "messages", "tools", "documents", "context" (an object of further
 * variables), "add_generation_prompt", "continue_final_message", "bos_token", "eos_token", "now"}; what is
 * left out is none, empty or false. The answer is {"text"} or {"error": {"kind", "message"}}, kind as
 * template_kind_name has it.
 *
 * Owns nothing. Trusts nothing. Any thread.
 */
#ifndef ENGINE_TOKEN_TEMPLATE_BATCH_H
#define ENGINE_TOKEN_TEMPLATE_BATCH_H

#include "engine/token/template.h"

void template_batch(struct str *out, struct view line);

/* The two answers. */
void template_batch_text(struct str *out, struct view text);
void template_batch_error(struct str *out, const char *kind, const char *message);

/* "2024-07-26T14:30:05", or the day alone. */
bool template_batch_time(struct tm *out, const char *text, struct status *st) STATUS_MUST_USE;

#endif
