#include "cmd/fak/agent/mcp_tools.h"

#include "cmd/fak/repo_path.h"
#include "cmd/fak/sota_find.h"
#include "cmd/fak/sota_json.h"
#include "hooks/gate/gate_priorart.h"
#include "ladders/ladder.h"
#include "sotadb/credit.h"
#include "sotadb/gaps.h"
#include "sotadb/search.h"

#include <stdlib.h>
#include <string.h>

static const char *argument(const struct json_t *arguments, const char *name) {
    const char *text = jsontree_text(jsontree_get(arguments, name));
    return text ? text : "";
}

/* --- rows, in brief ----------------------------------------------------------------------------------------
 */

static void put_trailer(struct jsonout *out, const struct op *op, const struct reference *reference) {
    struct str text = {0};
    credit_line(&text, op, reference);
    jsonout_pair_string(out, "trailer", str_c(&text));
    out->out->failed |= text.failed;
    str_free(&text);
}

static void put_witness(struct jsonout *out, const struct matrix *m, const struct op *op) {
    struct str command = {0};
    for (unsigned i = 0; i < op->witnesses.n && !command.n; i++)
        if (!m->witnesses[op->witnesses.first + i].planned) str_printf(&command, "fak witness %s", op->slug);
    jsonout_pair_string(out, "oracle_command", command.n ? command.at : NULL);
    out->out->failed |= command.failed;
    str_free(&command);
}

/* The members of one row that is not told in full. */
static void put_brief(struct jsonout *out, const struct matrix *m, const struct op *op) {
    const struct reference *reference = matrix_primary(m, op);
    if (!reference && op->references.n) reference = &m->references[op->references.first];
    jsonout_pair_string(out, "op", op->slug);
    jsonout_pair_string(out, "title", op->title);
    jsonout_pair_string(out, "status", op_status_name(op->status));
    jsonout_pair_string(out, "route", route_name(op->route));
    jsonout_pair_string(out, "read", reference ? reference->name : NULL);
    jsonout_pair_string(out, "url", reference ? reference->url : NULL);
    jsonout_pair_string(out, "oracle", op->oracle);
    put_witness(out, m, op);
    put_trailer(out, op, reference);
}

static void put_matches(struct jsonout *out, const struct matrix *m, const struct match *match, size_t n,
                        const char *alias) {
    jsonout_key(out, "rows");
    jsonout_begin_array(out);
    for (size_t i = 0; i < n && i < MCP_ROWS; i++) {
        jsonout_begin_object(out);
        put_brief(out, m, match[i].op);
        jsonout_key(out, "why");
        sota_json_why(out, &match[i], alias);
        jsonout_end_object(out);
    }
    jsonout_end_array(out);
    if (n > MCP_ROWS) jsonout_pair_int(out, "more", (int64_t)n - MCP_ROWS);
}

/* --- lookup ------------------------------------------------------------------------------------------------
 */

enum { WORDS = 8 };

static size_t split_words(char *text, const char *words[WORDS]) {
    size_t n = 0;
    for (char *state, *word = strtok_r(text, " \t\n,", &state); word && n < WORDS;
         word = strtok_r(NULL, " \t\n,", &state))
        words[n++] = word;
    return n;
}

static void put_hit(struct jsonout *out, const struct matrix *m, const struct search_hit *hit) {
    jsonout_begin_object(out);
    if (hit->op) {
        put_brief(out, m, hit->op);
    } else {
        jsonout_pair_string(out, "ladder", hit->rung->axis);
        jsonout_pair_int(out, "level", hit->rung->level);
        jsonout_pair_string(out, "title", hit->rung->technique);
        jsonout_pair_string(out, "url", hit->rung->url);
    }
    jsonout_pair_string(out, "found_in", hit->field);
    jsonout_end_object(out);
}

/* Words anywhere in the matrix; *found is false when no row holds any. */
static bool put_search(struct jsonout *out, bool *found, const struct matrix *m, const char *query,
                       const char *no_name, struct status *st) {
    struct search_hit hits[MCP_HITS];
    const char *words[WORDS];
    char *text = strdup(query);
    if (!text) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    size_t n_words = split_words(text, words);
    size_t n = n_words ? search_matrix(m, words, n_words, false, hits, MCP_HITS) : 0;
    bool any = n == 0 && n_words > 1;
    if (any) n = search_matrix(m, words, n_words, true, hits, MCP_HITS);
    free(text);
    *found = n > 0;
    if (n == 0) return true;
    jsonout_begin_object(out);
    jsonout_pair_string(out, "found_by", any ? "some of the words" : "words");
    jsonout_pair_string(out, "note", no_name);
    jsonout_key(out, "hits");
    jsonout_begin_array(out);
    for (size_t i = 0; i < n && i < MCP_HITS; i++) put_hit(out, m, &hits[i]);
    jsonout_end_array(out);
    if (n > MCP_HITS) jsonout_pair_int(out, "more", (int64_t)n - MCP_HITS);
    jsonout_end_object(out);
    return true;
}

static bool lookup(struct jsonout *out, const struct matrix *m, const struct json_t *arguments,
                   struct status *st) {
    const char *query = argument(arguments, "query");
    struct sota_found found;
    struct status why;
    bool named = sota_find(&found, m, query, &why), searched = false, ok = true;
    if (named && found.n) {
        jsonout_begin_object(out);
        jsonout_pair_string(out, "found_by", found.path.n ? "path" : found.symbol.n ? "kernel" : "name");
        put_matches(out, m, found.match, found.n, str_c(&found.alias));
        jsonout_end_object(out);
    } else if (named) {
        ok = status_fail(st, STATUS_NOT_FOUND, "no row covers '%s'", str_c(&found.path));
    } else {
        ok = put_search(out, &searched, m, query, why.message, st);
        if (ok && !searched) {
            *st = why;
            ok = false;
        }
    }
    sota_found_free(&found);
    return ok;
}

/* --- rows_for_files --- */

static bool put_file(struct jsonout *out, const struct matrix *m, const char *given, struct status *st) {
    struct match match[SOTA_MATCHES];
    struct str path = {0};
    bool ok = repo_path(&path, given, st);
    if (ok) {
        size_t n = matrix_match_path(m, str_c(&path), match, SOTA_MATCHES);
        jsonout_begin_object(out);
        jsonout_pair_string(out, "file", given);
        jsonout_pair_string(out, "path", str_c(&path));
        jsonout_pair_bool(out, "advised", gate_covers(m, str_c(&path)));
        put_matches(out, m, match, n, "");
        jsonout_end_object(out);
    }
    str_free(&path);
    return ok;
}

static bool rows_for_files(struct jsonout *out, const struct matrix *m, const struct json_t *arguments,
                           struct status *st) {
    const struct json_t *files = jsontree_get(arguments, "files");
    size_t n = jsontree_count(files);
    if (n > MCP_FILES)
        return status_fail(st, STATUS_USAGE, "%zu files at once are too many; ask for at most %d", n,
                           MCP_FILES);
    jsonout_begin_object(out);
    jsonout_key(out, "files");
    jsonout_begin_array(out);
    for (size_t i = 0; i < n; i++)
        if (!put_file(out, m, jsontree_text(jsontree_at(files, i)), st)) return false;
    jsonout_end_array(out);
    jsonout_end_object(out);
    return true;
}

/* --- explain, milestones, gaps --- */

static bool explain(struct jsonout *out, const struct matrix *m, const struct json_t *arguments,
                    struct status *st) {
    struct sota_found found;
    bool ok = sota_find(&found, m, argument(arguments, "name"), st);
    if (ok && found.n == 0) ok = status_fail(st, STATUS_NOT_FOUND, "no row covers '%s'", str_c(&found.path));
    if (ok) {
        jsonout_begin_object(out);
        jsonout_key(out, "rows");
        jsonout_begin_array(out);
        for (size_t i = 0; i < found.n && i < MCP_FULL_ROWS; i++) {
            jsonout_begin_object(out);
            jsonout_key(out, "why");
            sota_json_why(out, &found.match[i], str_c(&found.alias));
            jsonout_key(out, "row");
            sota_json_op(out, m, found.match[i].op);
            jsonout_end_object(out);
        }
        jsonout_end_array(out);
        if (found.n > MCP_FULL_ROWS) jsonout_pair_int(out, "more", (int64_t)found.n - MCP_FULL_ROWS);
        jsonout_end_object(out);
    }
    sota_found_free(&found);
    return ok;
}

static void put_ladder_brief(struct jsonout *out, const struct matrix *m, const struct ladder *ladder) {
    int next = ladder->fak_rung + 1;
    jsonout_begin_object(out);
    jsonout_pair_string(out, "axis", ladder->axis);
    jsonout_pair_string(out, "title", ladder->title);
    jsonout_pair_string(out, "position", ladder->position);
    jsonout_pair_int(out, "rung", ladder->fak_rung);
    jsonout_pair_int(out, "rungs", ladder->rungs.n);
    if (next < (int)ladder->rungs.n) {
        const struct rung *rung = &m->rungs[ladder->rungs.first + (unsigned)next];
        jsonout_pair_string(out, "next", rung->technique);
        jsonout_pair_string(out, "next_url", rung->url);
    }
    jsonout_end_object(out);
}

static bool milestones(struct jsonout *out, const struct matrix *m, const struct json_t *arguments,
                       struct status *st) {
    const char *axis = argument(arguments, "axis");
    const struct ladder *ladder = NULL;
    if (*axis && !sota_find_ladder(&ladder, m, axis, st)) return false;
    jsonout_begin_object(out);
    jsonout_key(out, ladder ? "ladder" : "ladders");
    if (ladder) {
        ladder_json(out, m, ladder);
    } else {
        jsonout_begin_array(out);
        for (size_t i = 0; i < m->n_ladders; i++) put_ladder_brief(out, m, &m->ladders[i]);
        jsonout_end_array(out);
    }
    jsonout_end_object(out);
    return true;
}

static bool gaps(struct jsonout *out, const struct matrix *m, const struct json_t *arguments,
                 struct status *st) {
    const char *name = argument(arguments, "op");
    const struct op *only = NULL;
    struct gap found[MCP_GAPS];
    if (*name && !sota_find_op(&only, m, name, st)) return false;
    size_t n = gaps_find(m, only, found, MCP_GAPS);
    jsonout_begin_object(out);
    jsonout_pair_int(out, "n_gaps", (int64_t)n);
    jsonout_key(out, "gaps");
    jsonout_begin_array(out);
    for (size_t i = 0; i < n && i < MCP_GAPS; i++) {
        jsonout_begin_object(out);
        jsonout_pair_string(out, "gap", gap_name(found[i].kind));
        jsonout_pair_string(out, "op", found[i].op->slug);
        if (found[i].witness) {
            jsonout_pair_string(out, "device", found[i].witness->device);
            jsonout_pair_string(out, "floor_name", found[i].witness->floor_name);
        }
        jsonout_end_object(out);
    }
    jsonout_end_array(out);
    jsonout_end_object(out);
    return true;
}

/* --- the table --- */

const struct mcp_tool mcp_tools[] = {
    {"lookup",
     "Look up prior art",
     "Before writing or changing a kernel: what to read first, which route to take (borrow, bind, "
     "stay-minimal), and "
     "what proves the result. Takes an operation, an alias, a kernel's name, a path, FILE:LINE, or any "
     "words.",
     {{"query", "string", "e.g. fused-attention, k_awq_gemv, src/attention.cu:120, paged attention", true}},
     lookup},
    {"rows_for_files",
     "Rows that cover files",
     "For the files of a change: the operations each belongs to, with reference, oracle and the Prior-art "
     "trailer to "
     "stamp. `advised` is false for tests, documents and generated files.",
     {{"files", "strings", "paths, relative to the working directory of the server or absolute; at most 64",
       true}},
     rows_for_files},
    {"explain",
     "Explain a row",
     "Everything the matrix holds on one operation: route and why, all references and papers, oracle, "
     "floors, "
     "bottleneck, plan, figures; and why a file or a kernel belongs to it.",
     {{"name", "string", "an operation, an alias, a kernel's name, a path or FILE:LINE", true}},
     explain},
    {"milestones",
     "Ladders of prior art",
     "Where this project stands on each ladder of prior art and what comes next; with an axis, that ladder "
     "rung by "
     "rung, each with year and link.",
     {{"axis", "string", "e.g. attention; all ladders in brief without it", false}},
     milestones},
    {"gaps",
     "What is missing",
     "Operations without witness, test, acceptance row, measured floor or code, in the order to take them "
     "up.",
     {{"op", "string", "one operation; all without it", false}},
     gaps},
    {0},
};

const struct mcp_tool *mcp_tool_named(const char *name) {
    for (const struct mcp_tool *tool = mcp_tools; tool->name; tool++)
        if (strcmp(tool->name, name) == 0) return tool;
    return NULL;
}

static bool is_of_type(const struct json_t *value, const char *type) {
    if (strcmp(type, "strings") != 0) return jsontree_kind(value) == JSONTREE_TEXT;
    if (jsontree_kind(value) != JSONTREE_ARRAY) return false;
    for (size_t i = 0; i < jsontree_count(value); i++)
        if (!jsontree_text(jsontree_at(value, i))) return false;
    return true;
}

bool mcp_tool_accepts(const struct mcp_tool *tool, const struct json_t *arguments, struct status *st) {
    enum jsontree_kind kind = jsontree_kind(arguments);
    if (kind != JSONTREE_ABSENT && kind != JSONTREE_OBJECT)
        return status_fail(st, STATUS_USAGE, "`arguments` has to be an object");
    for (int i = 0; i < MCP_ARGS && tool->args[i].name; i++) {
        const struct mcp_arg *arg = &tool->args[i];
        const struct json_t *value = jsontree_get(arguments, arg->name);
        if (!value && arg->required)
            return status_fail(st, STATUS_USAGE, "%s needs the argument `%s`", tool->name, arg->name);
        if (value && !is_of_type(value, arg->type))
            return status_fail(st, STATUS_USAGE, "`%s` has to be %s", arg->name,
                               strcmp(arg->type, "strings") == 0 ? "an array of strings" : "a string");
    }
    return true;
}

static void describe_arg(struct jsonout *out, const struct mcp_arg *arg) {
    bool list = strcmp(arg->type, "strings") == 0;
    jsonout_key(out, arg->name);
    jsonout_begin_object(out);
    jsonout_pair_string(out, "type", list ? "array" : arg->type);
    if (list) {
        jsonout_key(out, "items");
        jsonout_begin_object(out);
        jsonout_pair_string(out, "type", "string");
        jsonout_end_object(out);
        jsonout_pair_int(out, "maxItems", MCP_FILES);
    }
    jsonout_pair_string(out, "description", arg->description);
    jsonout_end_object(out);
}

static void describe_schema(struct jsonout *out, const struct mcp_tool *tool) {
    jsonout_begin_object(out);
    jsonout_pair_string(out, "type", "object");
    jsonout_key(out, "properties");
    jsonout_begin_object(out);
    for (int i = 0; i < MCP_ARGS && tool->args[i].name; i++) describe_arg(out, &tool->args[i]);
    jsonout_end_object(out);
    jsonout_key(out, "required");
    jsonout_begin_array(out);
    for (int i = 0; i < MCP_ARGS && tool->args[i].name; i++)
        if (tool->args[i].required) jsonout_string(out, tool->args[i].name);
    jsonout_end_array(out);
    jsonout_end_object(out);
}

void mcp_tool_describe(struct jsonout *out, const struct mcp_tool *tool) {
    jsonout_begin_object(out);
    jsonout_pair_string(out, "name", tool->name);
    jsonout_pair_string(out, "title", tool->title);
    jsonout_pair_string(out, "description", tool->description);
    jsonout_key(out, "inputSchema");
    describe_schema(out, tool);
    jsonout_key(out, "annotations");
    jsonout_begin_object(out);
    jsonout_pair_bool(out, "readOnlyHint", true);
    jsonout_pair_bool(out, "destructiveHint", false);
    jsonout_pair_bool(out, "idempotentHint", true);
    jsonout_pair_bool(out, "openWorldHint", false);
    jsonout_end_object(out);
    jsonout_end_object(out);
}
