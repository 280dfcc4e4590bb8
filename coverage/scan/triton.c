#include "coverage/scan/triton.h"

#include "coverage/scan/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum token_kind { TOKEN_NAME, TOKEN_PUNCT, TOKEN_STRING };

struct token {
    uint32_t begin, end;
    uint8_t kind;
    bool first; /* of a logical line */
};

struct reader {
    struct view text;
    struct token *tokens;
    size_t n, room;
    size_t i; /* byte */
    unsigned depth;
    bool line_start, failed;
};

bool triton_is_likely(struct view text) { return text.n && memmem(text.at, text.n, "triton", 6); }

/* --- tokens -------------------------------------------------------------------------------------- */

static bool is_name_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

static void add_token(struct reader *r, size_t begin, enum token_kind kind) {
    if (r->n == r->room) {
        size_t room = r->room ? r->room * 2 : 256;
        struct token *tokens = realloc(r->tokens, room * sizeof *tokens);
        if (!tokens) {
            r->failed = true;
            return;
        }
        r->tokens = tokens;
        r->room = room;
    }
    r->tokens[r->n++] = (struct token){(uint32_t)begin, (uint32_t)r->i, (uint8_t)kind, r->line_start};
    r->line_start = false;
}

/* Past the string whose quote is at r->i: '...', "...", or three of them. */
static void string(struct reader *r, size_t begin) {
    const char *at = r->text.at;
    size_t n = r->text.n;
    char quote = at[r->i];
    bool triple = r->i + 2 < n && at[r->i + 1] == quote && at[r->i + 2] == quote;
    for (r->i += triple ? 3 : 1; r->i < n; r->i++) {
        if (at[r->i] == '\\') r->i++;
        else if (!triple && (at[r->i] == quote || at[r->i] == '\n')) break;
        else if (triple && r->i + 2 < n && at[r->i] == quote && at[r->i + 1] == quote &&
                 at[r->i + 2] == quote)
            break;
    }
    r->i += triple ? 3 : 1;
    if (r->i > n) r->i = n;
    add_token(r, begin, TOKEN_STRING);
}

static void word(struct reader *r) {
    size_t begin = r->i;
    while (r->i < r->text.n && is_name_part(r->text.at[r->i])) r->i++;
    bool quote = r->i < r->text.n && (r->text.at[r->i] == '"' || r->text.at[r->i] == '\'');
    if (quote && r->i - begin <= 2 && strchr("rRbBuUfF", r->text.at[begin])) string(r, begin);
    else add_token(r, begin, TOKEN_NAME);
}

static void punct(struct reader *r) {
    char c = r->text.at[r->i];
    if (strchr("([{", c)) r->depth++;
    if (strchr(")]}", c) && r->depth) r->depth--;
    r->i++;
    add_token(r, r->i - 1, TOKEN_PUNCT);
}

static void read_tokens(struct reader *r) {
    const char *at = r->text.at;
    r->line_start = true;
    while (r->i < r->text.n && !r->failed) {
        char c = at[r->i];
        if (c == '\n') {
            if (r->depth == 0) r->line_start = true;
            r->i++;
        } else if (c == '\\' && r->i + 1 < r->text.n) {
            r->i += at[r->i + 1] == '\r' ? 3 : 2; /* the line goes on */
        } else if (c == '#') {
            const char *newline = memchr(at + r->i, '\n', r->text.n - r->i);
            r->i = newline ? (size_t)(newline - at) : r->text.n;
        } else if (c == '"' || c == '\'') {
            string(r, r->i);
        } else if (is_name_part(c)) {
            word(r);
        } else if (c > ' ') {
            punct(r);
        } else {
            r->i++;
        }
    }
}

static struct view token_view(const struct reader *r, size_t i) {
    if (i >= r->n) return (struct view){"", 0};
    return (struct view){r->text.at + r->tokens[i].begin, r->tokens[i].end - r->tokens[i].begin};
}

static bool is(const struct reader *r, size_t i, const char *text) { return view_is(token_view(r, i), text); }

static bool is_name(const struct reader *r, size_t i) { return i < r->n && r->tokens[i].kind == TOKEN_NAME; }

/* Columns from the line's begin; a tab goes to the next multiple of eight, as Python counts. */
static unsigned indent_of(const struct reader *r, size_t token) {
    size_t begin = r->tokens[token].begin, line = begin;
    while (line > 0 && r->text.at[line - 1] != '\n') line--;
    unsigned column = 0;
    for (size_t i = line; i < begin; i++) column = r->text.at[i] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return column;
}

static size_t next_line(const struct reader *r, size_t token) {
    for (token++; token < r->n && !r->tokens[token].first;) token++;
    return token;
}

/* --- what the file says -------------------------------------------------------------------------- */

struct facts {
    struct names modules;  /* names of the module triton */
    struct names jits;     /* names of its jit */
    struct names applied;  /* f of jit(f) */
    struct names launched; /* f of f[grid](...) */
    struct names called;   /* f of f(...) within a jitted function */
};

static void facts_free(struct facts *facts) {
    struct names *all[] = {&facts->modules, &facts->jits, &facts->applied, &facts->launched, &facts->called};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) names_free(all[i]);
}

/* import triton [as t] · from triton[...] import jit [as j] */
static bool read_import(struct facts *facts, const struct reader *r, size_t i, struct status *st) {
    size_t end = next_line(r, i);
    bool from = is(r, i, "from");
    for (size_t j = i + 1; j < end; j++) {
        bool wanted = is(r, j, from ? "jit" : "triton") && !is(r, j - 1, ".") && !is(r, j - 1, "from");
        if (!wanted || (from && !is(r, i + 1, "triton"))) continue;
        if (!from && is(r, j + 1, ".")) continue; /* import triton.language as tl */
        size_t name = j + 2 < end && is(r, j + 1, "as") ? j + 2 : j;
        if (!names_put(from ? &facts->jits : &facts->modules, token_view(r, name), 1, st)) return false;
    }
    return true;
}

/* After the expression `triton.jit` or an alias of it that begins at i, or i when there is none. */
static size_t skip_jit(const struct facts *facts, const struct reader *r, size_t i) {
    if (!is_name(r, i) || (i > 0 && is(r, i - 1, "."))) return i;
    bool module = is(r, i, "triton") || names_get(&facts->modules, token_view(r, i)) >= 0;
    if (module && is(r, i + 1, ".") && is(r, i + 2, "jit")) return i + 3;
    return names_get(&facts->jits, token_view(r, i)) >= 0 ? i + 1 : i;
}

/* [grid]( from the '[' on. Looks a bounded way: a grid is short, a hostile file is not. */
static bool is_launch(const struct reader *r, size_t open) {
    unsigned depth = 0;
    for (size_t i = open; i < r->n && i < open + 96; i++) {
        if (is(r, i, "[")) depth++;
        if (is(r, i, "]") && --depth == 0) return is(r, i + 1, "(");
    }
    return false;
}

static bool read_uses(struct facts *facts, const struct reader *r, struct status *st) {
    for (size_t i = 0; i < r->n; i++) {
        if (!is_name(r, i)) continue;
        if (r->tokens[i].first && (is(r, i, "import") || is(r, i, "from")) && !read_import(facts, r, i, st))
            return false;
        size_t after = skip_jit(facts, r, i);
        if (after > i && is(r, after, "(") && is_name(r, after + 1) &&
            (is(r, after + 2, ")") || is(r, after + 2, ",")) &&
            !names_put(&facts->applied, token_view(r, after + 1), 1, st))
            return false;
        bool run = is(r, i + 1, ".") && (is(r, i + 2, "warmup") || is(r, i + 2, "run"));
        bool index = is(r, i + 1, "[") && !(i > 0 && is(r, i - 1, ".")) && is_launch(r, i + 1);
        if ((run || index) && !names_put(&facts->launched, token_view(r, i), 1, st)) return false;
    }
    return true;
}

/* --- definitions --------------------------------------------------------------------------------- */

struct definition {
    size_t first, def, end; /* tokens: first decorator, `def`, one past the last */
    size_t inner;           /* token: of the body's first line */
    bool jit;
};

static size_t body_end(const struct reader *r, size_t def) {
    unsigned indent = indent_of(r, def);
    size_t line = next_line(r, def);
    while (line < r->n && indent_of(r, line) > indent) line = next_line(r, line);
    return line;
}

/* The next def at or after the line that begins at *i, with its decorators. */
static bool next_definition(struct definition *out, const struct facts *facts, const struct reader *r,
                            size_t *i) {
    size_t first = SIZE_MAX;
    bool jit = false;
    for (size_t line = *i; line < r->n; line = next_line(r, line)) {
        if (is(r, line, "@")) {
            if (first == SIZE_MAX) first = line;
            size_t after = skip_jit(facts, r, line + 1);
            jit |= after > line + 1 && (after >= r->n || r->tokens[after].first || is(r, after, "("));
            continue;
        }
        size_t def = is(r, line, "async") ? line + 1 : line;
        if (is(r, def, "def") && is_name(r, def + 1)) {
            *out = (struct definition){.first = first == SIZE_MAX ? line : first, .def = line, .jit = jit};
            *i = next_line(r, line);
            if (!out->jit) out->jit = names_get(&facts->applied, token_view(r, def + 1)) >= 0;
            out->inner = *i;
            if (out->jit) out->end = body_end(r, line);
            return true;
        }
        first = SIZE_MAX;
        jit = false;
    }
    return false;
}

static size_t name_token(const struct reader *r, const struct definition *d) {
    return is(r, d->def, "async") ? d->def + 2 : d->def + 1;
}

static bool add(struct sites *out, const struct reader *r, const struct definition *d, struct arena *arena,
                struct status *st) {
    struct view name = token_view(r, name_token(r, d));
    struct site site = {.begin = r->tokens[d->first].begin,
                        .end = r->tokens[d->end - 1].end,
                        .name_at = r->tokens[name_token(r, d)].begin,
                        .body = r->tokens[d->def].begin,
                        .inner = d->inner < d->end ? r->tokens[d->inner].begin : SIZE_MAX,
                        .name = arena_copy(arena, name.at, name.n, st),
                        .kind = SCAN_KERNEL,
                        .exact = true};
    return site.name && sites_add(out, site, st);
}

static bool find(struct sites *out, struct facts *facts, const struct reader *r, struct arena *arena,
                 struct status *st) {
    struct definition d;
    size_t i = 0, before = out->n;
    if (!read_uses(facts, r, st)) return false;
    while (next_definition(&d, facts, r, &i)) {
        if (!d.jit) continue;
        if (!add(out, r, &d, arena, st)) return false;
        for (size_t j = i; j < d.end; j++)
            if (is_name(r, j) && is(r, j + 1, "(") && !is(r, j - 1, ".") &&
                !names_put(&facts->called, token_view(r, j), 1, st))
                return false;
    }
    for (size_t k = before; k < out->n; k++) {
        struct view name = view_of(out->at[k].name);
        if (names_get(&facts->called, name) >= 0 && names_get(&facts->launched, name) < 0)
            out->at[k].kind = SCAN_HELPER;
    }
    return true;
}

bool triton_find(struct sites *out, struct view text, struct arena *arena, struct status *st) {
    struct reader r = {.text = text};
    struct facts facts = {0};
    read_tokens(&r);
    bool ok = r.failed ? status_fail(st, STATUS_NO_MEMORY, "out of memory for the tokens of a file")
                       : find(out, &facts, &r, arena, st);
    facts_free(&facts);
    free(r.tokens);
    return ok;
}
