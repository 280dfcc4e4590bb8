#include "coverage/scan/instances.h"

#include "coverage/scan/decl.h"

#include <stdint.h>

/* Libraries nest two or three macros deep; hostile text would double with each level. */
enum { MAX_DEPTH = 8, MAX_INSTANCES = 4096 };

struct use {
    struct site_reader *r;
    struct site site; /* what all instances of the use share */
    unsigned n;
};

static bool add(struct use *use, const struct str *name) {
    if (use->n++ >= MAX_INSTANCES) return true;
    struct site site = use->site;
    site.name = arena_copy(use->r->arena, str_c(name), name->n, use->r->st);
    return site.name && sites_add(use->r->out, site, use->r->st);
}

static void put(struct str *out, struct view v) { str_add(out, v.at, v.n); }

/* "a_" #b "_c" between the brackets of host_name, parameters replaced. */
static void host_name(struct str *out, const struct lex *body, size_t open, const struct macro *macro,
                      struct view args) {
    size_t close = lex_close(body, open);
    for (size_t i = open + 1; i < close; i++) {
        struct view v = lex_view(body, i);
        if (body->tokens[i].kind == LEX_STRING && v.n >= 2) put(out, (struct view){v.at + 1, v.n - 2});
        else if (body->tokens[i].kind == LEX_NAME) put(out, macros_argument(macro, args, v));
    }
}

/* From `template` to the end of the instantiation. */
static size_t declaration_end(const struct lex *body, size_t i) {
    while (i < body->n_tokens && !lex_is(body, i, ";")) i++;
    return i;
}

static bool add_template(struct use *use, const struct macro *macro, struct view args, const struct lex *body,
                         size_t begin, size_t end) {
    struct str name = {0};
    for (size_t i = begin; i < end && !name.n; i++)
        if (lex_is(body, i, "host_name") && lex_is(body, i + 1, "("))
            host_name(&name, body, i + 1, macro, args);
    size_t token = name.n ? SIZE_MAX : decl_name(body, begin, end);
    if (token != SIZE_MAX) put(&name, macros_argument(macro, args, lex_view(body, token)));
    bool ok = str_ok(&name, use->r->st) && (!name.n || add(use, &name));
    str_free(&name);
    return ok;
}

/* The arguments of an inner use, the outer parameters replaced. */
static void inner_arguments(struct str *out, const struct macro *macro, struct view args,
                            const struct lex *body, size_t open) {
    size_t close = lex_close(body, open);
    for (size_t i = open + 1; i < close; i++) {
        if (i > open + 1 && !lex_is(body, i, ",")) str_putc(out, ' ');
        put(out, macros_argument(macro, args, lex_view(body, i)));
    }
}

static bool expand(struct use *use, const struct macro *macro, struct view args, int depth);

static bool expand_inner(struct use *use, const struct macro *inner, const struct macro *macro,
                         struct view args, const struct lex *body, size_t at, int depth) {
    struct str text = {0};
    if (lex_is(body, at + 1, "(")) inner_arguments(&text, macro, args, body, at + 1);
    bool ok = str_ok(&text, use->r->st) && expand(use, inner, (struct view){str_c(&text), text.n}, depth + 1);
    str_free(&text);
    return ok;
}

static bool expand(struct use *use, const struct macro *macro, struct view args, int depth) {
    struct lex body;
    if (depth > MAX_DEPTH || use->n >= MAX_INSTANCES) return true;
    if (!site_may_expand(use->r, macro->body.n)) return true;
    if (!lex_text(&body, macro->body, use->r->st)) return false;
    bool ok = true;
    for (size_t i = 0; ok && i < body.n_tokens; i++) {
        const struct macro *inner =
            lex_is_name(&body, i) ? macros_find(&use->r->macros, lex_view(&body, i)) : NULL;
        if (lex_is(&body, i, "template") && !lex_is(&body, i + 1, "<")) {
            size_t end = declaration_end(&body, i);
            ok = add_template(use, macro, args, &body, i, end);
            i = end;
        } else if (inner && inner->instances && inner != macro) {
            ok = expand_inner(use, inner, macro, args, &body, i, depth);
        }
    }
    lex_free(&body);
    return ok;
}

bool instances_add(struct site_reader *r, const struct macro *macro, size_t use, size_t close) {
    const struct lex *lex = r->lex;
    bool closed = close < lex->n_tokens;
    size_t begin = lex->tokens[use].begin, end = closed ? lex->tokens[close].end : lex->text.n;
    struct use u = {.r = r,
                    .site = {.begin = begin,
                             .end = end,
                             .name_at = begin,
                             .body = SIZE_MAX,
                             .kind = SCAN_INSTANCE,
                             .exact = closed}};
    struct view args = {"", 0};
    if (closed && close > use + 1) {
        uint32_t from = lex->tokens[use + 1].end;
        args = (struct view){lex->text.at + from, lex->tokens[close].begin - from};
    }
    if (!expand(&u, macro, args, 0)) return false;
    if (u.n) return true;
    /* Cut off before anything was found: the use is an instance all the same. */
    u.site.name = arena_copy(r->arena, macro->name.at, macro->name.n, r->st);
    return u.site.name && sites_add(r->out, u.site, r->st);
}
