#include "cmd/fak/agent/mcp_session.h"

#include "cmd/fak/agent/mcp_tools.h"
#include "cmd/fak/commands.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    INTERNAL_ERROR = -32603,
    UNSUPPORTED_VERSION = -32022, /* 2026-07-28 */
};

#define META_VERSION "io.modelcontextprotocol/protocolVersion"

static const char *const versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
enum { N_VERSIONS = sizeof versions / sizeof *versions, LATEST_WITH_HANDSHAKE = 3 };

static const char instructions[] = "Known prior art for the kernels of an LLM inference engine. Before "
                                   "writing or changing a kernel, call `lookup` or "
                                   "`rows_for_files`, read the reference, take the route it names, prove the "
                                   "result with the oracle, and end the "
                                   "commit message with the Prior-art trailer.";

struct request {
    const struct matrix *m;
    const struct json_t *id, *params;
    const char *method;
    bool modern; /* of a version without handshake */
};

static int version_index(const char *version) {
    for (int i = 0; version && i < N_VERSIONS; i++)
        if (strcmp(version, versions[i]) == 0) return i;
    return -1;
}

/* --- envelopes --- */

static void begin(struct jsonout *out, const struct json_t *id) {
    jsonout_begin_object(out);
    jsonout_pair_string(out, "jsonrpc", "2.0");
    jsonout_key(out, "id");
    jsontree_echo(out, id);
}

static void put_error(struct jsonout *out, const struct json_t *id, int code, const char *message) {
    begin(out, id);
    jsonout_key(out, "error");
    jsonout_begin_object(out);
    jsonout_pair_int(out, "code", code);
    jsonout_pair_string(out, "message", message);
    jsonout_end_object(out);
    jsonout_end_object(out);
}

/* An answer that is open: {"jsonrpc", "id", "result": {...; close with end_result. */
static void begin_result(struct jsonout *out, const struct request *request) {
    begin(out, request->id);
    jsonout_key(out, "result");
    jsonout_begin_object(out);
    if (request->modern) jsonout_pair_string(out, "resultType", "complete");
}

static void end_result(struct jsonout *out) {
    jsonout_end_object(out);
    jsonout_end_object(out);
}

/* --- methods --- */

static void put_server(struct jsonout *out) {
    jsonout_begin_object(out);
    jsonout_pair_string(out, "name", "fak");
    jsonout_pair_string(out, "title", "Prior art for kernels");
    jsonout_pair_string(out, "version", FAK_VERSION);
    jsonout_end_object(out);
}

static void put_capabilities(struct jsonout *out) {
    jsonout_key(out, "capabilities");
    jsonout_begin_object(out);
    jsonout_key(out, "tools");
    jsonout_begin_object(out);
    jsonout_pair_bool(out, "listChanged", false);
    jsonout_end_object(out);
    jsonout_end_object(out);
}

/* A version that is not known is answered with our newest: the client decides whether it goes on. */
static void initialize(struct jsonout *out, const struct request *request) {
    const char *asked = jsontree_text(jsontree_get(request->params, "protocolVersion"));
    if (!asked) {
        put_error(out, request->id, INVALID_PARAMS, "initialize needs protocolVersion, a string");
        return;
    }
    int version = version_index(asked);
    if (version < 0 || version > LATEST_WITH_HANDSHAKE) version = LATEST_WITH_HANDSHAKE;
    begin_result(out, request);
    jsonout_pair_string(out, "protocolVersion", versions[version]);
    put_capabilities(out);
    jsonout_key(out, "serverInfo");
    put_server(out);
    jsonout_pair_string(out, "instructions", instructions);
    end_result(out);
}

static void put_versions(struct jsonout *out, const char *key) {
    jsonout_key(out, key);
    jsonout_begin_array(out);
    for (int i = 0; i < N_VERSIONS; i++) jsonout_string(out, versions[i]);
    jsonout_end_array(out);
}

/* What 2026-07-28 wants to know of an answer that may be kept: the matrix changes with the program alone. */
static void put_cache(struct jsonout *out) {
    jsonout_pair_int(out, "ttlMs", 3600000);
    jsonout_pair_string(out, "cacheScope", "public");
}

static void discover(struct jsonout *out, const struct request *request) {
    begin_result(out, request);
    put_versions(out, "supportedVersions");
    put_capabilities(out);
    jsonout_pair_string(out, "instructions", instructions);
    put_cache(out);
    jsonout_key(out, "_meta");
    jsonout_begin_object(out);
    jsonout_key(out, "io.modelcontextprotocol/serverInfo");
    put_server(out);
    jsonout_end_object(out);
    end_result(out);
}

static void ping(struct jsonout *out, const struct request *request) {
    begin_result(out, request);
    end_result(out);
}

static void list_tools(struct jsonout *out, const struct request *request) {
    begin_result(out, request);
    jsonout_key(out, "tools");
    jsonout_begin_array(out);
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++) mcp_tool_describe(out, tool);
    jsonout_end_array(out);
    if (request->modern) put_cache(out);
    end_result(out);
}

/* A tool that cannot answer says why where the model reads it, not as an error of the protocol. */
static void put_tool_text(struct jsonout *out, const struct request *request, const char *text, bool failed) {
    begin_result(out, request);
    jsonout_key(out, "content");
    jsonout_begin_array(out);
    jsonout_begin_object(out);
    jsonout_pair_string(out, "type", "text");
    jsonout_pair_string(out, "text", text);
    jsonout_end_object(out);
    jsonout_end_array(out);
    jsonout_pair_bool(out, "isError", failed);
    end_result(out);
}

static void call_tool(struct jsonout *out, const struct request *request) {
    const char *name = jsontree_text(jsontree_get(request->params, "name"));
    const struct json_t *arguments = jsontree_get(request->params, "arguments");
    const struct mcp_tool *tool = name ? mcp_tool_named(name) : NULL;
    struct str text = {0};
    struct jsonout answer;
    struct status st;
    jsonout_init(&answer, &text, 0);
    if (!tool) {
        put_error(out, request->id, INVALID_PARAMS,
                  name ? "there is no such tool; tools/list names them" : "tools/call needs name, a string");
    } else if (!mcp_tool_accepts(tool, arguments, &st)) {
        put_error(out, request->id, INVALID_PARAMS, st.message);
    } else if (!tool->answer(&answer, request->m, arguments, &st)) {
        put_tool_text(out, request, st.message, true);
    } else if (!str_ok(&text, &st)) {
        put_error(out, request->id, INTERNAL_ERROR, st.message);
    } else if (text.n > MCP_ANSWER) {
        put_tool_text(out, request, "the answer is too long; ask for fewer files", true);
    } else {
        put_tool_text(out, request, str_c(&text), false);
    }
    str_free(&text);
}

/* --- one request --- */

static const struct {
    const char *name;
    void (*run)(struct jsonout *out, const struct request *request);
} methods[] = {{"initialize", initialize},
               {"server/discover", discover},
               {"ping", ping},
               {"tools/list", list_tools},
               {"tools/call", call_tool}};

static void put_version_error(struct jsonout *out, const struct request *request, const char *asked) {
    begin(out, request->id);
    jsonout_key(out, "error");
    jsonout_begin_object(out);
    jsonout_pair_int(out, "code", UNSUPPORTED_VERSION);
    jsonout_pair_string(out, "message", "this version of the protocol is not supported");
    jsonout_key(out, "data");
    jsonout_begin_object(out);
    put_versions(out, "supported");
    jsonout_pair_string(out, "requested", asked);
    jsonout_end_object(out);
    jsonout_end_object(out);
    jsonout_end_object(out);
}

static void dispatch(struct jsonout *out, struct request *request) {
    const struct json_t *meta = jsontree_get(jsontree_get(request->params, "_meta"), META_VERSION);
    const char *asked = jsontree_text(meta);
    int version = version_index(asked);
    request->modern = version > LATEST_WITH_HANDSHAKE;
    if (asked && version < 0) {
        put_version_error(out, request, asked);
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(request->method, methods[i].name) == 0) {
            methods[i].run(out, request);
            return;
        }
    put_error(out, request->id, METHOD_NOT_FOUND, "there is no such method");
}

static bool is_id(const struct json_t *id) {
    enum jsontree_kind kind = jsontree_kind(id);
    return kind == JSONTREE_TEXT || kind == JSONTREE_NUMBER;
}

/* Writes an answer, if one is due: not to notifications, nor to answers (we ask nothing). */
static bool handle(struct jsonout *out, const struct matrix *m, const struct json_t *message) {
    struct request request = {
        .m = m, .id = jsontree_get(message, "id"), .params = jsontree_get(message, "params")};
    request.method = jsontree_text(jsontree_get(message, "method"));
    enum jsontree_kind params = jsontree_kind(request.params);
    const char *version = jsontree_text(jsontree_get(message, "jsonrpc"));
    bool is_answer = !jsontree_get(message, "method") && is_id(request.id) &&
                     (jsontree_get(message, "result") || jsontree_get(message, "error"));
    const char *wrong = NULL;
    if (jsontree_kind(message) != JSONTREE_OBJECT) wrong = "a message is an object";
    else if (!version || strcmp(version, "2.0") != 0) wrong = "`jsonrpc` has to be \"2.0\"";
    else if (request.id && !is_id(request.id)) wrong = "`id` has to be a string or a number";
    else if (is_answer) return false;
    else if (!request.method) wrong = "`method` has to be a string";
    if (wrong) {
        put_error(out, is_id(request.id) ? request.id : NULL, INVALID_REQUEST, wrong);
        return true;
    }
    if (!request.id) return false;
    if (params != JSONTREE_ABSENT && params != JSONTREE_OBJECT)
        put_error(out, request.id, INVALID_PARAMS, "`params` has to be an object");
    else dispatch(out, &request);
    return true;
}

static void handle_batch(struct jsonout *out, const struct matrix *m, const struct json_t *batch) {
    size_t n = jsontree_count(batch), answers = 0;
    struct jsonout list;
    if (n == 0 || n > MCP_BATCH) {
        put_error(out, NULL, INVALID_REQUEST, n ? "a batch holds at most 64 messages" : "an empty batch");
        return;
    }
    jsonout_init(&list, out->out, 0);
    size_t start = out->out->n;
    jsonout_begin_array(&list);
    for (size_t i = 0; i < n; i++) answers += handle(&list, m, jsontree_at(batch, i));
    jsonout_end_array(&list);
    if (answers == 0 && out->out->at) out->out->at[out->out->n = start] = '\0';
}

void mcp_answer(struct str *out, const struct matrix *m, struct view message) {
    struct json_t *root = NULL;
    struct jsonout json;
    struct status st;
    size_t start = out->n;
    if (view_trim(message).n == 0) return;
    jsonout_init(&json, out, 0);
    if (!jsontree_parse(&root, message, &st)) put_error(&json, NULL, PARSE_ERROR, st.message);
    else if (jsontree_kind(root) == JSONTREE_ARRAY) handle_batch(&json, m, root);
    else handle(&json, m, root);
    jsontree_free(root);
    if (out->n > start) str_putc(out, '\n');
}

void mcp_answer_too_long(struct str *out) {
    struct jsonout json;
    jsonout_init(&json, out, 0);
    put_error(&json, NULL, INVALID_REQUEST, "a message of more than 1 MiB is not read");
    str_putc(out, '\n');
}
