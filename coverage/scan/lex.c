#include "coverage/scan/lex.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = UINT16_MAX, MAX_IFS = 256 };

/* What an #if remembers until its #endif. */
struct chain {
    unsigned brace, paren;
    bool dead;  /* the branch we are in */
    bool taken; /* a branch with condition 1 was seen: the rest is dead */
};

struct reader {
    struct lex *lex;
    const char *at; /* the text */
    size_t n, i;
    unsigned brace, paren;
    struct chain chains[MAX_IFS];
    unsigned n_chains, n_unknown; /* chains deeper than MAX_IFS are counted only */
    bool line_start;
    bool failed;
};

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

static bool grow(void **array, size_t *room, size_t n, size_t size) {
    if (n < *room) return true;
    size_t more = *room ? *room * 2 : 256;
    void *bigger = realloc(*array, more * size);
    if (!bigger) return false;
    *array = bigger;
    *room = more;
    return true;
}

static bool is_dead(const struct reader *r) {
    for (unsigned i = 0; i < r->n_chains; i++)
        if (r->chains[i].dead) return true;
    return false;
}

static uint16_t depth(unsigned n) { return (uint16_t)(n < MAX_DEPTH ? n : MAX_DEPTH); }

static void add_token(struct reader *r, size_t begin, size_t end, enum lex_kind kind, bool dead) {
    struct lex *lex = r->lex;
    if (dead) return;
    lex->full = lex->n_tokens == LEX_TOKENS;
    if (lex->full) return;
    if (!grow((void **)&lex->tokens, &lex->room_tokens, lex->n_tokens, sizeof *lex->tokens)) {
        r->failed = true;
        return;
    }
    lex->tokens[lex->n_tokens++] = (struct lex_token){
        .begin = (uint32_t)begin,
        .end = (uint32_t)end,
        .brace = depth(r->brace),
        .paren = depth(r->paren),
        .kind = (uint8_t)kind,
    };
}

static void punct(struct reader *r, bool dead) {
    char c = r->at[r->i];
    if (!dead && c == '}' && r->brace > 0) r->brace--;
    if (!dead && (c == ')' || c == ']') && r->paren > 0) r->paren--;
    add_token(r, r->i, r->i + 1, LEX_PUNCT, dead);
    if (!dead && c == '{') r->brace++;
    if (!dead && (c == '(' || c == '[')) r->paren++;
    r->i++;
}

/* Position after the newline-or-end that a backslash does not continue. */
static size_t line_end(const struct reader *r, size_t i) {
    for (; i < r->n; i++) {
        const char *newline = memchr(r->at + i, '\n', r->n - i);
        if (!newline) return r->n;
        i = (size_t)(newline - r->at);
        size_t back = i;
        if (back > 0 && r->at[back - 1] == '\r') back--;
        if (back == 0 || r->at[back - 1] != '\\') return i;
    }
    return r->n;
}

static size_t comment_end(const struct reader *r, size_t i) {
    if (r->at[i + 1] == '/') return line_end(r, i);
    for (size_t j = i + 2; j + 1 < r->n; j++) {
        const char *star = memchr(r->at + j, '*', r->n - 1 - j);
        if (!star) return r->n;
        j = (size_t)(star - r->at);
        if (r->at[j + 1] == '/') return j + 2;
    }
    return r->n;
}

static bool at_comment(const struct reader *r, size_t i) {
    return i + 1 < r->n && r->at[i] == '/' && (r->at[i + 1] == '/' || r->at[i + 1] == '*');
}

/* After a literal that opens with the quote at i; an unterminated one ends with its line. */
static size_t literal_end(const struct reader *r, size_t i) {
    char quote = r->at[i];
    for (size_t j = i + 1; j < r->n; j++) {
        if (r->at[j] == '\\' && j + 1 < r->n) j++;
        else if (r->at[j] == quote) return j + 1;
        else if (r->at[j] == '\n') return j;
    }
    return r->n;
}

/* After the raw string whose quote is at i, or 0 when this is none: R"delimiter( ... )delimiter". */
static size_t raw_end(const struct reader *r, size_t i) {
    size_t open = i + 1;
    while (open < r->n && open - i <= 17 && r->at[open] != '(' && r->at[open] != '\n') open++;
    if (open >= r->n || r->at[open] != '(' || open - i > 17) return 0;
    size_t n_delimiter = open - i - 1;
    for (size_t j = open + 1; j < r->n; j++) {
        const char *close = memchr(r->at + j, ')', r->n - j);
        if (!close) break;
        j = (size_t)(close - r->at);
        size_t quote = j + 1 + n_delimiter;
        if (quote < r->n && r->at[quote] == '"' && memcmp(r->at + j + 1, r->at + i + 1, n_delimiter) == 0)
            return quote + 1;
    }
    return r->n;
}

static void literal(struct reader *r, size_t begin, bool dead) {
    r->i = literal_end(r, r->i);
    add_token(r, begin, r->i, LEX_STRING, dead);
}

static void name(struct reader *r, bool dead) {
    size_t begin = r->i;
    while (r->i < r->n && is_name_part(r->at[r->i])) r->i++;
    size_t length = r->i - begin;
    bool quote = r->i < r->n && (r->at[r->i] == '"' || r->at[r->i] == '\'');
    if (quote && length <= 3 && r->at[r->i] == '"' && r->at[r->i - 1] == 'R') {
        size_t end = raw_end(r, r->i);
        if (end) {
            r->i = end;
            add_token(r, begin, end, LEX_STRING, dead);
            return;
        }
    }
    if (quote && (length == 1 || (length == 2 && r->at[begin + 1] == '8')) && strchr("uUL", r->at[begin])) {
        literal(r, begin, dead);
        return;
    }
    add_token(r, begin, r->i, LEX_NAME, dead);
}

static void number(struct reader *r, bool dead) {
    size_t begin = r->i++;
    for (; r->i < r->n; r->i++) {
        char c = r->at[r->i];
        bool sign = (c == '+' || c == '-') && strchr("eEpP", r->at[r->i - 1]);
        bool separator = c == '\'' && r->i + 1 < r->n && is_name_part(r->at[r->i + 1]);
        if (!is_name_part(c) && c != '.' && !sign && !separator) break;
    }
    add_token(r, begin, r->i, LEX_NUMBER, dead);
}

/* --- preprocessor lines -------------------------------------------------------------------------- */

static size_t directive_end(const struct reader *r, size_t i) {
    while (i < r->n) {
        char c = r->at[i];
        if (at_comment(r, i)) i = comment_end(r, i);
        else if (c == '"' || c == '\'') i = literal_end(r, i);
        else if (c == '\\' && i + 1 < r->n) i += r->at[i + 1] == '\r' && i + 2 < r->n ? 3 : 2;
        else if (c == '\n') return i;
        else i++;
    }
    return r->n;
}

static enum lex_branch branch_of(struct view word) {
    if (view_is(word, "if") || view_is(word, "ifdef") || view_is(word, "ifndef")) return LEX_IF;
    if (view_starts(word, "el")) return LEX_ELSE;
    if (view_is(word, "endif")) return LEX_ENDIF;
    if (view_is(word, "define")) return LEX_DEFINE;
    if (view_is(word, "include") || view_is(word, "include_next")) return LEX_INCLUDE;
    return LEX_PLAIN;
}

/* Follows #if ... #endif and says whether the branch that opens here is dead. */
static bool follow(struct reader *r, enum lex_branch branch, struct view word, struct view condition) {
    bool literal_0 = view_is(condition, "0"), literal_1 = view_is(condition, "1");
    bool has_condition = view_is(word, "if") || view_is(word, "elif");
    if (branch == LEX_IF && r->n_chains == MAX_IFS) r->n_unknown++;
    else if (branch == LEX_IF)
        r->chains[r->n_chains++] = (struct chain){.brace = r->brace,
                                                  .paren = r->paren,
                                                  .dead = has_condition && literal_0,
                                                  .taken = has_condition && literal_1};
    else if (branch == LEX_ENDIF && r->n_unknown > 0) r->n_unknown--;
    else if (branch == LEX_ENDIF && r->n_chains > 0) r->n_chains--;
    if ((branch != LEX_IF && branch != LEX_ELSE) || r->n_unknown > 0 || r->n_chains == 0) return false;
    struct chain *chain = &r->chains[r->n_chains - 1];
    if (branch == LEX_ELSE) {
        r->brace = chain->brace;
        r->paren = chain->paren;
        chain->dead = chain->taken || (has_condition && literal_0);
        chain->taken = chain->taken || (has_condition && literal_1);
    }
    return chain->dead;
}

static void directive(struct reader *r) {
    struct lex *lex = r->lex;
    size_t begin = r->i, end = directive_end(r, begin + 1);
    size_t word = begin + 1;
    while (word < end && (r->at[word] == ' ' || r->at[word] == '\t')) word++;
    size_t rest = word;
    while (rest < end && is_name_part(r->at[rest])) rest++;
    struct view name_of = {r->at + word, rest - word};
    size_t condition_end = rest;
    while (condition_end < end && !at_comment(r, condition_end)) condition_end++;
    enum lex_branch branch = branch_of(name_of);
    bool dead = follow(r, branch, name_of, view_trim((struct view){r->at + rest, condition_end - rest}));
    r->i = end;
    if (!grow((void **)&lex->directives, &lex->room_directives, lex->n_directives, sizeof *lex->directives)) {
        r->failed = true;
        return;
    }
    if (is_dead(r) && branch != LEX_IF && branch != LEX_ELSE && branch != LEX_ENDIF) branch = LEX_PLAIN;
    lex->directives[lex->n_directives++] = (struct lex_directive){
        .begin = (uint32_t)begin,
        .end = (uint32_t)end,
        .rest = (uint32_t)rest,
        .branch = (uint8_t)branch,
        .dead = dead,
    };
}

static void step(struct reader *r, bool dead) {
    char c = r->at[r->i];
    if (c == '\n') {
        r->line_start = true;
        r->i++;
        return;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        r->i++;
        return;
    }
    if (c == '\\') { /* a continued line is one line: what follows opens no directive */
        r->i++;
        while (r->i < r->n && (r->at[r->i] == '\r' || r->at[r->i] == '\n')) r->i++;
        return;
    }
    if (at_comment(r, r->i)) {
        r->i = comment_end(r, r->i);
        return;
    }
    bool first = r->line_start;
    r->line_start = false;
    if (c == '#' && first) directive(r);
    else if (is_name_start(c)) name(r, dead);
    else if (is_digit(c) || (c == '.' && r->i + 1 < r->n && is_digit(r->at[r->i + 1]))) number(r, dead);
    else if (c == '"' || c == '\'') literal(r, r->i, dead);
    else punct(r, dead);
}

/* What opens and was not closed yet, by token. A bracket closes all of its kind that stand as deep or deeper.
 */
struct open {
    uint32_t *at;
    size_t n;
};

static unsigned depth_of(const struct lex_token *token, bool brace) {
    return brace ? token->brace : token->paren;
}

static void match_kind(struct lex *lex, struct open *open, bool brace) {
    const char *opening = brace ? "{" : "([", *closing = brace ? "}" : ")]";
    open->n = 0;
    for (size_t i = 0; i < lex->n_tokens; i++) {
        struct lex_token *t = &lex->tokens[i];
        if (t->kind != LEX_PUNCT) continue;
        char c = lex->text.at[t->begin];
        if (c == opening[0] || (c == opening[1] && c)) {
            t->close = (uint32_t)lex->n_tokens;
            open->at[open->n++] = (uint32_t)i;
        } else if (c == closing[0] || (c == closing[1] && c)) {
            while (open->n && depth_of(&lex->tokens[open->at[open->n - 1]], brace) >= depth_of(t, brace))
                lex->tokens[open->at[--open->n]].close = (uint32_t)i;
        }
    }
}

static bool match_brackets(struct lex *lex, struct status *st) {
    struct open open = {.at = malloc((lex->n_tokens + 1) * sizeof *open.at)};
    if (!open.at) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu tokens", lex->n_tokens);
    match_kind(lex, &open, true);
    match_kind(lex, &open, false);
    free(open.at);
    return true;
}

bool lex_text(struct lex *lex, struct view text, struct status *st) {
    assert(text.n < UINT32_MAX);
    *lex = (struct lex){.text = text};
    struct reader *r = malloc(sizeof *r);
    if (!r) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    *r = (struct reader){.lex = lex, .at = text.at, .n = text.n, .line_start = true};
    if (text.n >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0) r->i = 3;
    bool dead = false;
    size_t seen = 0;
    while (r->i < r->n && !r->failed && !lex->full) {
        step(r, dead);
        if (lex->n_directives != seen) {
            seen = lex->n_directives;
            dead = is_dead(r);
        }
    }
    bool ok = !r->failed;
    free(r);
    if (!ok) status_fail(st, STATUS_NO_MEMORY, "out of memory after %zu tokens", lex->n_tokens);
    ok = ok && match_brackets(lex, st);
    if (!ok) lex_free(lex);
    return ok;
}

void lex_free(struct lex *lex) {
    free(lex->tokens);
    free(lex->directives);
    *lex = (struct lex){0};
}

struct view lex_view(const struct lex *lex, size_t token) {
    if (token >= lex->n_tokens) return (struct view){"", 0};
    const struct lex_token *t = &lex->tokens[token];
    return (struct view){lex->text.at + t->begin, t->end - t->begin};
}

bool lex_is(const struct lex *lex, size_t token, const char *text) {
    if (token < lex->n_tokens && lex->text.at[lex->tokens[token].begin] != text[0]) return false;
    return view_is(lex_view(lex, token), text);
}

bool lex_is_name(const struct lex *lex, size_t token) {
    return token < lex->n_tokens && lex->tokens[token].kind == LEX_NAME;
}

size_t lex_close(const struct lex *lex, size_t open) { return lex->tokens[open].close; }

bool lex_quoted(struct view *name, const struct lex *lex, const struct lex_directive *include) {
    const char *rest = lex->text.at + include->rest, *end = lex->text.at + include->end;
    const char *open = memchr(rest, '"', (size_t)(end - rest));
    const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    if (close) *name = (struct view){open + 1, (size_t)(close - open - 1)};
    return close != NULL;
}

size_t lex_at(const struct lex *lex, size_t offset) {
    size_t low = 0, high = lex->n_tokens;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lex->tokens[middle].begin < offset) low = middle + 1;
        else high = middle;
    }
    return low;
}
