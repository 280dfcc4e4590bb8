/* mcp_session: one message of the Model Context Protocol in, at most one line out.
 *
 * Owns:    nothing that outlives a call: the server keeps no state, so every request stands alone.
 * Trusts:  nothing: a message is any bytes.
 * Threads: one call at a time.
 *
 * JSON-RPC 2.0 (jsonrpc.org) and MCP 2024-11-05 to 2026-07-28 (modelcontextprotocol.io): with `initialize` up
 * to 2025-11-25, and by `server/discover` and a version in each request's _meta since. A batch, which only
 * 2025-03-26 knows, is answered in any version. Notifications, `notifications/cancelled` among them, get no
 * answer: a request is done before the next line is read, so there is never one to cancel.
 */
#ifndef CMD_FAK_AGENT_MCP_SESSION_H
#define CMD_FAK_AGENT_MCP_SESSION_H

#include "base/str.h"
#include "sotadb/matrix.h"

enum {
    MCP_LINE = 1 << 20, /* bytes of a message */
    MCP_BATCH = 64,     /* requests of a batch */
};

/* Appends the answer and a line end to *out, or nothing: there is none to give. */
void mcp_answer(struct str *out, const struct matrix *m, struct view message);

/* The answer to a line that is longer than MCP_LINE. */
void mcp_answer_too_long(struct str *out);

#endif
