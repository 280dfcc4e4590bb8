#include "hooks/gate/code.h"

#include <string.h>

enum language { PLAIN, C_LIKE, PYTHON };

static enum language language_of(const char *path) {
    static const char *const c_like[] = {".c",    ".h",    ".cc",   ".cpp", ".cxx", ".hpp", ".cu",
                                         ".cuh",  ".hip",  ".inc",  ".cl",  ".m",   ".mm",  ".metal",
                                         ".comp", ".glsl", ".hlsl", ".inl", NULL};
    struct view name = view_of(path);
    for (const char *const *end = c_like; *end; end++)
        if (view_ends(name, *end)) return C_LIKE;
    return view_ends(name, ".py") ? PYTHON : PLAIN;
}

/* --- writing the form that is compared
 * ----------------------------------------------------------------------- */

struct scan {
    struct view in;
    size_t at;
    struct str *out;
    bool directive; /* in a preprocessor line, where blanks and line ends mean something */
};

static char peek(const struct scan *s, size_t ahead) {
    return s->at + ahead < s->in.n ? s->in.at[s->at + ahead] : '\0';
}

static void copy(struct scan *s, size_t n) {
    if (n > s->in.n - s->at) n = s->in.n - s->at;
    str_add(s->out, s->in.at + s->at, n);
    s->at += n;
}

static char last(const struct scan *s) { return s->out->n ? s->out->at[s->out->n - 1] : '\n'; }

static void drop_blank(struct scan *s) {
    if (s->out->n && last(s) == ' ') s->out->at[--s->out->n] = '\0';
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c & 0x80);
}

static bool is_bracket(char c) { return c && strchr("(){}[];,", c); }

/* A run of blanks or comments parts two tokens: one blank, which brackets do not need outside of a directive.
 */
static void part(struct scan *s) {
    if (last(s) == ' ' || last(s) == '\n') return;
    if (!s->directive && is_bracket(last(s))) return;
    str_putc(s->out, ' ');
}

/* --- C and its kin
 * --------------------------------------------------------------------------------------------- */

/* A backslash at the end of a line joins it with the next one. */
static size_t spliced(const struct scan *s) {
    if (peek(s, 0) != '\\') return 0;
    if (peek(s, 1) == '\n') return 2;
    return peek(s, 1) == '\r' && peek(s, 2) == '\n' ? 3 : 0;
}

static void skip_line_comment(struct scan *s) {
    while (s->at < s->in.n && peek(s, 0) != '\n') {
        size_t n = spliced(s);
        s->at += n ? n : 1;
    }
}

static void skip_block_comment(struct scan *s) {
    for (s->at += 2; s->at < s->in.n; s->at++)
        if (peek(s, 0) == '*' && peek(s, 1) == '/') {
            s->at += 2;
            return;
        }
}

/* A string or character, with its quotes; one that is not closed ends with its line. */
static void copy_quoted(struct scan *s) {
    char quote = peek(s, 0);
    copy(s, 1);
    while (s->at < s->in.n && peek(s, 0) != '\n') {
        char c = peek(s, 0);
        size_t splice = spliced(s);
        copy(s, splice ? splice : c == '\\' ? 2 : 1);
        if (c == quote) return;
    }
}

/* R"mark( ... )mark": no escapes, any number of lines. */
static bool copy_raw(struct scan *s) {
    char before = s->at >= 1 ? s->in.at[s->at - 1] : '\0';
    if (before != 'R' || peek(s, 0) != '"') return false;
    size_t n = 1;
    while (n < 18 && s->at + n < s->in.n && peek(s, n) != '(') n++;
    if (peek(s, n) != '(') return false;
    char close[24] = ")";
    memcpy(close + 1, s->in.at + s->at + 1, n - 1);
    close[n] = '"';
    struct view rest = {s->in.at + s->at, s->in.n - s->at};
    const char *end = memmem(rest.at, rest.n, close, n + 1);
    if (!end) return false;
    copy(s, (size_t)(end - rest.at) + n + 1);
    return true;
}

/* 1'000'000 holds no character constants. */
static bool is_digit_separator(const struct scan *s) {
    char before = s->at ? s->in.at[s->at - 1] : '\0';
    return before >= '0' && before <= '9' && is_word(peek(s, 1));
}

static void end_of_line(struct scan *s) {
    s->at++;
    if (!s->directive) {
        part(s);
        return;
    }
    drop_blank(s);
    str_putc(s->out, '\n');
    s->directive = false;
}

static bool starts_line(const struct scan *s) {
    for (size_t i = s->at; i > 0; i--) {
        char c = s->in.at[i - 1];
        if (c == '\n') return true;
        if (c != ' ' && c != '\t') return false;
    }
    return true;
}

static void scan_c(struct scan *s) {
    while (s->at < s->in.n) {
        char c = peek(s, 0);
        size_t splice = spliced(s);
        if (splice) s->at += splice, part(s);
        else if (c == '/' && peek(s, 1) == '/') skip_line_comment(s);
        else if (c == '/' && peek(s, 1) == '*') skip_block_comment(s), part(s);
        else if (c == '\n') end_of_line(s);
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') s->at++, part(s);
        else if (c == '#' && starts_line(s)) {
            drop_blank(s);
            if (last(s) != '\n') str_putc(s->out, '\n');
            s->directive = true;
            copy(s, 1);
        } else if (c == '"' ? !copy_raw(s) : c == '\'' && !is_digit_separator(s)) copy_quoted(s);
        else if (c != '"') {
            if (!s->directive && is_bracket(c)) drop_blank(s);
            copy(s, 1);
        }
    }
    drop_blank(s);
}

/* --- Python, and everything else
 * --------------------------------------------------------------------------------- */

static bool starts_with_at(const struct scan *s, const char *text) {
    return view_starts((struct view){s->in.at + s->at, s->in.n - s->at}, text);
}

/* A text in one or three quotes; a backslash keeps the next character, in raw texts too. */
static void copy_python_text(struct scan *s) {
    char triple[4] = {peek(s, 0), peek(s, 0), peek(s, 0), '\0'};
    bool is_triple = starts_with_at(s, triple);
    size_t n = is_triple ? 3 : 1;
    copy(s, n);
    while (s->at < s->in.n && (is_triple || peek(s, 0) != '\n')) {
        bool closes = is_triple ? starts_with_at(s, triple) : peek(s, 0) == triple[0];
        copy(s, closes ? n : peek(s, 0) == '\\' ? 2 : 1);
        if (closes) return;
    }
}

static void drop_line_end(struct scan *s) {
    while (s->out->n && (last(s) == ' ' || last(s) == '\t' || last(s) == '\r'))
        s->out->at[--s->out->n] = '\0';
}

/* Indentation counts; blanks at the end of a line, empty lines and (in Python) comments do not. */
static void scan_lines(struct scan *s, bool python) {
    while (s->at < s->in.n) {
        char c = peek(s, 0);
        if (python && c == '#') {
            while (s->at < s->in.n && peek(s, 0) != '\n') s->at++;
        } else if (python && (c == '"' || c == '\'')) {
            copy_python_text(s);
        } else if (c == '\n') {
            s->at++;
            drop_line_end(s);
            if (s->out->n && last(s) != '\n') str_putc(s->out, '\n');
        } else {
            copy(s, 1);
        }
    }
    drop_line_end(s);
    if (s->out->n && last(s) == '\n') s->out->at[--s->out->n] = '\0';
}

static void normal_form(struct str *out, enum language language, struct view text) {
    struct scan scan = {.in = text, .out = out};
    if (language == C_LIKE) scan_c(&scan);
    else scan_lines(&scan, language == PYTHON);
}

bool code_same(bool *same, const char *path, struct view before, struct view after, struct status *st) {
    struct str a = {0}, b = {0};
    enum language language = language_of(path);
    normal_form(&a, language, before);
    normal_form(&b, language, after);
    bool ok = str_ok(&a, st) && str_ok(&b, st);
    *same = ok && view_equal((struct view){a.at, a.n}, (struct view){b.at, b.n});
    str_free(&a);
    str_free(&b);
    return ok;
}

static bool holds(struct view text, const char *word) { return memmem(text.at, text.n, word, strlen(word)); }

bool code_generated(struct view text) {
    enum { HEAD = 1024 };
    struct view head = {text.at, text.n < HEAD ? text.n : HEAD};
    return holds(head, "@generated") || holds(head, "autogenerated") || holds(head, "auto-generated") ||
           (holds(head, "enerated") && (holds(head, "DO NOT EDIT") || holds(head, "o not edit")));
}
