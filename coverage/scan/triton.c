#include "coverage/scan/triton.h"

#include "coverage/scan/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum token_kind { TOKEN_NAME, TOKEN_PUNCT, TOKEN_STRING };

struct token {
    uint32_t begin, end;
    uint32_t indent; /* of the first of a logical line: columns before it */
    uint8_t kind;
    bool first;
};

struct reader {
    struct view text;
    struct token *tokens;
    size_t n, room;
    size_t i; /* byte */
    unsigned depth;
    bool line_start, failed, full;
};

bool triton_is_likely(struct view text) {
    static const char *const words[] = {"triton", "cute", "cuda.tile"};
    for (size_t i = 0; text.n && i < sizeof words / sizeof *words; i++)
        if (memmem(text.at, text.n, words[i], strlen(words[i]))) return true;
    return false;
}

/* --- tokens -------------------------------------------------------------------------------------- */

static bool is_name_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

/* Columns from the line's begin; a tab goes to the next multiple of eight, as Python counts. */
static uint32_t columns_before(const struct reader *r, size_t begin) {
    size_t line = begin;
    while (line > 0 && r->text.at[line - 1] != '\n') line--;
    uint32_t column = 0;
    for (size_t i = line; i < begin; i++) column = r->text.at[i] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return column;
}

static void add_token(struct reader *r, size_t begin, enum token_kind kind) {
    r->full = r->n == LEX_TOKENS;
    if (r->full) return;
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
    r->tokens[r->n++] = (struct token){.begin = (uint32_t)begin,
                                       .end = (uint32_t)r->i,
                                       .indent = r->line_start ? columns_before(r, begin) : 0,
                                       .kind = (uint8_t)kind,
                                       .first = r->line_start};
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
    while (r->i < r->text.n && !r->failed && !r->full) {
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

static unsigned indent_of(const struct reader *r, size_t token) { return r->tokens[token].indent; }

static size_t next_line(const struct reader *r, size_t token) {
    for (token++; token < r->n && !r->tokens[token].first;) token++;
    return token;
}

/* --- what the file says -------------------------------------------------------------------------- */

struct facts {
    struct names imports; /* name -> index into paths */
    const char *
        *paths; /* what an imported name stands for: "cutlass.cute" of `import cutlass.cute as cute` */
    size_t n_paths, room_paths;
    struct names applied;  /* f of jit(f) -> language */
    struct names launched; /* f of f[grid](...) */
    struct names called;   /* f of f(...) within a jitted function */
    struct arena *arena;
};

static void facts_free(struct facts *facts) {
    struct names *all[] = {&facts->imports, &facts->applied, &facts->launched, &facts->called};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) names_free(all[i]);
    free(facts->paths);
}

static bool bind(struct facts *facts, struct view name, const struct str *path, struct status *st) {
    if (facts->n_paths == facts->room_paths) {
        size_t room = facts->room_paths ? facts->room_paths * 2 : 32;
        const char **paths = realloc(facts->paths, room * sizeof *paths);
        if (!paths) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu imports", room);
        facts->paths = paths;
        facts->room_paths = room;
    }
    const char *copy = arena_copy(facts->arena, str_c(path), path->n, st);
    if (!copy) return false;
    facts->paths[facts->n_paths] = copy;
    return names_put(&facts->imports, name, (int)facts->n_paths++, st);
}

/* a.b.c from token i on, added to path; the token after it. */
static size_t read_path(struct str *path, const struct reader *r, size_t i, size_t end) {
    while (i < end && (is(r, i, ".") || is_name(r, i))) {
        if (is_name(r, i) && (is(r, i, "import") || is(r, i, "as"))) break;
        struct view part = token_view(r, i++);
        str_add(path, part.at, part.n);
        if (is_name(r, i - 1) && is_name(r, i)) break;
    }
    return i;
}

/* import a.b as x, c · from a.b import c as d, (e, f): each name that is bound to a path of its own. Plain
 * `import a.b` binds `a` to itself, which is what a name stands for that was never imported. */
static bool read_import(struct facts *facts, const struct reader *r, size_t i, struct status *st) {
    size_t end = next_line(r, i);
    bool from = is(r, i, "from"), ok = true;
    struct str base = {0}, path = {0};
    if (from) i = read_path(&base, r, i + 1, end);
    for (i++; ok && i < end;) {
        if (!is_name(r, i) || is(r, i, "import") || is(r, i, "as")) { /* read_path stops at these */
            i++;
            continue;
        }
        size_t name = i;
        str_clear(&path);
        if (from) str_printf(&path, "%s.", str_c(&base));
        i = read_path(&path, r, i, end);
        bool as = is(r, i, "as") && is_name(r, i + 1);
        if (as) name = i + 1;
        if (as) i += 2;
        if (from || as) ok = str_ok(&path, st) && bind(facts, token_view(r, name), &path, st);
    }
    str_free(&base);
    str_free(&path);
    return ok;
}

static bool ends_in(struct view path, const char *tail) {
    size_t n = strlen(tail);
    return view_ends(path, tail) && (path.n == n || path.at[path.n - n - 1] == '.');
}

/* What a decorator of this path makes, or SCAN_NONE. Dialects: triton.language and Gluon (jit), CuTe DSL and
 * cuTile (kernel; their jit is host code or a device function). */
static enum scan_language made_by(struct view path) {
    if (view_starts(path, "triton.") && view_ends(path, ".jit")) return SCAN_TRITON;
    if (ends_in(path, "cute.kernel")) return SCAN_CUTE;
    if (view_is(path, "cuda.tile.kernel")) return SCAN_CUTILE;
    return SCAN_NONE;
}

/* The language that the dotted expression at i makes a kernel of; *after is the token that follows it. */
static enum scan_language skip_jit(const struct facts *facts, const struct reader *r, size_t i,
                                   size_t *after) {
    char path[128];
    size_t n = 0;
    *after = i;
    if (!is_name(r, i) || (i > 0 && is(r, i - 1, "."))) return SCAN_NONE;
    int import = names_get(&facts->imports, token_view(r, i));
    struct view first = import < 0 ? token_view(r, i) : view_of(facts->paths[import]);
    for (;;) {
        if (first.n + 1 >= sizeof path - n) return SCAN_NONE;
        memcpy(path + n, first.at, first.n);
        n += first.n;
        *after = ++i;
        if (!is(r, i, ".") || !is_name(r, i + 1)) break;
        path[n++] = '.';
        first = token_view(r, ++i);
    }
    return made_by((struct view){path, n});
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
        size_t after;
        enum scan_language language = skip_jit(facts, r, i, &after);
        if (language && is(r, after, "(") && is_name(r, after + 1) &&
            (is(r, after + 2, ")") || is(r, after + 2, ",")) &&
            !names_put(&facts->applied, token_view(r, after + 1), (int)language, st))
            return false;
        bool run = is(r, i + 1, ".") && (is(r, i + 2, "warmup") || is(r, i + 2, "run"));
        bool index = is(r, i + 1, "[") && !(i > 0 && is(r, i - 1, ".")) && is_launch(r, i + 1);
        if ((run || index) && !names_put(&facts->launched, token_view(r, i), 1, st)) return false;
    }
    return true;
}

/* --- definitions --------------------------------------------------------------------------------- */

struct definition {
    size_t first, def, end;      /* tokens: first decorator, `def`, one past the last */
    size_t inner;                /* token: of the body's first line */
    enum scan_language language; /* SCAN_NONE: no kernel and no helper */
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
    enum scan_language language = SCAN_NONE;
    for (size_t line = *i; line < r->n; line = next_line(r, line)) {
        if (is(r, line, "@")) {
            if (first == SIZE_MAX) first = line;
            size_t after;
            enum scan_language made = skip_jit(facts, r, line + 1, &after);
            if (made && (after >= r->n || r->tokens[after].first || is(r, after, "("))) language = made;
            continue;
        }
        size_t def = is(r, line, "async") ? line + 1 : line;
        if (is(r, def, "def") && is_name(r, def + 1)) {
            int applied = names_get(&facts->applied, token_view(r, def + 1));
            if (!language && applied > 0) language = (enum scan_language)applied;
            *i = next_line(r, line);
            *out = (struct definition){
                .first = first == SIZE_MAX ? line : first, .def = line, .inner = *i, .language = language};
            if (language) out->end = body_end(r, line);
            return true;
        }
        first = SIZE_MAX;
        language = SCAN_NONE;
    }
    return false;
}

static size_t name_token(const struct reader *r, const struct definition *d) {
    return is(r, d->def, "async") ? d->def + 2 : d->def + 1;
}

/* def f(x): return g(x) */
static bool returns_on_its_line(const struct reader *r, const struct definition *d) {
    for (size_t i = name_token(r, d); i + 2 < d->inner && i + 2 < d->end; i++)
        if (is(r, i, ":") && is(r, i + 1, "return")) return !is(r, i + 2, "None");
    return false;
}

/* A kernel has nobody to return to: what returns a value is part of one. */
static bool returns_value(const struct reader *r, const struct definition *d) {
    if (returns_on_its_line(r, d)) return true;
    for (size_t line = d->inner; line < d->end;) {
        size_t next = next_line(r, line);
        bool nested = is(r, line, "def") || (is(r, line, "async") && is(r, line + 1, "def"));
        if (is(r, line, "return") && line + 1 < next && !is(r, line + 1, "None")) return true;
        line = nested ? body_end(r, line) : next;
    }
    return false;
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
                        .language = d->language,
                        .exact = true};
    return site.name && sites_add(out, site, st);
}

static bool read_calls(struct facts *facts, const struct reader *r, const struct definition *d,
                       struct status *st) {
    for (size_t j = name_token(r, d) + 1; j < d->end; j++)
        if (is_name(r, j) && is(r, j + 1, "(") && !is(r, j - 1, ".") &&
            !names_put(&facts->called, token_view(r, j), 1, st))
            return false;
    return true;
}

static bool find(struct sites *out, struct facts *facts, const struct reader *r, struct arena *arena,
                 struct status *st) {
    struct definition d;
    size_t i = 0, before = out->n;
    if (!read_uses(facts, r, st)) return false;
    while (next_definition(&d, facts, r, &i)) {
        if (!d.language) continue;
        if (!add(out, r, &d, arena, st) || !read_calls(facts, r, &d, st)) return false;
        struct site *site = &out->at[out->n - 1];
        bool launched = names_get(&facts->launched, view_of(site->name)) >= 0;
        if (d.language == SCAN_TRITON && !launched && returns_value(r, &d)) site->kind = SCAN_HELPER;
    }
    for (size_t k = before; k < out->n; k++) {
        struct view name = view_of(out->at[k].name);
        if (out->at[k].language == SCAN_TRITON && names_get(&facts->called, name) >= 0 &&
            names_get(&facts->launched, name) < 0)
            out->at[k].kind = SCAN_HELPER;
    }
    return true;
}

bool triton_find(struct sites *out, bool *full, struct view text, struct arena *arena, struct status *st) {
    struct reader r = {.text = text};
    struct facts facts = {.arena = arena};
    read_tokens(&r);
    *full = r.full;
    bool ok = true;
    if (r.failed) ok = status_fail(st, STATUS_NO_MEMORY, "out of memory for the tokens of a file");
    else if (!r.full) ok = find(out, &facts, &r, arena, st);
    facts_free(&facts);
    free(r.tokens);
    return ok;
}
