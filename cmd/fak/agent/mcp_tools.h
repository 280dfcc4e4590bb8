/* mcp_tools: what `fak mcp` can be asked: look-ups over the matrix, none of which writes anything.
 *
 * Owns:    nothing.
 * Trusts:  the matrix. Arguments are from outside: any JSON.
 * Threads: the main thread (paths are taken from the working directory).
 */
#ifndef CMD_FAK_AGENT_MCP_TOOLS_H
#define CMD_FAK_AGENT_MCP_TOOLS_H

#include "base/json/jsontree.h"
#include "sotadb/matrix.h"

enum {
    MCP_ARGS = 3,
    MCP_FILES = 64,         /* of one rows_for_files */
    MCP_ROWS = 8,           /* of one file or name */
    MCP_FULL_ROWS = 3,      /* of one explain */
    MCP_HITS = 20,          /* of one look-up by words */
    MCP_GAPS = 100,         /* of one gaps */
    MCP_ANSWER = 64 * 1024, /* bytes: nothing is ever longer */
};

struct mcp_arg {
    const char *name, *type; /* "string", "integer", or "strings": an array of them */
    const char *description;
    bool required;
};

struct mcp_tool {
    const char *name, *title, *description;
    struct mcp_arg args[MCP_ARGS]; /* ended by a NULL name */
    /* Writes one object. False: the question could not be answered, and *st says what to ask instead. */
    bool (*answer)(struct jsonout *out, const struct matrix *m, const struct json_t *arguments,
                   struct status *st);
};

extern const struct mcp_tool mcp_tools[]; /* ended by a NULL name */

const struct mcp_tool *mcp_tool_named(const char *name); /* or NULL */

/* Are the arguments (an object, or absent) of the types that the tool takes, and are the required ones there?
 */
bool mcp_tool_accepts(const struct mcp_tool *tool, const struct json_t *arguments,
                      struct status *st) STATUS_MUST_USE;

/* {"name", "title", "description", "inputSchema", "annotations"}, as tools/list shows it. */
void mcp_tool_describe(struct jsonout *out, const struct mcp_tool *tool);

#endif
