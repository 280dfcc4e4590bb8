#include "hooks/range/squashed.h"

#include <string.h>

enum { INDENT = 4 };

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/* "commit 0123...", of at least seven digits and nothing else */
static bool is_git_head(struct view line) {
    static const char word[] = "commit ";
    size_t n = 0;
    if (!view_starts(line, word)) return false;
    line = view_trim((struct view){line.at + sizeof word - 1, line.n - (sizeof word - 1)});
    while (n < line.n && is_hex(line.at[n])) n++;
    return n == line.n && n >= 7;
}

static bool is_head(struct view line) { return view_starts(line, "* ") || is_git_head(line); }

/* The lines that are indented, without their indent, and the others empty: line numbers stay. */
static bool unindent(struct view *text, struct arena *arena, struct status *st) {
    struct str out = {0};
    struct view line, rest = *text;
    while (view_line(&line, &rest)) {
        if (view_starts(line, "    ")) str_add(&out, line.at + INDENT, line.n - INDENT);
        str_putc(&out, '\n');
    }
    bool ok = str_ok(&out, st);
    char *copy = ok ? arena_copy(arena, str_c(&out), out.n, st) : NULL;
    *text = (struct view){copy, out.n};
    str_free(&out);
    return copy != NULL;
}

static bool add_part(struct squashed *out, struct view text, int line, struct arena *arena,
                     struct status *st) {
    struct view first, rest = text;
    (void)view_line(&first, &rest);
    if (is_git_head(first)) {
        if (!unindent(&text, arena, st)) return false;
    } else {
        text = (struct view){text.at + 2, text.n - 2}; /* behind the "* " */
    }
    out->at[out->n++] = (struct squashed_part){text, line};
    return true;
}

bool squashed_split(struct squashed *out, struct view message, struct arena *arena, struct status *st) {
    struct view line, rest = message, start = {0};
    size_t heads = 0;
    while (view_line(&line, &rest)) heads += is_head(line);
    *out = (struct squashed){.at = arena_alloc(arena, heads + 1, sizeof *out->at, st)};
    if (!out->at) return false;
    out->at[out->n++] = (struct squashed_part){message, 1};
    int number = 1, start_line = 0;
    rest = message;
    for (struct view from = rest; view_line(&line, &rest); from = rest, number++) {
        if (!is_head(line)) continue;
        struct view text = {start.at, start.at ? (size_t)(from.at - start.at) : 0};
        if (start.at && !add_part(out, text, start_line, arena, st)) return false;
        start = from;
        start_line = number;
    }
    return !start.at || add_part(out, start, start_line, arena, st);
}
