/* agent: what a coding agent is told after (or before) it edits a kernel.
 *
 * Owns:    nothing; texts are appended to the caller's.
 * Trusts:  the matrix. The event is from outside: any JSON.
 * Threads: pure; any thread.
 *
 * Agents call a command at each edit, give it the event as JSON on stdin and read one JSON object from its
 * stdout. They differ in where the file's name stands and in which member they read the answer from. Read for
 * this, in November 2026: the hook references of Claude Code (PostToolUse,
 * hookSpecificOutput.additionalContext), Codex (the same; its edits are patches), Gemini CLI (AfterTool),
 * Cursor (afterFileEdit, additional_context), GitHub Copilot (toolName, toolArgs, additionalContext), Cline
 * (contextModification) and Windsurf (tool_info).
 */
#ifndef HOOKS_AGENT_AGENT_H
#define HOOKS_AGENT_AGENT_H

#include "base/json/jsontree.h"
#include "hooks/gate/gate_priorart.h"

/* At most 300 tokens: GPT-2's vocabulary takes 2.5 to 3.3 bytes of such text a token (tests/cases/agent.sh).
 */
enum { AGENT_BYTES = 750, AGENT_FILES = 32 };

struct agent_edit {
    const char *cwd;  /* where relative names start, or NULL */
    struct str files; /* names as the agent wrote them, each ended by a NUL */
    size_t n_files;   /* at most AGENT_FILES */
};

/* Which files does the event name? None is an answer. Texts of *out borrow from the event; agent_edit_free.
 */
bool agent_read(struct agent_edit *out, const struct json_t *event, struct status *st) STATUS_MUST_USE;
void agent_edit_free(struct agent_edit *edit);

/* Row, link and the command that proves, for each finding, within AGENT_BYTES. */
void agent_text(struct str *out, const struct matrix *m, const struct gate_report *report);

/* The object that this agent reads: {} when there is nothing to say. */
void agent_answer(struct str *out, const struct json_t *event, const char *text);

#endif
