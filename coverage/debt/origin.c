#include "coverage/debt/origin.h"

#include <string.h>

static const char *table_of(const struct debt_gap *gap) {
    switch (gap->kind) {
    case DEBT_NO_FILE:
    case DEBT_EMPTY_GLOB: return "op_path";
    case DEBT_PLANNED: return gap->path[0] ? "op_path" : gap->detail[0] ? "witness" : "op";
    case DEBT_NO_TEST:
    case DEBT_NO_ACCEPTANCE: return "witness";
    case DEBT_RUNG: return "ladder";
    default: return "op";
    }
}

/* Does the line begin a statement, and is it one that fills `table`? Else what held before holds on. */
static bool follows(struct view line, const char *table, bool within) {
    line = view_trim(line);
    if (!view_starts(line, "INSERT INTO ")) return within;
    struct view rest = view_trim((struct view){line.at + 12, line.n - 12});
    size_t n = strlen(table);
    return view_starts(rest, table) && (rest.n == n || rest.at[n] == ' ' || rest.at[n] == '(');
}

static bool holds(struct view line, const char *head, const char *word, const char *tail) {
    struct str text = {0};
    str_printf(&text, "%s'%s'%s", head, word, tail);
    bool found = !text.failed && line.n >= text.n && memmem(line.at, line.n, str_c(&text), text.n);
    str_free(&text);
    return found;
}

static int find(struct view text, const char *table, const char *first, const char *second) {
    struct view line, rest = text;
    bool within = false;
    for (int n = 1; view_line(&line, &rest); n++) {
        within = follows(line, table, within);
        if (within && holds(line, "(", first, "") && (!second[0] || holds(line, "", second, ""))) return n;
    }
    return 0;
}

struct origin origin_of(const struct origins *origins, const struct debt_gap *gap) {
    if (gap->kind == DEBT_UNCOVERED) return (struct origin){gap->path, gap->line};
    const char *table = table_of(gap);
    const char *first = gap->kind == DEBT_RUNG ? gap->detail : gap->op;
    bool by_path = strcmp(table, "op_path") == 0;
    const char *second = by_path ? gap->path : strcmp(table, "witness") == 0 ? gap->detail : "";
    for (size_t i = 0; i < origins->n; i++) {
        int line = find(origins->files[i].text, table, first, second);
        if (line) return (struct origin){origins->files[i].path, line};
    }
    return (struct origin){"", 0};
}
