#include "sotadb/sql/seed_scan.h"

#include <string.h>
#include <strings.h>

void seed_scan_init(struct seed_scan *scan, const char *file, struct view text) {
    if (view_starts(text, "\xef\xbb\xbf")) text.at += 3, text.n -= 3; /* some editors' byte order mark */
    *scan = (struct seed_scan){.file = file, .at = text.at, .end = text.at + text.n, .line = 1};
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void step(struct seed_scan *scan) { scan->line += *scan->at++ == '\n'; }

static bool starts(const struct seed_scan *scan, char first, char second) {
    return scan->end - scan->at >= 2 && scan->at[0] == first && scan->at[1] == second;
}

/* Past one comment, if one starts here. */
static bool skip_comment(bool *was_one, struct seed_scan *scan, struct status *st) {
    int line = scan->line;
    *was_one = starts(scan, '-', '-') || starts(scan, '/', '*');
    if (starts(scan, '-', '-')) {
        while (scan->at < scan->end && *scan->at != '\n') scan->at++;
    } else if (*was_one) {
        scan->at += 2;
        while (scan->at < scan->end && !starts(scan, '*', '/')) step(scan);
        if (scan->at == scan->end)
            return status_fail(st, STATUS_BAD_INPUT,
                               "%s:%d: a comment starts here and never ends; close it with */", scan->file,
                               line);
        scan->at += 2;
    }
    return true;
}

static bool skip_blanks(struct seed_scan *scan, struct status *st) {
    for (bool comment = true; scan->at < scan->end;) {
        if (strchr(" \t\r\n", *scan->at) && *scan->at) {
            step(scan);
            continue;
        }
        if (!skip_comment(&comment, scan, st)) return false;
        if (!comment) break;
    }
    return true;
}

/* Past the quoted text that starts here; a doubled quote stands for itself. */
static bool skip_quoted(struct seed_scan *scan, struct status *st) {
    int line = scan->line;
    char quote = *scan->at++;
    for (;;) {
        while (scan->at < scan->end && *scan->at != quote) step(scan);
        if (scan->at == scan->end)
            return status_fail(st, STATUS_BAD_INPUT,
                               "%s:%d: a text starts here and never ends; close it with %c", scan->file, line,
                               quote);
        scan->at++;
        if (scan->at == scan->end || *scan->at != quote) return true;
        scan->at++;
    }
}

/* Past `( ... )`, which starts here. */
static bool skip_parentheses(struct view *out, struct seed_scan *scan, struct status *st) {
    const char *start = scan->at;
    int line = scan->line, depth = 0;
    bool comment;
    while (scan->at < scan->end && *scan->at != ';') {
        char c = *scan->at;
        if (c == '\'' || c == '"') {
            if (!skip_quoted(scan, st)) return false;
            continue;
        }
        if (!skip_comment(&comment, scan, st)) return false;
        if (comment) continue;
        step(scan);
        depth += (c == '(') - (c == ')');
        if (depth == 0) {
            *out = (struct view){start, (size_t)(scan->at - start)};
            return true;
        }
    }
    return status_fail(st, STATUS_BAD_INPUT, "%s:%d: a '(' opens here and is never closed; add ')'",
                       scan->file, line);
}

/* The word here, or an empty view. */
static struct view take_word(struct seed_scan *scan) {
    const char *start = scan->at;
    while (scan->at < scan->end && is_word(*scan->at)) scan->at++;
    return (struct view){start, (size_t)(scan->at - start)};
}

static bool word_is(struct view word, const char *keyword) {
    return word.n == strlen(keyword) && strncasecmp(word.at, keyword, word.n) == 0;
}

static bool bad_shape(const struct seed_scan *scan, int line, struct status *st) {
    return status_fail(
        st, STATUS_BAD_INPUT,
        "%s:%d: a seed holds only `INSERT INTO table (columns) VALUES (...), (...);`; write the row so",
        scan->file, line);
}

/* "INSERT INTO table (columns) VALUES", leaving the scan before the first tuple. */
static bool scan_head(struct seed_scan *scan, struct status *st) {
    const char *start = scan->at;
    int line = scan->line;
    struct view columns;
    static const char *const keywords[] = {"INSERT", "INTO"};
    for (int i = 0; i < 2; i++) {
        if (!word_is(take_word(scan), keywords[i])) return bad_shape(scan, line, st);
        if (!skip_blanks(scan, st)) return false;
    }
    scan->row.table = take_word(scan);
    if (!skip_blanks(scan, st)) return false;
    if (scan->row.table.n == 0 || scan->at == scan->end || *scan->at != '(') return bad_shape(scan, line, st);
    if (!skip_parentheses(&columns, scan, st) || !skip_blanks(scan, st)) return false;
    if (!word_is(take_word(scan), "VALUES")) return bad_shape(scan, line, st);
    scan->row.head = (struct view){start, (size_t)(scan->at - start)};
    scan->in_values = true;
    return true;
}

/* After a tuple: ',' and another, or ';' and the next statement. */
static bool scan_separator(struct seed_scan *scan, struct status *st) {
    if (!skip_blanks(scan, st)) return false;
    if (scan->at == scan->end || (*scan->at != ',' && *scan->at != ';'))
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%s:%d: after a row comes ',' and the next row, or ';'; the row of line %d ends otherwise",
            scan->file, scan->line, scan->row.line);
    scan->in_values = *scan->at++ == ',';
    return true;
}

bool seed_scan_next(struct seed_row *row, struct seed_scan *scan, struct status *st) {
    *row = (struct seed_row){0};
    if (!skip_blanks(scan, st)) return false;
    if (!scan->in_values) {
        if (scan->at == scan->end) return true;
        if (!scan_head(scan, st) || !skip_blanks(scan, st)) return false;
    }
    scan->row.line = scan->line;
    if (scan->at == scan->end || *scan->at != '(')
        return status_fail(st, STATUS_BAD_INPUT, "%s:%d: a row in parentheses is expected here", scan->file,
                           scan->line);
    if (!skip_parentheses(&scan->row.tuple, scan, st)) return false;
    *row = scan->row;
    return scan_separator(scan, st);
}

void seed_scan_first_text(struct str *out, struct view tuple) {
    struct view rest = view_trim((struct view){tuple.at + 1, tuple.n - 1});
    if (rest.n == 0 || rest.at[0] != '\'') return;
    for (size_t i = 1; i < rest.n; i++) {
        if (rest.at[i] == '\'' && (i + 1 == rest.n || rest.at[++i] != '\'')) return;
        str_putc(out, rest.at[i]);
    }
}
