#include "coverage/scan/site.h"

#include "coverage/scan/decl.h"
#include "coverage/scan/include.h"
#include "coverage/scan/instances.h"
#include "coverage/scan/macro.h"
#include "coverage/scan/simd.h"
#include "coverage/scan/sycl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool sites_add(struct sites *sites, struct site site, struct status *st) {
    if (sites->n == sites->room) {
        size_t room = sites->room ? sites->room * 2 : 32;
        struct site *at = realloc(sites->at, room * sizeof *at);
        if (!at) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu kernels", room);
        sites->at = at;
        sites->room = room;
    }
    sites->at[sites->n++] = site;
    return true;
}

void sites_free(struct sites *sites) {
    free(sites->at);
    *sites = (struct sites){0};
}

struct view site_stem(const char *path) {
    const char *slash = strrchr(path, '/');
    struct view name = view_of(slash ? slash + 1 : path);
    const char *dot = memchr(name.at, '.', name.n);
    if (dot && dot > name.at) name.n = (size_t)(dot - name.at);
    return name;
}

static int mark_cuda(struct view name) {
    return view_is(name, "__global__") || view_is(name, "CUTLASS_GLOBAL");
}
static int mark_metal(struct view name) { return view_is(name, "kernel"); }
static int mark_opencl(struct view name) { return view_is(name, "kernel") || view_is(name, "__kernel"); }
static int mark_hlsl(struct view name) { return view_is(name, "numthreads"); }

/* "" and true when there is none. */
static bool copy_name(const char **out, struct site_reader *f, struct view name) {
    *out = arena_copy(f->arena, name.at, name.n, f->st);
    return *out != NULL;
}

/* Between the parentheses that open at token `open`. */
static struct view arguments(const struct lex *lex, size_t open) {
    if (!lex_is(lex, open, "(")) return (struct view){"", 0};
    size_t close = lex_close(lex, open);
    uint32_t begin = lex->tokens[open].end;
    uint32_t end = close < lex->n_tokens ? lex->tokens[close].begin : (uint32_t)lex->text.n;
    return (struct view){lex->text.at + begin, end - begin};
}

bool site_may_expand(struct site_reader *r, size_t n) {
    enum { MAX_EXPANDED = 8 << 20, EACH = 64 };
    r->expanded += n + EACH;
    return r->expanded <= MAX_EXPANDED;
}

/* "" when macros were expanded enough. */
static bool macro_name(const char **out, struct site_reader *f, const struct macro *macro, size_t use) {
    struct str text = {0};
    if (!site_may_expand(f, macro->body.n)) return copy_name(out, f, (struct view){"", 0});
    macros_name(&text, macro, arguments(f->lex, use + 1));
    bool ok = str_ok(&text, f->st) && copy_name(out, f, (struct view){str_c(&text), text.n});
    str_free(&text);
    return ok;
}

/* host_name("x") in a head of Metal: x, or an empty view. */
static struct view host_name(const struct lex *lex, size_t head, size_t end) {
    for (size_t i = head; i + 2 < end; i++) {
        if (!lex_is(lex, i, "host_name") || lex->tokens[i + 2].kind != LEX_STRING) continue;
        struct view text = lex_view(lex, i + 2);
        if (text.n >= 2) return (struct view){text.at + 1, text.n - 2};
    }
    return (struct view){"", 0};
}

/* `NAME(add)(int a) {`: a macro that we do not know makes a name of `add`. The token to call it by. */
static size_t within_macro(const struct lex *lex, size_t token) {
    bool wraps = lex_is(lex, token + 1, "(") && lex_is_name(lex, token + 2) && lex_is(lex, token + 3, ")") &&
                 lex_is(lex, token + 4, "(");
    return wraps ? token + 2 : token;
}

/* The name of the function a head declares, and the token an editor jumps to. */
static bool name_of(struct site *site, struct site_reader *f, size_t head, size_t end) {
    size_t token = decl_name(f->lex, head, end);
    site->name_at = f->lex->tokens[token == SIZE_MAX ? head : token].begin;
    struct view host = f->language == SCAN_METAL ? host_name(f->lex, head, end) : (struct view){"", 0};
    if (host.n) return copy_name(&site->name, f, host);
    if (token == SIZE_MAX) return copy_name(&site->name, f, host);
    const struct macro *macro = macros_find(&f->macros, lex_view(f->lex, token));
    if (macro && macro->params.n) {
        if (!macro_name(&site->name, f, macro, token)) return false;
        if (site->name[0]) return true;
    }
    struct view name = lex_view(f->lex, within_macro(f->lex, token));
    return copy_name(&site->name, f, macros_alias(&f->macros, name));
}

static size_t end_of(const struct lex *lex, size_t token) {
    return token < lex->n_tokens ? lex->tokens[token].end : lex->text.n;
}

static bool add(struct site_reader *f, const struct decl *decl, enum scan_kind kind) {
    const struct lex *lex = f->lex;
    struct site site = {.begin = lex->tokens[decl->head].begin,
                        .end = end_of(lex, decl->close),
                        .body = decl->has_body ? lex->tokens[decl->open].begin : SIZE_MAX,
                        .kind = kind,
                        .exact = decl->close < lex->n_tokens};
    return name_of(&site, f, decl->head, decl->open) && sites_add(f->out, site, f->st);
}

static bool is_simd(const struct site_reader *f) { return f->language == SCAN_C || f->language == SCAN_CPP; }

/* A use of a macro that makes a kernel: DEFINE_ADD(float). */
static bool add_made(struct site_reader *f, const struct macro *macro, size_t use) {
    const struct lex *lex = f->lex;
    size_t close = lex_is(lex, use + 1, "(") ? lex_close(lex, use + 1) : use;
    bool helper = is_simd(f) && macros_inline(&f->macros, macro->name);
    struct site site = {.begin = lex->tokens[use].begin,
                        .end = end_of(lex, close),
                        .name_at = lex->tokens[use].begin,
                        .body = SIZE_MAX,
                        .kind = helper ? SCAN_HELPER : SCAN_KERNEL,
                        .exact = close < lex->n_tokens};
    return macro_name(&site.name, f, macro, use) && sites_add(f->out, site, f->st);
}

/* Takes the uses of macros that make or instantiate kernels off the front of a declaration: no semicolon need
 * part them from it. */
static bool take_made(struct site_reader *f, struct decl *decl) {
    const struct lex *lex = f->lex;
    while (decl->head < decl->open) {
        const struct macro *macro = macros_find(&f->macros, lex_view(lex, decl->head));
        bool instances = macro && macro->instances && !is_simd(f), call = lex_is(lex, decl->head + 1, "(");
        if (!instances && (!macro || !macro->makes || !call)) return true;
        size_t close = call ? lex_close(lex, decl->head + 1) : decl->head;
        bool ok = instances ? instances_add(f, macro, decl->head, close) : add_made(f, macro, decl->head);
        if (!ok) return false;
        decl->head = close < decl->open ? close + 1 : decl->open;
    }
    return true;
}

/* --- languages that mark a kernel with a word ---------------------------------------------------- */

static bool is_marked(const struct site_reader *f, const struct decl *decl) {
    for (size_t i = decl->head; i < decl->open; i++)
        if (f->lex->tokens[i].kind == LEX_NAME && macros_mark(&f->macros, lex_view(f->lex, i))) return true;
    return false;
}

/* Marks where no declaration was expected: the structure was misread, the kernel is still there. */
static bool add_strays(struct site_reader *f, size_t from, size_t to) {
    const struct lex *lex = f->lex;
    for (size_t i = from; i < to; i++) {
        if (lex->tokens[i].kind != LEX_NAME || !macros_mark(&f->macros, lex_view(lex, i))) continue;
        size_t j = i + 1;
        while (j < lex->n_tokens && lex->tokens[j].paren > lex->tokens[i].paren) j++;
        while (j < lex->n_tokens && !lex_is(lex, j, ";") && !lex_is(lex, j, "{") && !lex_is(lex, j, "}")) j++;
        struct decl decl = {.head = i, .open = j, .close = j, .has_body = lex_is(lex, j, "{")};
        if (decl.has_body) {
            decl.close = lex_close(lex, j);
            if (!add(f, &decl, SCAN_KERNEL)) return false;
        }
        i = j;
    }
    return true;
}

static bool is_instance(struct site_reader *f, const struct decl *decl) {
    const struct lex *lex = f->lex;
    if (lex_is(lex, decl->head, "extern")) return false;
    if (host_name(lex, decl->head, decl->open).n) return true;
    return lex_is(lex, decl->head, "template") && !lex_is(lex, decl->head + 1, "<");
}

/* Branches of an #if may each write a head of one body: `#ifdef A / kernel void a( / #else / kernel void b( /
 * #endif`. The first is added here, the last is the declaration's own. More than two are not known. */
static bool add_other_head(struct site_reader *f, const struct decl *decl) {
    const struct lex *lex = f->lex;
    unsigned paren = lex->tokens[decl->head].paren;
    size_t first = SIZE_MAX;
    for (size_t i = decl->head; i < decl->open; i++) {
        bool mark =
            lex_is_name(lex, i) && lex->tokens[i].paren == paren && macros_mark(&f->macros, lex_view(lex, i));
        if (mark && first == SIZE_MAX) first = i;
        else if (mark) {
            size_t name = decl_name(lex, first, i), last = decl_name(lex, i, decl->open);
            bool two =
                name != SIZE_MAX && last != SIZE_MAX && !view_equal(lex_view(lex, name), lex_view(lex, last));
            if (!two) return true;
            struct site site = {.begin = lex->tokens[decl->head].begin,
                                .end = end_of(lex, decl->close),
                                .body = lex->tokens[decl->open].begin,
                                .kind = SCAN_KERNEL,
                                .exact = decl->close < lex->n_tokens};
            return name_of(&site, f, first, i) && sites_add(f->out, site, f->st);
        }
    }
    return true;
}

static bool find_marked(struct site_reader *f) {
    struct decl_walk walk = {.lex = f->lex};
    struct decl decl;
    size_t seen = 0;
    while (decl_next(&walk, &decl)) {
        size_t close = decl.close < f->lex->n_tokens ? decl.close + 1 : f->lex->n_tokens;
        if (!add_strays(f, seen, decl.head) || !take_made(f, &decl)) return false;
        bool marked = decl.head < decl.open && is_marked(f, &decl);
        if (marked && decl.has_body && !(add_other_head(f, &decl) && add(f, &decl, SCAN_KERNEL)))
            return false;
        if (marked && !decl.has_body) {
            bool instance = is_instance(f, &decl);
            if (instance ? !add(f, &decl, SCAN_INSTANCE) : !add_strays(f, decl.head, decl.open)) return false;
        }
        if (decl.has_body && !add_strays(f, decl.open, decl.close)) return false;
        seen = close;
    }
    return add_strays(f, seen, f->lex->n_tokens);
}

/* A test case is given as an argument too: TEST(name, { ... }). */
static bool has_code(const struct lex *lex, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (lex_is(lex, i, "{") || lex_is(lex, i, ";")) return true;
    return false;
}

/* A file of nothing but includes and macro calls: each call instantiates a kernel of what is included. */
static bool find_instances(struct site_reader *f) {
    const struct lex *lex = f->lex;
    bool has_include = false;
    for (size_t i = 0; i < lex->n_directives; i++) has_include |= lex->directives[i].branch == LEX_INCLUDE;
    for (int pass = has_include ? 0 : 2; pass < 2; pass++) /* first look, then add */
        for (size_t i = 0; i < lex->n_tokens; i++) {
            if (lex_is(lex, i, ";")) continue;
            if (!lex_is_name(lex, i) || !lex_is(lex, i + 1, "(")) return true;
            size_t close = lex_close(lex, i + 1);
            if (close >= lex->n_tokens || has_code(lex, i + 1, close)) return true;
            struct site site = {.begin = lex->tokens[i].begin,
                                .end = lex->tokens[close].end,
                                .name_at = lex->tokens[i].begin,
                                .body = SIZE_MAX,
                                .kind = SCAN_INSTANCE,
                                .exact = true};
            struct view text = {lex->text.at + site.begin, site.end - site.begin};
            if (pass && !(copy_name(&site.name, f, text) && sites_add(f->out, site, f->st))) return false;
            i = close;
        }
    return true;
}

/* A Metal file that is the body of a kernel, for a host that writes the head (MLX): statements at file scope
 * that ask for their place in the grid. It is called after its file. */
static bool find_body(struct site_reader *f) {
    const struct lex *lex = f->lex;
    for (size_t i = 0; i < lex->n_tokens; i++) {
        const struct lex_token *t = &lex->tokens[i];
        if (t->brace || t->paren || !lex_is_name(lex, i)) continue;
        if (!view_starts(lex_view(lex, i), "thread") || !view_ends(lex_view(lex, i), "in_grid")) continue;
        struct site site = {.begin = lex->tokens[0].begin,
                            .end = lex->text.n,
                            .name_at = lex->tokens[0].begin,
                            .body = SIZE_MAX,
                            .kind = SCAN_KERNEL,
                            .exact = true};
        return copy_name(&site.name, f, site_stem(f->path)) && sites_add(f->out, site, f->st);
    }
    return true;
}

/* --- GLSL ---------------------------------------------------------------------------------------- */

static bool sets_local_size(const struct lex *lex) {
    for (size_t i = 0; i < lex->n_tokens; i++)
        if (lex_is_name(lex, i) && view_starts(lex_view(lex, i), "local_size_")) return true;
    return false;
}

static bool find_glsl(struct site_reader *f) {
    const struct lex *lex = f->lex;
    bool comp = view_ends(view_of(f->path), ".comp");
    if (!comp && !sets_local_size(lex)) return true;
    struct decl_walk walk = {.lex = lex};
    struct decl decl;
    size_t before = f->out->n;
    while (decl_next(&walk, &decl)) {
        size_t name = decl.has_body ? decl_name(lex, decl.head, decl.open) : SIZE_MAX;
        if (name == SIZE_MAX || !lex_is(lex, name, "main")) continue;
        if (!add(f, &decl, SCAN_KERNEL)) return false;
        if (!copy_name(&f->out->at[f->out->n - 1].name, f, site_stem(f->path))) return false;
    }
    bool includes = false;
    for (size_t i = 0; i < lex->n_directives; i++) includes |= lex->directives[i].branch == LEX_INCLUDE;
    if (f->out->n > before || !comp || !includes) return true;
    struct site site = {.end = lex->text.n, .body = SIZE_MAX, .kind = SCAN_INSTANCE, .exact = true};
    return copy_name(&site.name, f, site_stem(f->path)) && sites_add(f->out, site, f->st);
}

/* --- WGSL ---------------------------------------------------------------------------------------- */

/* @compute @workgroup_size(n) fn name(...) {...}: called after its file when it is main, as they all are. */
static bool add_compute(struct site_reader *f, size_t at) {
    const struct lex *lex = f->lex;
    size_t fn = at + 2;
    while (fn < lex->n_tokens && !lex_is(lex, fn, "fn") && !lex_is(lex, fn, "{") && !lex_is(lex, fn, ";"))
        fn++;
    size_t open = fn;
    while (open < lex->n_tokens && !lex_is(lex, open, "{") && !lex_is(lex, open, ";")) open++;
    if (!lex_is(lex, fn, "fn") || !lex_is_name(lex, fn + 1) || !lex_is(lex, open, "{")) return true;
    size_t close = lex_close(lex, open);
    struct view name = lex_view(lex, fn + 1);
    struct site site = {.begin = lex->tokens[at].begin,
                        .end = end_of(lex, close),
                        .name_at = lex->tokens[fn + 1].begin,
                        .body = SIZE_MAX,
                        .kind = SCAN_KERNEL,
                        .exact = close < lex->n_tokens};
    if (view_is(name, "main")) name = site_stem(f->path);
    return copy_name(&site.name, f, name) && sites_add(f->out, site, f->st);
}

static bool find_wgsl(struct site_reader *f) {
    for (size_t i = 0; i < f->lex->n_tokens; i++)
        if (lex_is(f->lex, i, "@") && lex_is(f->lex, i + 1, "compute") && !add_compute(f, i)) return false;
    return true;
}

/* --- SIMD in C and C++ --------------------------------------------------------------------------- */

/* `target` in a function's head is an attribute where it stands in brackets and before its own '(': a
 * function may be called target. */
static bool is_attribute(const struct lex *lex, size_t i) {
    return lex->tokens[i].paren > 0 && lex_is(lex, i + 1, "(");
}

/* The highest mark in [from, to); `target` counts only as an attribute. */
static int mark_in(const struct site_reader *f, size_t from, size_t to, bool head) {
    int mark = SIMD_NONE;
    for (size_t i = from; i < to && mark < SIMD_TYPE; i++) {
        if (f->lex->tokens[i].kind != LEX_NAME) continue;
        int own = macros_mark(&f->macros, lex_view(f->lex, i));
        const struct macro *macro = macros_find(&f->macros, lex_view(f->lex, i));
        if (own == SIMD_ATTRIBUTE && (!head || (!macro && !is_attribute(f->lex, i)))) own = SIMD_NONE;
        if (own > mark) mark = own;
    }
    return mark;
}

static bool is_inline(const struct site_reader *f, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (f->lex->tokens[i].kind == LEX_NAME && macros_inline(&f->macros, lex_view(f->lex, i))) return true;
    return false;
}

/* Does the function that `name` names take a vector by value? Such a one computes for a kernel, not for a
 * host. */
static bool takes_vector(const struct site_reader *f, size_t name, size_t end) {
    const struct lex *lex = f->lex;
    if (name == SIZE_MAX || !lex_is(lex, name + 1, "(")) return false;
    size_t close = lex_close(lex, name + 1);
    for (size_t i = name + 2; i < close && i < end; i++)
        if (lex_is_name(lex, i) && macros_mark(&f->macros, lex_view(lex, i)) == SIMD_TYPE &&
            lex_is_name(lex, i + 1) && (lex_is(lex, i + 2, ",") || i + 2 == close))
            return true;
    return false;
}

static bool has_loop(const struct lex *lex, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (lex_is(lex, i, "for") || lex_is(lex, i, "while")) return true;
    return false;
}

static bool add_function(struct site_reader *f, const struct decl *decl) {
    const struct lex *lex = f->lex;
    size_t name = decl_name(lex, decl->head, decl->open);
    size_t before_name = name == SIZE_MAX ? decl->open : name;
    int head = mark_in(f, decl->head, decl->open, true);
    bool simd = head || mark_in(f, decl->open, decl->close, false);
    bool is_static = false;
    for (size_t i = decl->head; i < before_name; i++) is_static |= lex_is(lex, i, "static");
    bool outer = !is_static && !(name != SIZE_MAX && lex_is(lex, name, "main"));
    bool named = f->isa_named && outer && has_loop(lex, decl->open, decl->close);
    if (!simd && !named && !(f->place && outer)) return true;
    bool returns_vector = mark_in(f, decl->head, before_name, true) == SIMD_TYPE;
    bool helper = returns_vector || takes_vector(f, name, decl->open) ||
                  is_inline(f, decl->head, before_name) || (f->place && is_static);
    return add(f, decl, helper ? SCAN_HELPER : SCAN_KERNEL);
}

static bool has_mark(const struct site_reader *r, int least) {
    for (size_t i = 0; i < r->lex->n_tokens; i++)
        if (r->lex->tokens[i].kind == LEX_NAME && macros_mark(&r->macros, lex_view(r->lex, i)) >= least)
            return true;
    return false;
}

static bool find_simd(struct site_reader *f) {
    if (!f->place && !f->isa_named && !has_mark(f, SIMD_ATTRIBUTE)) return true;
    struct decl_walk walk = {.lex = f->lex};
    struct decl decl;
    while (decl_next(&walk, &decl)) {
        if (!macros_learn_type(&f->macros, f->lex, &decl, SIMD_CODE, SIMD_TYPE, f->st) ||
            !take_made(f, &decl))
            return false;
        if (decl.has_body && !add_function(f, &decl)) return false;
    }
    return true;
}

/* --- all of them --------------------------------------------------------------------------------- */

static macro_mark *mark_of(enum scan_language language) {
    if (language == SCAN_CUDA || language == SCAN_HIP) return mark_cuda;
    if (language == SCAN_METAL) return mark_metal;
    if (language == SCAN_OPENCL) return mark_opencl;
    if (language == SCAN_HLSL) return mark_hlsl;
    return simd_mark;
}

bool site_open(struct site_reader *r, struct status *st) {
    r->st = st;
    r->isa_named = (r->language == SCAN_C || r->language == SCAN_CPP) && simd_names_isa(r->path);
    macros_init(&r->macros, mark_of(r->language));
    return include_macros(&r->macros, r->lex, r->folder, r->root, r->headers, r->arena, st) &&
           macros_read(&r->macros, r->lex, st);
}

void site_close(struct site_reader *r) { macros_free(&r->macros); }

bool site_find(struct site_reader *r) {
    if (r->language == SCAN_GLSL) return find_glsl(r);
    if (r->language == SCAN_WGSL) return find_wgsl(r);
    if (is_simd(r)) return sycl_find(r) && find_simd(r);
    if (!find_marked(r)) return false;
    if (r->out->n == 0 && r->language == SCAN_METAL) return find_body(r);
    bool instances = r->out->n == 0 && (r->language == SCAN_CUDA || r->language == SCAN_HIP);
    return !instances || find_instances(r);
}

bool site_judge(struct site_reader *r, size_t begin, size_t body, size_t end) {
    struct decl decl = {.head = lex_at(r->lex, begin), .open = lex_at(r->lex, body), .has_body = true};
    decl.close = lex_at(r->lex, end);
    if (decl.close > 0) decl.close--;
    if (decl.head >= decl.open || decl.open >= decl.close) return true;
    return add_function(r, &decl);
}

bool site_is_marked(const struct site_reader *r) { return has_mark(r, SIMD_CODE); }

bool site_has_global(const struct lex *lex) {
    for (size_t i = 0; i < lex->n_tokens; i++)
        if (lex_is_name(lex, i) && mark_cuda(lex_view(lex, i))) return true;
    return false;
}

bool site_has_metal(const struct lex *lex) {
    for (size_t i = 0; i < lex->n_tokens; i++) {
        if (!lex_is(lex, i, "[") || !lex_is(lex, i + 1, "[")) continue;
        if (lex_is(lex, i + 2, "kernel") || lex_is(lex, i + 2, "host_name")) return true;
    }
    return false;
}
