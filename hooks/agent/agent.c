#include "hooks/agent/agent.h"

#include <string.h>

/* --- which files -------------------------------------------------------------------------------------------
 */

static void add_file(struct agent_edit *edit, const char *name, size_t n) {
    if (n == 0 || edit->n_files == AGENT_FILES) return;
    for (const char *at = str_c(&edit->files), *end = at + edit->files.n; at < end; at += strlen(at) + 1)
        if (strlen(at) == n && memcmp(at, name, n) == 0) return;
    str_add(&edit->files, name, n);
    str_putc(&edit->files, '\0');
    edit->n_files++;
}

static void add_member(struct agent_edit *edit, const struct json_t *object, const char *key) {
    const char *text = jsontree_text(jsontree_get(object, key));
    if (text) add_file(edit, text, strlen(text));
}

/* "*** Update File: a.c": the lines of a patch as Codex writes it. */
static void add_patch(struct agent_edit *edit, const char *patch) {
    static const char *const heads[] = {
        "*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", NULL};
    struct view line, rest = view_of(patch);
    while (view_line(&line, &rest))
        for (const char *const *head = heads; *head; head++) {
            if (!view_starts(line, *head)) continue;
            struct view name = view_trim((struct view){line.at + strlen(*head), line.n - strlen(*head)});
            add_file(edit, name.at, name.n);
        }
}

/* The arguments of a tool: an object, or a patch. */
static void add_arguments(struct agent_edit *edit, const struct json_t *arguments) {
    static const char *const names[] = {"file_path",     "filePath",    "path",     "notebook_path",
                                        "absolute_path", "target_file", "filename", NULL};
    static const char *const patches[] = {"command", "input", "patch", NULL};
    const char *text = jsontree_text(arguments);
    if (text) add_patch(edit, text);
    for (const char *const *name = names; *name; name++) add_member(edit, arguments, *name);
    for (const char *const *patch = patches; *patch; patch++) {
        const struct json_t *member = jsontree_get(arguments, *patch);
        if (jsontree_text(member)) add_patch(edit, jsontree_text(member));
        for (size_t i = 0; i < jsontree_count(member); i++)
            if (jsontree_text(jsontree_at(member, i))) add_patch(edit, jsontree_text(jsontree_at(member, i)));
    }
    for (const char *const *list = (const char *const[]){"edits", "files", "paths", NULL}; *list; list++) {
        const struct json_t *member = jsontree_get(arguments, *list);
        for (size_t i = 0; i < jsontree_count(member); i++) {
            const struct json_t *item = jsontree_at(member, i);
            if (jsontree_text(item) && strcmp(*list, "edits") != 0)
                add_file(edit, jsontree_text(item), strlen(jsontree_text(item)));
            for (const char *const *name = names; *name; name++) add_member(edit, item, *name);
        }
    }
}

/* Arguments that are JSON within a text. */
static bool add_encoded(struct agent_edit *edit, const struct json_t *event, const char *key) {
    const char *text = jsontree_text(jsontree_get(event, key));
    struct json_t *inner;
    if (!text || text[0] != '{' || !jsontree_parse(&inner, view_of(text), NULL)) return false;
    add_arguments(edit, inner);
    jsontree_free(inner);
    return true;
}

bool agent_read(struct agent_edit *out, const struct json_t *event, struct status *st) {
    static const char *const arguments[] = {"tool_input", "toolInput", "toolArgs",   "tool_args",
                                            "tool_info",  "arguments", "parameters", NULL};
    *out = (struct agent_edit){.cwd = jsontree_text(jsontree_get(event, "cwd"))};
    for (const char *const *roots = (const char *const[]){"workspace_roots", "workspaceRoots", NULL}; *roots;
         roots++)
        if (!out->cwd) out->cwd = jsontree_text(jsontree_at(jsontree_get(event, *roots), 0));
    add_member(out, event, "file_path");
    for (const char *const *key = arguments; *key; key++)
        if (!add_encoded(out, event, *key)) add_arguments(out, jsontree_get(event, *key));
    for (const char *const *stage = (const char *const[]){"preToolUse", "postToolUse", NULL}; *stage; stage++)
        add_arguments(out, jsontree_get(jsontree_get(event, *stage), "parameters"));
    return str_ok(&out->files, st);
}

void agent_edit_free(struct agent_edit *edit) { str_free(&edit->files); }

/* --- what to say -------------------------------------------------------------------------------------------
 */

static const struct witness *witness_there(const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->witnesses.n; i++)
        if (!m->witnesses[op->witnesses.first + i].planned) return &m->witnesses[op->witnesses.first + i];
    return NULL;
}

static void say_finding(struct str *out, const struct matrix *m, const struct finding *finding) {
    const struct op *op = finding->op;
    const struct witness *witness = witness_there(m, op);
    str_printf(out, "- %s (%s)", op->slug, route_name(op->route));
    if (finding->reference)
        str_printf(out, ": read %s %s", finding->reference->name, finding->reference->url);
    if (witness) {
        str_printf(out, "; prove: `fak witness %s`", op->slug);
        if (witness->state != FLOOR_NONE) str_printf(out, " (%s >= %g)", witness->metric, witness->floor);
    } else {
        str_printf(out, "; its oracle is not there yet: `fak sota %s`", op->slug);
    }
    str_putc(out, '\n');
}

/* How the text ends; the trailer where one line can name it, and where there is room for it. */
static void say_end(struct str *out, const struct gate_report *report, size_t shown) {
    const char *trailer = report->findings[0].trailer;
    if (shown < report->n) str_printf(out, "- and %zu more: `fak gate` lists them\n", report->n - shown);
    str_printf(out, "Details: `fak sota %s`. End the commit message with: ", report->findings[0].op->slug);
    bool fits = report->n == 1 && out->n + strlen(trailer) <= AGENT_BYTES;
    str_puts(out, fits ? trailer : "Prior-art: NAME; what was read");
}

void agent_text(struct str *out, const struct matrix *m, const struct gate_report *report) {
    enum { ROOM_FOR_END = 240 };
    struct str line = {0};
    size_t shown = 0;
    if (report->n == 0) return;
    str_puts(out, "This file holds a kernel with known prior art. Before writing it anew:\n");
    for (; shown < report->n; shown++) {
        const struct op *op = report->findings[shown].op;
        str_clear(&line);
        say_finding(&line, m, &report->findings[shown]);
        if (out->n + line.n > AGENT_BYTES - ROOM_FOR_END) {
            if (shown) break;
            str_clear(&line);
            str_printf(&line, "- %s (%s)\n", op->slug, route_name(op->route));
        }
        str_add(out, str_c(&line), line.n);
    }
    say_end(out, report, shown);
    out->failed |= line.failed;
    str_free(&line);
}

void agent_answer(struct str *out, const struct json_t *event, const char *text) {
    const char *name = jsontree_text(jsontree_get(event, "hook_event_name"));
    struct jsonout json;
    jsonout_init(&json, out, 0);
    jsonout_begin_object(&json);
    if (!*text) {
        /* nothing to say is an empty object: every one of them takes it for "go on" */
    } else if (name && name[0] >= 'a' && name[0] <= 'z') {
        jsonout_pair_string(&json, "additional_context", text);
    } else if (!name && jsontree_get(event, "toolName")) {
        jsonout_pair_string(&json, "additionalContext", text);
    } else if (!name && (jsontree_get(event, "clineVersion") || jsontree_get(event, "hookName"))) {
        jsonout_pair_string(&json, "contextModification", text);
    } else {
        jsonout_key(&json, "hookSpecificOutput");
        jsonout_begin_object(&json);
        jsonout_pair_string(&json, "hookEventName", name ? name : "PostToolUse");
        jsonout_pair_string(&json, "additionalContext", text);
        jsonout_end_object(&json);
    }
    jsonout_end_object(&json);
    str_putc(out, '\n');
}
