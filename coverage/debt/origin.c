#include "coverage/debt/origin.h"

#include <string.h>

static const char *table_of(const struct debt_gap *gap) {
    switch (gap->kind) {
    case DEBT_NO_FILE:
    case DEBT_EMPTY_GLOB: return "op_path";
    case DEBT_PLANNED: return gap->path[0] ? "op_path" : gap->detail[0] ? "witness" : "op";
    case DEBT_NO_FLOOR:
    case DEBT_NO_TEST:
    case DEBT_NO_ACCEPTANCE: return "witness";
    case DEBT_SUPPRESSION: return "suppression";
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

/* The two words that tell the row from others of its table. */
static void words_of(const char **first, const char **second, const char *table, const struct debt_gap *gap) {
    *first = gap->kind == DEBT_RUNG ? gap->detail : gap->op;
    *second = "";
    if (strcmp(table, "op_path") == 0) *second = gap->path;
    else if (strcmp(table, "witness") == 0) *second = gap->detail;
}

struct origin origin_of(const struct origins *origins, const struct debt_gap *gap) {
    if (gap->line) return (struct origin){gap->path, gap->line};
    const char *table = table_of(gap), *first, *second;
    struct str class = {0};
    words_of(&first, &second, table, gap);
    if (gap->kind == DEBT_SUPPRESSION) { /* its detail begins with the class, which is the row's first word */
        str_add(&class, gap->detail, strcspn(gap->detail, " "));
        first = str_c(&class);
        second = gap->path[0] ? gap->path : gap->op;
    }
    struct origin found = {"", 0};
    for (size_t i = 0; i < origins->n && !found.line; i++) {
        int line = find(origins->files[i].text, table, first, second);
        if (line) found = (struct origin){origins->files[i].path, line};
    }
    str_free(&class);
    return found;
}
