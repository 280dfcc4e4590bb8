#include "coverage/scan/syntax.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_c(void);
const TSLanguage *tree_sitter_cpp(void);
const TSLanguage *tree_sitter_cuda(void);
const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_glsl(void);
const TSLanguage *tree_sitter_hlsl(void);

static const void *language_c(void) { return tree_sitter_c(); }
static const void *language_cpp(void) { return tree_sitter_cpp(); }
static const void *language_cuda(void) { return tree_sitter_cuda(); }
static const void *language_python(void) { return tree_sitter_python(); }
static const void *language_glsl(void) { return tree_sitter_glsl(); }
static const void *language_hlsl(void) { return tree_sitter_hlsl(); }

static const struct syntax_grammar grammars[] = {
    {"c", language_c, false},          {"cpp", language_cpp, false},   {"cuda", language_cuda, false},
    {"python", language_python, true}, {"glsl", language_glsl, false}, {"hlsl", language_hlsl, false},
};

const struct syntax_grammar *syntax_grammar(const char *name) {
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++)
        if (strcmp(grammars[i].name, name) == 0) return &grammars[i];
    return NULL;
}

uint64_t syntax_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- parsing ------------------------------------------------------------------------------------- */

static const char *read_text(void *payload, uint32_t byte, TSPoint position, uint32_t *n) {
    (void)position;
    const struct view *text = payload;
    *n = byte < text->n ? (uint32_t)(text->n - byte) : 0;
    return *n ? text->at + byte : "";
}

static bool is_late(TSParseState *state) { return syntax_now() > *(const uint64_t *)state->payload; }

struct parts {
    const struct syntax_range *at;
    size_t n;
};

/* Only bytes are asked of the tree, so a point need only grow with its byte. */
static bool include(TSParser *parser, const struct parts *parts, struct status *st) {
    TSRange *ranges = calloc(parts->n + 1, sizeof *ranges);
    if (!ranges) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu ranges", parts->n);
    for (size_t i = 0; i < parts->n; i++) {
        uint32_t begin = (uint32_t)parts->at[i].begin, end = (uint32_t)parts->at[i].end;
        ranges[i] = (TSRange){{begin, 0}, {end, 0}, begin, end};
    }
    bool ok = ts_parser_set_included_ranges(parser, ranges, (uint32_t)parts->n);
    assert(ok); /* in order and disjoint */
    free(ranges);
    return ok;
}

static bool load(TSParser *parser, const struct syntax_grammar *grammar, struct status *st) {
    const TSLanguage *language = grammar->language();
    if (language && ts_parser_set_language(parser, language)) return true;
    return status_fail(st, STATUS_UNSUPPORTED,
                       "grammar %s has ABI %u, the tree-sitter runtime takes %d to %d; run "
                       "tools/fetch-grammars and build again",
                       grammar->name, language ? ts_language_abi_version(language) : 0,
                       TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION, TREE_SITTER_LANGUAGE_VERSION);
}

/* NULL and true when the deadline passed. */
static bool parse(TSTree **tree, struct view *text, const struct parts *parts,
                  const struct syntax_grammar *grammar, uint64_t *deadline, struct status *st) {
    TSParser *parser = ts_parser_new();
    if (!parser) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a parser");
    bool ok = load(parser, grammar, st) && include(parser, parts, st);
    if (ok)
        *tree = ts_parser_parse_with_options(
            parser, NULL, (TSInput){.payload = text, .read = read_text, .encoding = TSInputEncodingUTF8},
            (TSParseOptions){.payload = deadline, .progress_callback = is_late});
    ts_parser_delete(parser);
    return ok;
}

/* --- walking ------------------------------------------------------------------------------------- */

struct walker {
    struct syntax *out;
    const struct syntax_grammar *grammar;
    const struct parts *parts;
    size_t part;      /* the first range that does not end before the last error node */
    size_t error_end; /* of the outermost error node we are in */
    bool failed;
};

/* An error node spans what lies between the ranges too; that was never parsed. Nodes come in order. */
static void add_error(struct walker *w, size_t begin, size_t end) {
    const struct parts *parts = w->parts;
    while (w->part < parts->n && parts->at[w->part].end <= begin) w->part++;
    for (size_t i = w->part; i < parts->n && parts->at[i].begin < end; i++) {
        size_t from = parts->at[i].begin > begin ? parts->at[i].begin : begin;
        size_t to = parts->at[i].end < end ? parts->at[i].end : end;
        if (to > from) w->out->error_bytes += to - from;
    }
    w->error_end = end;
}

static TSNode field(TSNode node, const char *name) {
    return ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

/* declarator of declarator of ... down to the name itself. */
static TSNode name_node(TSNode function) {
    TSNode name = field(function, "name");
    if (!ts_node_is_null(name)) return name;
    TSNode node = field(function, "declarator");
    for (int depth = 0; depth < 32 && !ts_node_is_null(node); depth++) {
        TSNode inner = field(node, "declarator");
        if (ts_node_is_null(inner)) inner = field(node, "name");
        if (ts_node_is_null(inner)) break;
        node = inner;
    }
    return node;
}

static void add_function(struct walker *w, TSNode node) {
    TSNode body = field(node, "body");
    if (ts_node_is_null(body)) return;
    struct syntax *out = w->out;
    if (out->n == out->room) {
        size_t room = out->room ? out->room * 2 : 64;
        struct syntax_function *at = realloc(out->at, room * sizeof *at);
        if (!at) {
            w->failed = true;
            return;
        }
        out->at = at;
        out->room = room;
    }
    TSNode name = name_node(node);
    struct syntax_function f = {
        .key = w->grammar->by_definition ? ts_node_start_byte(node) : ts_node_start_byte(body),
        .begin = ts_node_start_byte(node),
        .end = ts_node_end_byte(node),
        .clean = !ts_node_has_error(node),
    };
    if (!ts_node_is_null(name)) {
        f.name = ts_node_start_byte(name);
        f.name_end = ts_node_end_byte(name);
    }
    out->at[out->n++] = f;
}

/* A lambda is the kernel of SYCL. */
static bool is_function(const char *type) {
    return strcmp(type, "function_definition") == 0 || strcmp(type, "lambda_expression") == 0;
}

static void visit(struct walker *w, TSNode node) {
    if (ts_node_is_error(node)) {
        size_t begin = ts_node_start_byte(node), end = ts_node_end_byte(node);
        if (begin >= w->error_end) add_error(w, begin, end);
    } else if (is_function(ts_node_type(node))) {
        add_function(w, node);
    }
}

/* Depth first without recursion: trees are as deep as hostile text makes them. */
static void walk(struct walker *w, TSTree *tree) {
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    bool more = true;
    while (more && !w->failed) {
        visit(w, ts_tree_cursor_current_node(&cursor));
        if (ts_tree_cursor_goto_first_child(&cursor)) continue;
        while (!ts_tree_cursor_goto_next_sibling(&cursor))
            if (!ts_tree_cursor_goto_parent(&cursor)) {
                more = false;
                break;
            }
    }
    ts_tree_cursor_delete(&cursor);
}

static int by_key(const void *a, const void *b) {
    const struct syntax_function *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

bool syntax_parse(struct syntax *out, struct view text, const struct syntax_range *ranges, size_t n_ranges,
                  const struct syntax_grammar *grammar, uint64_t deadline, struct status *st) {
    assert(text.n < UINT32_MAX && n_ranges < UINT32_MAX);
    *out = (struct syntax){0};
    TSTree *tree = NULL;
    struct parts parts = {ranges, n_ranges};
    if (!parse(&tree, &text, &parts, grammar, &deadline, st)) return false;
    if (!tree) {
        out->stopped = true;
        return true;
    }
    struct walker w = {.out = out, .grammar = grammar, .parts = &parts};
    walk(&w, tree);
    ts_tree_delete(tree);
    if (w.failed) {
        syntax_free(out);
        return status_fail(st, STATUS_NO_MEMORY, "out of memory for the functions of a file");
    }
    if (out->n) qsort(out->at, out->n, sizeof *out->at, by_key);
    return true;
}

void syntax_free(struct syntax *syntax) {
    free(syntax->at);
    *syntax = (struct syntax){0};
}

const struct syntax_function *syntax_find(const struct syntax *syntax, size_t key) {
    size_t low = 0, high = syntax->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (syntax->at[middle].key < key) low = middle + 1;
        else high = middle;
    }
    return low < syntax->n && syntax->at[low].key == key ? &syntax->at[low] : NULL;
}
