#include "hooks/gate/code.h"

#include "coverage/scan/scan_language.h"

#include <stdint.h>
#include <string.h>

enum language {
    PLAIN,
    C_LIKE,
    WGSL, /* as C, but comments nest and no backslash joins lines */
    PYTHON,
    GAS,     /* assembly as the C preprocessor leaves it: .s */
    GAS_CPP, /* before it: .S */
    NASM,    /* and MASM: .asm */
};

/* The scanner's languages, so that what is found is also compared; a template's text is no language's yet. */
static enum language language_of(const char *path) {
    struct view name = view_of(path);
    if (view_ends(name, ".m") || view_ends(name, ".mm")) return C_LIKE;
    if (scan_language_of_template(path)) return PLAIN;
    switch (scan_language_of(path)) {
    case SCAN_NONE: return PLAIN;
    case SCAN_WGSL: return WGSL;
    case SCAN_PYTHON:
    case SCAN_TRITON:
    case SCAN_CUTE:
    case SCAN_CUTILE: return PYTHON;
    case SCAN_ASM:
        if (view_ends(name, ".ptx")) return C_LIKE;
        return view_ends(name, ".asm") ? NASM : view_ends(name, ".S") ? GAS_CPP : GAS;
    default: return C_LIKE;
    }
}

static bool is_assembly(enum language language) { return language >= GAS; }
static bool is_like_c(enum language language) { return language == C_LIKE || language == WGSL; }

/* --- writing the form that is compared --- */

struct scan {
    struct view in;
    size_t at;
    struct str *out;
    enum language language;
    bool directive;  /* in a preprocessor line, where blanks and line ends mean something */
    bool in_line;    /* C: a token stands before this one in its line; comments and joined lines are none */
    bool looked_far; /* what was written depends on text far behind `at` */
};

static char peek(const struct scan *s, size_t ahead) {
    return s->at + ahead < s->in.n ? s->in.at[s->at + ahead] : '\0';
}

static void copy(struct scan *s, size_t n) {
    if (n > s->in.n - s->at) n = s->in.n - s->at;
    if (s->out) str_add(s->out, s->in.at + s->at, n);
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

static bool is_bracket(char c) {
    switch (c) {
    case '(':
    case ')':
    case '{':
    case '}':
    case '[':
    case ']':
    case ';':
    case ',': return true;
    default: return false;
    }
}

/* A run of blanks or comments parts two tokens: one blank, which brackets do not need outside of a directive.
 */
static void part(struct scan *s) {
    if (last(s) == ' ' || last(s) == '\n') return;
    if (!s->directive && is_bracket(last(s))) return;
    str_putc(s->out, ' ');
}

/* --- C and its kin --- */

/* A backslash at the end of a line joins it with the next one. */
static size_t spliced(const struct scan *s) {
    if (peek(s, 0) != '\\' || (s->language != C_LIKE && s->language != GAS_CPP)) return 0;
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
    size_t depth = 1;
    for (s->at += 2; s->at < s->in.n && depth; s->at++) {
        bool closes = peek(s, 0) == '*' && peek(s, 1) == '/';
        bool opens = s->language == WGSL && peek(s, 0) == '/' && peek(s, 1) == '*';
        if (!closes && !opens) continue;
        depth = closes ? depth - 1 : depth + 1;
        s->at++;
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
    s->looked_far |= !end;
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
    s->in_line = false;
    if (!s->directive) {
        part(s);
        return;
    }
    drop_blank(s);
    str_putc(s->out, '\n');
    s->directive = false;
}

static void copy_words(struct scan *s) {
    size_t n = 1;
    while (s->at + n < s->in.n && is_word(s->in.at[s->at + n])) n++;
    copy(s, n);
}

static void step_token(struct scan *s) {
    char c = peek(s, 0);
    bool first = !s->in_line;
    s->in_line = true;
    /* 1'000 and R"( look back at what is copied: a word ends before a quote in any case */
    if (is_word(c)) copy_words(s);
    else if (c == '#' && first) {
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

/* One token, comment or blank. */
static void step_c(struct scan *s) {
    char c = peek(s, 0);
    size_t splice = spliced(s);
    if (splice) s->at += splice, part(s);
    else if (c == '/' && peek(s, 1) == '/') skip_line_comment(s);
    else if (c == '/' && peek(s, 1) == '*') skip_block_comment(s), part(s);
    else if (c == '\n') end_of_line(s);
    else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') s->at++, part(s);
    else step_token(s);
}

/* --- Python, and everything else --- */

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
static void step_line(struct scan *s, bool python) {
    char c = peek(s, 0);
    if (is_word(c)) {
        copy_words(s);
    } else if (python && c == '#') {
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

/* --- assembly: a line is a statement, and what starts a comment depends on the assembler. '#' in the middle
 * of a line is a comment on x86 and a number on Arm: it stays. */

static bool starts_line(const struct scan *s) {
    for (size_t i = s->at; i > 0; i--) {
        char c = s->in.at[i - 1];
        if (c == '\n') return true;
        if (c != ' ' && c != '\t') return false;
    }
    return true;
}

static bool skip_asm_comment(struct scan *s) {
    bool gas = s->language != NASM;
    if (gas && starts_with_at(s, "/*")) skip_block_comment(s);
    else if (gas ? starts_with_at(s, "//") || (s->language == GAS && peek(s, 0) == '#' && starts_line(s))
                 : peek(s, 0) == ';')
        skip_line_comment(s);
    else return false;
    return true;
}

/* NASM has no escapes between these quotes; in GAS a ' stands before one character. */
static bool copy_asm_text(struct scan *s) {
    char quote = peek(s, 0);
    if (quote != '"' && quote != '\'') return false;
    if (s->language != NASM) {
        if (quote == '"') copy_quoted(s);
        else copy(s, peek(s, 1) == '\\' ? 3 : peek(s, 1) == '\n' ? 1 : 2);
        return true;
    }
    size_t n = 1;
    while (s->at + n < s->in.n && peek(s, n) != '\n' && peek(s, n) != quote) n++;
    copy(s, peek(s, n) == quote ? n + 1 : n);
    return true;
}

static void step_asm(struct scan *s) {
    char c = peek(s, 0);
    s->directive = true; /* blanks part tokens, and line ends count */
    if (is_word(c)) {
        copy_words(s);
    } else if (skip_asm_comment(s)) {
        part(s);
    } else if (copy_asm_text(s)) {
        return;
    } else if (c == '\n') {
        s->at++;
        drop_line_end(s);
        if (s->out->n && last(s) != '\n') str_putc(s->out, '\n');
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        s->at++;
        part(s);
    } else {
        copy(s, 1);
    }
}

static void step(struct scan *s) {
    if (is_like_c(s->language)) step_c(s);
    else if (is_assembly(s->language)) step_asm(s);
    else step_line(s, s->language == PYTHON);
}

/* --- comparing
 * ---------------------------------------------------------------------------------------------- Two versions
 * of a file have most of it in common. What is before the first difference is scanned once, and what is
 * behind the last one not at all when both scans arrive there alike. */

enum { AHEAD = 4 }; /* bytes that a step looks at behind its own */

static size_t common_prefix(struct view a, struct view b) {
    enum { BLOCK = 64 };
    size_t n = a.n < b.n ? a.n : b.n, i = 0;
    while (i + BLOCK <= n && memcmp(a.at + i, b.at + i, BLOCK) == 0) i += BLOCK;
    while (i < n && a.at[i] == b.at[i]) i++;
    return i;
}

/* Whole lines: a step looks back to the start of its line. */
static size_t common_suffix(struct view a, struct view b, size_t prefix) {
    size_t n = (a.n < b.n ? a.n : b.n) - prefix, i = 0;
    while (i < n && a.at[a.n - 1 - i] == b.at[b.n - 1 - i]) i++;
    const char *start = a.at + (a.n - i), *line = i ? memchr(start, '\n', i) : NULL;
    return line ? i - (size_t)(line + 1 - start) : 0;
}

static bool may_open(char c, enum language language) {
    switch (c) {
    case '\n': return true;
    case '/': return is_like_c(language) || is_assembly(language);
    case '#': return language == PYTHON || language == GAS;
    case ';': return language == NASM;
    case '"':
    case '\'': return language != PLAIN;
    default: return false;
    }
}

/* Past a comment, a text in quotes, or one character. */
static void skip(struct scan *s) {
    char c = peek(s, 0);
    if (is_assembly(s->language)) {
        if (!skip_asm_comment(s) && !copy_asm_text(s)) s->at++;
    } else if (s->language == PYTHON && c == '#')
        while (s->at < s->in.n && peek(s, 0) != '\n') s->at++;
    else if (s->language == PYTHON && c != '\n') copy_python_text(s);
    else if (c == '/' && peek(s, 1) == '/') skip_line_comment(s);
    else if (c == '/' && peek(s, 1) == '*') skip_block_comment(s);
    else if (c == '\'' && !is_digit_separator(s)) copy_quoted(s);
    else if (c == '"' && !copy_raw(s)) copy_quoted(s);
    else if (c != '"') s->at++;
}

static bool ends_spliced(const struct scan *s) {
    size_t n = s->at;
    if (s->language != C_LIKE && s->language != GAS_CPP) return false;
    if (n && s->in.at[n - 1] == '\r') n--;
    return n && s->in.at[n - 1] == '\\';
}

/* The start of the last line in the common prefix that begins in no comment and no text, whatever follows. */
static size_t find_line(struct view text, size_t prefix, enum language language) {
    struct scan s = {.in = text, .language = language};
    size_t place = 0;
    while (!s.looked_far && s.at + AHEAD <= prefix) {
        char c = text.at[s.at];
        if (!may_open(c, language)) {
            s.at++;
            continue;
        }
        bool starts = c == '\n' && !ends_spliced(&s);
        skip(&s);
        if (starts && s.at <= prefix) place = s.at;
    }
    return place;
}

/* At the start of a line nothing that was written before has a say any more. */
static void begin_at(struct scan *s, size_t at, struct view in, struct str *out, enum language language) {
    *s = (struct scan){.in = in, .at = at, .out = out, .language = language};
    if (at) str_putc(out, '\n');
}

/* Until the input's `end`, or until `room` bytes are written. */
static void scan_to(struct scan *s, size_t end, size_t room) {
    while (s->at < end && s->out->n < room && !s->out->failed) step(s);
}

static struct view settled(const struct scan *s) {
    struct view text = {s->out->at, s->out->n};
    while (text.n && strchr(" \t\r\n", text.at[text.n - 1])) text.n--;
    return text;
}

/* Do they differ in what no later step can take back? */
static bool are_apart(const struct scan *a, const struct scan *b) {
    struct view x = settled(a), y = settled(b);
    size_t n = x.n < y.n ? x.n : y.n;
    return n && memcmp(x.at, y.at, n) != 0;
}

/* Both to what they have in common at their ends, in ever longer strides; false as soon as they are apart. */
static bool scan_middle(struct scan *a, struct scan *b, size_t suffix) {
    size_t end_a = a->in.n - suffix, end_b = b->in.n - suffix;
    for (size_t room = 256; a->at < end_a || b->at < end_b; room *= 2) {
        scan_to(a, end_a, room);
        scan_to(b, end_b, room);
        if (a->out->failed || b->out->failed || are_apart(a, b)) return false;
    }
    return true;
}

static bool are_alike(const struct scan *a, const struct scan *b) {
    return a->in.n - a->at == b->in.n - b->at && a->directive == b->directive && a->in_line == b->in_line &&
           !a->looked_far && !b->looked_far &&
           view_equal((struct view){a->out->at, a->out->n}, (struct view){b->out->at, b->out->n});
}

/* The same, when the end of both is scanned too? */
static bool are_same(struct scan *a, struct scan *b, size_t suffix) {
    if (!scan_middle(a, b, suffix)) return false;
    if (are_alike(a, b)) return true;
    scan_to(a, a->in.n, SIZE_MAX);
    scan_to(b, b->in.n, SIZE_MAX);
    return view_equal(settled(a), settled(b));
}

bool code_same(bool *same, const char *path, struct view before, struct view after, struct status *st) {
    struct str x = {0}, y = {0};
    struct scan a, b;
    enum language language = language_of(path);
    size_t prefix = common_prefix(before, after), suffix = common_suffix(before, after, prefix);
    size_t line = find_line(before, prefix, language);
    begin_at(&a, line, before, &x, language);
    begin_at(&b, line, after, &y, language);
    *same = are_same(&a, &b, suffix);
    bool ok = str_ok(&x, st) && str_ok(&y, st);
    str_free(&x);
    str_free(&y);
    return ok;
}

/* --- generated files --- */

static bool holds(struct view text, const char *word) { return memmem(text.at, text.n, word, strlen(word)); }

bool code_generated(struct view text) {
    enum { HEAD = 1024 };
    struct view head = {text.at, text.n < HEAD ? text.n : HEAD};
    return holds(head, "@generated") || holds(head, "autogenerated") || holds(head, "auto-generated") ||
           (holds(head, "enerated") && (holds(head, "DO NOT EDIT") || holds(head, "o not edit")));
}
