/* fuzz_mcp: any bytes as a message of the Model Context Protocol, and as the event of a coding agent's edit.
 * What is answered is one line of JSON that a client could read; what an agent is told has its bound. */
#include "cmd/fak/agent/mcp_session.h"
#include "cmd/fak/agent/mcp_tools.h"
#include "hooks/agent/agent.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One line, or none; and JSON. */
static void check_answer(const struct str *out, size_t limit) {
    struct json_t *root;
    struct status st;
    if (out->n == 0) return;
    if (out->n > limit || out->at[out->n - 1] != '\n' || memchr(out->at, '\n', out->n - 1)) abort();
    if (!jsontree_parse(&root, (struct view){out->at, out->n}, &st)) abort();
    jsontree_free(root);
}

static void try_message(struct view message) {
    struct str out = {0};
    mcp_answer(&out, &sota_matrix, message);
    check_answer(&out, (size_t)MCP_BATCH * 2 * MCP_ANSWER);
    str_free(&out);
}

static void try_files(const struct agent_edit *edit) {
    struct arena arena = {0};
    struct change_list changes = {0};
    struct gate_report report;
    struct status st;
    struct str text = {0};
    const struct trailer_rules rules = {"#", ":"};
    const char *at = str_c(&edit->files);
    bool ok = edit->n_files <= AGENT_FILES;
    if (!ok) abort();
    for (size_t i = 0; ok && i < edit->n_files; i++, at += strlen(at) + 1) {
        const struct change change = {.path = at, .status = 'M'};
        ok = change_add(&changes, &change, strlen(at), &arena, &st);
    }
    if (ok && gate_priorart(&report, &sota_matrix, &changes, NULL, &rules, &arena, &st)) {
        agent_text(&text, &sota_matrix, &report);
        if (text.n > AGENT_BYTES) abort();
    }
    str_free(&text);
    arena_release(&arena);
}

static void try_event(struct view event) {
    struct json_t *root;
    struct agent_edit edit;
    struct status st;
    struct str out = {0};
    if (!jsontree_parse(&root, event, &st)) return;
    if (agent_read(&edit, root, &st)) {
        try_files(&edit);
        agent_answer(&out, root, "text");
        check_answer(&out, event.n + 256);
    }
    agent_edit_free(&edit);
    str_free(&out);
    jsontree_free(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct view text = {(const char *)data, size};
    try_message(text);
    try_event(text);
    return 0;
}
