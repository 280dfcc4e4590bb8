#include "coverage/scan/macro.h"

#include <stdlib.h>
#include <string.h>

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static struct view cut(struct view v, size_t n) { return (struct view){v.at + n, v.n - n}; }

/* NAME, NAME(params): the rest is the replacement. */
static struct macro split(struct view text) {
    struct macro macro = {0};
    text = view_trim(text);
    size_t n = 0;
    while (n < text.n && is_name_char(text.at[n])) n++;
    macro.name = (struct view){text.at, n};
    text = cut(text, n);
    if (text.n > 0 && text.at[0] == '(') {
        const char *close = memchr(text.at, ')', text.n);
        size_t end = close ? (size_t)(close - text.at) : text.n - 1;
        macro.params = (struct view){text.at + 1, end - 1};
        text = cut(text, end + 1);
    }
    macro.body = view_trim(text);
    return macro;
}

int macros_mark(const struct macros *macros, struct view name) {
    int own = macros->mark(name);
    if (own) return own;
    const struct macro *macro = macros_find(macros, name);
    if (macro) return macro->mark;
    int added = names_get(&macros->marks, name);
    return added < 0 ? 0 : added;
}

static bool instantiates(const struct macros *macros, struct view name) {
    const struct macro *macro = macros_find(macros, name);
    return macro && macro->instances;
}

/* Reads the replacement: its mark, and whether it holds a function's body. A replacement that declares and
 * ends in ';' is a forward declaration and marks nothing. */
static void judge(struct macros *macros, struct macro *macro, const struct lex *body) {
    bool ended = false, templates = false, inner = false;
    for (size_t i = 0; i < body->n_tokens; i++) {
        struct view word = lex_view(body, i);
        int mark = body->tokens[i].kind == LEX_NAME ? macros_mark(macros, word) : 0;
        if (mark > macro->mark) macro->mark = mark;
        templates |= view_is(word, "template") && !lex_is(body, i + 1, "<");
        inner |= body->tokens[i].kind == LEX_NAME && instantiates(macros, word);
        if (view_is(word, "{") && i > 0 && lex_is(body, i - 1, ")")) macro->makes = true;
        if (view_is(word, ";") && body->tokens[i].brace == 0 && !macro->makes) ended = true;
    }
    macro->instances = !macro->makes && (inner || (templates && macro->mark));
    if (ended && !macro->makes) macro->mark = 0;
    if (!macro->mark) macro->makes = false;
    macro->alias = !macro->params.n && body->n_tokens == 1 && body->tokens[0].kind == LEX_NAME;
}

bool macros_inline(const struct macros *macros, struct view name) {
    static const char *const words[] = {"inline",         "__inline",      "__inline__",
                                        "__forceinline",  "always_inline", "__always_inline__",
                                        "__forceinline__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_is(name, words[i])) return true;
    return names_get(&macros->inlines, name) >= 0;
}

static bool add(struct macros *macros, struct macro macro, struct status *st) {
    struct lex body;
    if (!lex_text(&body, macro.body, st)) return false;
    judge(macros, &macro, &body);
    bool makes_inline = false;
    for (size_t i = 0; i < body.n_tokens && !(macro.makes && lex_is(&body, i, "{")); i++)
        makes_inline |= macros_inline(macros, lex_view(&body, i));
    lex_free(&body);
    if (makes_inline && !names_put(&macros->inlines, macro.name, 1, st)) return false;
    if (!macro.mark && !macro.instances && !macro.alias) return true;
    if (macros->n == macros->room) {
        size_t room = macros->room ? macros->room * 2 : 16;
        struct macro *at = realloc(macros->at, room * sizeof *at);
        if (!at) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu macros", room);
        macros->at = at;
        macros->room = room;
    }
    macros->at[macros->n] = macro;
    return names_put(&macros->names, macro.name, (int)macros->n++, st);
}

void macros_init(struct macros *macros, macro_mark *mark) { *macros = (struct macros){.mark = mark}; }

bool macros_read(struct macros *macros, const struct lex *lex, struct status *st) {
    for (size_t i = 0; i < lex->n_directives; i++) {
        const struct lex_directive *line = &lex->directives[i];
        if (line->branch != LEX_DEFINE) continue;
        struct macro macro = split((struct view){lex->text.at + line->rest, line->end - line->rest});
        if (macro.name.n && macro.body.n && !add(macros, macro, st)) return false;
    }
    return true;
}

bool macros_learn_type(struct macros *macros, const struct lex *lex, const struct decl *decl, int least,
                       int mark, struct status *st) {
    bool alias = lex_is(lex, decl->head, "using"), marked = false;
    if (decl->has_body || (!alias && !lex_is(lex, decl->head, "typedef"))) return true;
    size_t last = SIZE_MAX;
    for (size_t i = decl->head + 1; i < decl->open; i++) {
        if (lex->tokens[i].kind != LEX_NAME) continue;
        struct view word = lex_view(lex, i);
        marked |= macros_mark(macros, word) >= least;
        if (lex->tokens[i].paren == lex->tokens[decl->head].paren && !view_starts(word, "__attribute"))
            last = i;
    }
    if (alias) last = decl->head + 1;
    return !marked || last == SIZE_MAX || names_put(&macros->marks, lex_view(lex, last), mark, st);
}

void macros_free(struct macros *macros) {
    free(macros->at);
    names_free(&macros->names);
    names_free(&macros->marks);
    names_free(&macros->inlines);
    *macros = (struct macros){0};
}

const struct macro *macros_find(const struct macros *macros, struct view name) {
    int i = names_get(&macros->names, name);
    return i < 0 ? NULL : &macros->at[i];
}

struct view macros_alias(const struct macros *macros, struct view name) {
    for (int depth = 0; depth < 8; depth++) {
        const struct macro *macro = macros_find(macros, name);
        if (!macro || !macro->alias) break;
        name = macro->body;
    }
    return name;
}

/* --- the name a use gives ------------------------------------------------------------------------ */

/* The next of a comma-separated list, commas within brackets not counted. */
static bool next_item(struct view *item, struct view *rest) {
    if (rest->n == 0) return false;
    size_t i = 0;
    int open = 0;
    for (; i < rest->n; i++) {
        char c = rest->at[i];
        if (c == '(' || c == '[' || c == '{') open++;
        if (c == ')' || c == ']' || c == '}') open--;
        if (c == ',' && open == 0) break;
    }
    *item = view_trim((struct view){rest->at, i});
    *rest = i < rest->n ? cut(*rest, i + 1) : (struct view){"", 0};
    return true;
}

struct view macros_argument(const struct macro *macro, struct view args, struct view word) {
    struct view params = macro->params, param, arg;
    while (next_item(&param, &params)) {
        if (!next_item(&arg, &args)) break;
        if (view_equal(param, word)) return arg;
    }
    return word;
}

/* The token after a##b##c that ends at `last` begins here. */
static size_t paste_begin(const struct lex *body, size_t last) {
    while (last >= 3 && lex_is(body, last - 1, "#") && lex_is(body, last - 2, "#")) last -= 3;
    return last;
}

void macros_name(struct str *out, const struct macro *macro, struct view args) {
    struct lex body;
    if (!lex_text(&body, macro->body, NULL)) return;
    size_t open = 0;
    while (open < body.n_tokens && !lex_is(&body, open, "{")) open++;
    size_t last = decl_name(&body, 0, open);
    if (last != SIZE_MAX)
        for (size_t i = paste_begin(&body, last); i <= last; i++) {
            if (lex_is(&body, i, "#")) continue;
            struct view word = macros_argument(macro, args, lex_view(&body, i));
            str_add(out, word.at, word.n);
        }
    lex_free(&body);
}
