/* jinja_lex: text to tokens, with the white-space rules of trim_blocks and lstrip_blocks. */
#include "base/utf8.h"
#include "engine/token/jinja_ast.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BRACKETS = 512 };

struct lexer {
    struct jinja *j;
    const char *at; /* the source: newlines are \n, the last one is gone */
    size_t n, i;
    struct token *tokens;
    size_t n_tokens, room;
    char brackets[MAX_BRACKETS]; /* the closing ones that are awaited */
    int n_brackets;
    bool at_line_start;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
static bool looking_at(const struct lexer *l, size_t i, const char *text) {
    size_t n = strlen(text);
    return n <= l->n - i && memcmp(l->at + i, text, n) == 0;
}

static bool add(struct lexer *l, enum token_kind kind, int op) {
    if (!jinja_grow(l->j, (void **)&l->tokens, l->n_tokens, &l->room, sizeof *l->tokens)) return false;
    l->tokens[l->n_tokens++] = (struct token){.kind = kind, .line = l->j->line, .op = op};
    return true;
}

/* Steps over n bytes and counts their lines. */
static void skip(struct lexer *l, size_t n) {
    for (size_t end = l->i + n; l->i < end; l->i++) l->j->line += l->at[l->i] == '\n';
    if (n) l->at_line_start = l->at[l->i - 1] == '\n';
}

static void skip_space(struct lexer *l) {
    struct text text = {.at = l->at, .n = l->n};
    for (size_t n; l->i < l->n && jinja_is_space(jinja_text_char(&text, l->i, &n));) skip(l, n);
}

static bool set_text(struct lexer *l, const char *at, size_t n) {
    struct text *text = jinja_alloc(l->j, 1, sizeof *text);
    if (!text) return false;
    *text = (struct text){.at = at, .n = n};
    l->tokens[l->n_tokens - 1].text = text;
    return true;
}

/* --- names, numbers, texts, operators ------------------------------------------------------------------ */

static bool lex_name(struct lexer *l) {
    size_t n = 0;
    while (l->i + n < l->n && is_name_char(l->at[l->i + n])) n++;
    const struct text *name = jinja_intern(l->j, (struct view){l->at + l->i, n});
    if (!name || !add(l, TOKEN_NAME, 0)) return false;
    l->tokens[l->n_tokens - 1].text = name;
    skip(l, n);
    return true;
}

/* How many bytes of digits, single underscores between them, begin at i. */
static size_t digits(const struct lexer *l, size_t i) {
    size_t n = 0;
    while (i + n < l->n && (is_digit(l->at[i + n]) ||
                            (n && l->at[i + n] == '_' && i + n + 1 < l->n && is_digit(l->at[i + n + 1]))))
        n++;
    return n;
}

/* Length of the fraction and exponent behind whole digits; 0: it is an integer. After a dot there are none.
 */
static size_t fraction(const struct lexer *l, size_t i) {
    size_t n = 0, more;
    if (l->i && l->at[l->i - 1] == '.') return 0;
    if (i < l->n && l->at[i] == '.' && (more = digits(l, i + 1))) n = 1 + more;
    if (i + n < l->n && (l->at[i + n] | 32) == 'e') {
        size_t sign = i + n + 1 < l->n && (l->at[i + n + 1] == '+' || l->at[i + n + 1] == '-');
        if ((more = digits(l, i + n + 1 + sign))) n += 1 + sign + more;
    }
    return n;
}

static size_t radix_digits(const struct lexer *l, int *base) {
    size_t n = 2;
    *base = 10;
    if (l->i + 1 >= l->n || l->at[l->i] != '0') return 0;
    char letter = (char)(l->at[l->i + 1] | 32);
    *base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    if (*base == 10) return 0;
    for (; l->i + n < l->n; n++) {
        char c = l->at[l->i + n];
        int digit = is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
        if (c != '_' && digit >= *base) break;
    }
    return n > 2 ? n : 0;
}

static bool lex_number(struct lexer *l) {
    char plain[512];
    int base;
    size_t n = radix_digits(l, &base), part = 0, k = 0;
    if (!n) {
        base = 10;
        n = digits(l, l->i);
        part = fraction(l, l->i + n);
    }
    for (size_t i = 0; i < n + part && k < sizeof plain - 1; i++)
        if (l->at[l->i + i] != '_') plain[k++] = l->at[l->i + i];
    plain[k] = 0;
    if (!add(l, TOKEN_NUMBER, 0)) return false;
    struct value *number = &l->tokens[l->n_tokens - 1].number;
    const char *start = base == 10 ? plain : plain + 2;
    if (part) *number = jinja_float(strtod(plain, NULL));
    else {
        *number = (struct value){.kind = VALUE_INT};
        if (!jinja_parse_int(&number->i, view_of(start), base))
            return jinja_fail(l->j, TEMPLATE_OVERFLOW, "the number %.40s has more than 127 bits", plain);
    }
    skip(l, n + part);
    return true;
}

static int hex_of(const struct lexer *l, size_t i, size_t n) {
    int value = 0;
    for (size_t k = 0; k < n; k++) {
        char c = i + k < l->n ? l->at[i + k] : 'x';
        int digit = is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (digit < 0 || value > 0x10FFFF) return -1;
        value = 16 * value + digit;
    }
    return value;
}

/* The escape at i (behind the backslash) into b; *used bytes of it. */
static bool lex_escape(struct lexer *l, struct jinja_builder *b, size_t i, size_t *used) {
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    char c = l->at[i], bytes[4];
    const char *known = memchr(from, c, sizeof from - 1);
    *used = 1;
    if (c == '\n') return true; /* continues the line */
    if (known) {
        jinja_add(b, to + (known - from), NULL, 1);
        return true;
    }
    size_t n = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    int code = -1;
    if (n) {
        code = hex_of(l, i + 1, n);
        *used = 1 + n;
        if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
            return jinja_fail(l->j, TEMPLATE_SYNTAX,
                              "the escape \\%c needs %zu hexadecimal digits of a character", c, n);
    } else if (c >= '0' && c <= '7') {
        code = 0;
        for (*used = 0; *used < 3 && i + *used < l->n && l->at[i + *used] >= '0' && l->at[i + *used] <= '7';
             ++*used)
            code = 8 * code + l->at[i + *used] - '0';
    }
    if (code >= 0) jinja_add(b, bytes, NULL, utf8_encode(bytes, (uint32_t)code));
    else {
        jinja_add(b, "\\", NULL, 1);
        *used = 0;
    }
    return true;
}

static bool lex_text(struct lexer *l) {
    struct jinja_builder b = {.j = l->j};
    size_t i = l->i + 1, from = i, used;
    char quote = l->at[l->i];
    for (;;) {
        if (i >= l->n)
            return jinja_fail(l->j, TEMPLATE_SYNTAX,
                              "unexpected char '%c': the text it opens is never closed", quote);
        if (l->at[i] != '\\' && l->at[i] != quote) {
            i++;
            continue;
        }
        jinja_add(&b, l->at + from, NULL, i - from);
        if (l->at[i] == quote) break;
        if (i + 1 >= l->n) {
            i++;
            continue;
        }
        if (!lex_escape(l, &b, i + 1, &used)) return false;
        from = i += 1 + used;
    }
    const struct text *text;
    if (!add(l, TOKEN_TEXT, 0) || !jinja_built_text(&text, &b, false)) return false;
    l->tokens[l->n_tokens - 1].text = text;
    skip(l, i + 1 - l->i);
    return true;
}

static bool lex_bracket(struct lexer *l, char c) {
    char closing = c == '{' ? '}' : c == '(' ? ')' : c == '[' ? ']' : 0;
    if (closing) {
        if (l->n_brackets == MAX_BRACKETS)
            return jinja_fail(l->j, TEMPLATE_LIMIT, "more than %d brackets in each other", MAX_BRACKETS);
        l->brackets[l->n_brackets++] = closing;
    } else if (c == '}' || c == ')' || c == ']') {
        if (l->n_brackets == 0) return jinja_fail(l->j, TEMPLATE_SYNTAX, "unexpected '%c'", c);
        char wanted = l->brackets[--l->n_brackets];
        if (wanted != c)
            return jinja_fail(l->j, TEMPLATE_SYNTAX, "unexpected '%c', expected '%c'", c, wanted);
    }
    return true;
}

static bool lex_operator(struct lexer *l) {
    static const char *const pairs[] = {"//", "**", "==", "!=", ">=", "<="};
    char c = l->at[l->i];
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        if (!looking_at(l, l->i, pairs[k])) continue;
        if (!add(l, TOKEN_OPERATOR, JINJA_OP(pairs[k][0], pairs[k][1]))) return false;
        skip(l, 2);
        return true;
    }
    if (c == 0 || !strchr("+-/*%~[](){}><=.:|,;", c))
        return jinja_fail(l->j, TEMPLATE_SYNTAX, "unexpected char '%c' at %zu", c < ' ' ? '?' : c, l->i);
    if (!lex_bracket(l, c) || !add(l, TOKEN_OPERATOR, c)) return false;
    skip(l, 1);
    return true;
}

/* --- tags ---------------------------------------------------------------------------------------------- */

/* Length of the tag's end at i, with its sign, or 0. */
static size_t end_at(const struct lexer *l, size_t i, char close, bool plus) {
    size_t sign = i < l->n && (l->at[i] == '-' || (plus && l->at[i] == '+'));
    return i + sign + 1 < l->n && l->at[i + sign] == close && l->at[i + sign + 1] == '}' ? sign + 2 : 0;
}

/* Steps over a tag's end and the white space that goes with it. */
static void skip_end(struct lexer *l, size_t length, bool trims) {
    char sign = l->at[l->i];
    skip(l, length);
    if (sign == '-') skip_space(l);
    else if (trims && sign != '+' && l->i < l->n && l->at[l->i] == '\n') skip(l, 1);
}

/* What is between {{ and }}, or {% and %}. */
static bool lex_tag(struct lexer *l, bool block) {
    l->n_brackets = 0;
    for (;;) {
        skip_space(l);
        if (l->i >= l->n) return true; /* the parser says what is missing */
        size_t end = l->n_brackets ? 0 : end_at(l, l->i, block ? '%' : '}', block);
        if (end) {
            if (!add(l, block ? TOKEN_BLOCK_END : TOKEN_PRINT_END, 0)) return false;
            skip_end(l, end, block);
            return true;
        }
        char c = l->at[l->i];
        if (is_digit(c)             ? !lex_number(l)
            : is_name_char(c)       ? !lex_name(l)
            : c == '\'' || c == '"' ? !lex_text(l)
                                    : !lex_operator(l))
            return false;
    }
}

static bool lex_comment(struct lexer *l) {
    for (size_t i = l->i; i + 1 < l->n; i++) {
        size_t end = end_at(l, i, '#', true);
        if (!end) continue;
        skip(l, i - l->i);
        skip_end(l, end, true);
        return true;
    }
    return jinja_fail(l->j, TEMPLATE_SYNTAX, "Missing end of comment tag");
}

/* Text up to `end`, cut as the sign of the tag behind it says. */
static bool add_data(struct lexer *l, size_t end, char sign, bool strips) {
    struct text text = {.at = l->at + l->i, .n = end - l->i};
    size_t start, stop;
    jinja_text_strip(&text, NULL, false, true, &start, &stop);
    if (sign != '-') {
        const char *newline = memrchr(text.at, '\n', text.n);
        size_t line = newline ? (size_t)(newline - text.at) + 1 : 0;
        bool blank = (line > 0 || l->at_line_start) && stop <= line;
        stop = sign != '+' && strips && blank ? line : text.n;
    }
    if (stop && (!add(l, TOKEN_DATA, 0) || !set_text(l, text.at, stop))) return false;
    skip(l, text.n);
    return true;
}

/* Length of `word` and a block's end behind a block's begin at i, white space allowed; 0: it is not that. */
static size_t raw_tag(const struct lexer *l, size_t i, const char *word, size_t *end, size_t *sign) {
    struct text text = {.at = l->at, .n = l->n};
    size_t from = i, n;
    if (!looking_at(l, i, "{%")) return 0;
    i += 2;
    *sign = i < l->n && (l->at[i] == '-' || l->at[i] == '+');
    i += *sign;
    while (i < l->n && jinja_is_space(jinja_text_char(&text, i, &n))) i += n;
    if (!looking_at(l, i, word)) return 0;
    i += strlen(word);
    while (i < l->n && jinja_is_space(jinja_text_char(&text, i, &n))) i += n;
    *end = end_at(l, i, '%', true);
    return *end ? i - from : 0;
}

static bool lex_raw(struct lexer *l) {
    size_t end, sign, n;
    for (size_t i = l->i; i + 1 < l->n; i++) {
        if (!(n = raw_tag(l, i, "endraw", &end, &sign))) continue;
        if (!add_data(l, i, sign ? l->at[i + 2] : 0, true)) return false;
        skip(l, n);
        skip_end(l, end, true);
        return true;
    }
    return jinja_fail(l->j, TEMPLATE_SYNTAX, "Missing end of raw directive");
}

static bool lex_source(struct lexer *l) {
    while (l->i < l->n) {
        size_t i = l->i, end, sign, n;
        while (i + 1 < l->n && !(l->at[i] == '{' && strchr("%{#", l->at[i + 1]) && l->at[i + 1])) i++;
        if (i + 1 >= l->n) return add_data(l, l->n, '+', false);
        char kind = l->at[i + 1], mark = i + 2 < l->n ? l->at[i + 2] : 0;
        if (mark != '-' && mark != '+') mark = 0;
        if (!add_data(l, i, mark, kind != '{')) return false;
        if (kind == '%' && (n = raw_tag(l, i, "raw", &end, &sign)) && l->at[i + n] != '+') {
            skip(l, n);
            skip_end(l, end, false);
            if (!lex_raw(l)) return false;
            continue;
        }
        if (kind != '#' && !add(l, kind == '%' ? TOKEN_BLOCK_BEGIN : TOKEN_PRINT_BEGIN, 0)) return false;
        skip(l, mark ? 3 : 2);
        if (kind == '#' ? !lex_comment(l) : !lex_tag(l, kind == '%')) return false;
    }
    return true;
}

/* The source with \r\n and \r as \n and without its last newline. */
static bool normalise(struct lexer *l, struct view source) {
    char *at = jinja_alloc(l->j, source.n + 1, 1);
    if (!at) return false;
    for (size_t i = 0; i < source.n; i++) {
        if (source.at[i] == '\r' && i + 1 < source.n && source.at[i + 1] == '\n') continue;
        at[l->n++] = source.at[i];
        if (source.at[i] == '\r') at[l->n - 1] = '\n';
    }
    if (l->n && at[l->n - 1] == '\n') l->n--;
    l->at = at;
    for (size_t i = 0, n; i < l->n; i += n)
        if (!(n = utf8_valid_length(at + i, l->n - i)))
            return jinja_fail(l->j, TEMPLATE_SYNTAX, "the template is not UTF-8 at byte %zu", i);
    return true;
}

bool jinja_lex(struct jinja *j, struct token **out, size_t *n, struct view source) {
    struct lexer l = {.j = j, .at_line_start = true};
    j->line = 1;
    if (!normalise(&l, source) || !lex_source(&l) || !add(&l, TOKEN_EOF, 0)) return false;
    *out = l.tokens;
    *n = l.n_tokens;
    return true;
}
