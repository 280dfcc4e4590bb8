/* jinja_parse: the grammar of statements, and what can be checked before a template runs. */
#include "engine/token/jinja_ast.h"

#include <string.h>

enum { MAX_BLOCKS = 100 };

static bool statements(struct parser *p, struct node **out, const char *const *ends, int *which);

/* --- bodies -------------------------------------------------------------------------------------------- */

/* The rest of a tag and the statements up to one of the ends (a list that NULL ends), which is taken. */
static bool body(struct parser *p, struct node **out, const char *const *ends, int *which) {
    jinja_take_op(p, ':');
    if (p->at->kind != TOKEN_BLOCK_END) return jinja_unexpected(p, "end of statement block");
    p->at++;
    if (++p->depth > MAX_BLOCKS)
        return jinja_fail(p->j, TEMPLATE_RECURSION, "statements nest deeper than %d levels", MAX_BLOCKS);
    if (!statements(p, out, ends, which)) return false;
    p->depth--;
    return true;
}

static bool body_until(struct parser *p, struct node **out, const char *end) {
    int which;
    return body(p, out, (const char *const[]){end, NULL}, &which);
}

static bool is_target(const struct node *n) {
    if (n->kind == NODE_NAME || n->kind == NODE_NAMESPACE_REF) return true;
    if (n->kind != NODE_TUPLE) return false;
    for (size_t i = 0; i < n->n_kids; i++)
        if (!is_target(n->kids[i])) return false;
    return true;
}

static bool target(struct parser *p, struct node **out, enum tuple_kind kind, const char *stop) {
    if (!jinja_tuple(p, out, kind, stop)) return false;
    return is_target(*out) || jinja_fail(p->j, TEMPLATE_SYNTAX, "can't assign to that: names are wanted");
}

/* --- statements ---------------------------------------------------------------------------------------- */

static bool parse_set(struct parser *p, struct node *n) {
    struct node *to, *value, *filter = NULL;
    if (!target(p, &to, TUPLE_SET_TARGET, NULL) || !jinja_node_add(p, n, to)) return false;
    if (jinja_take_op(p, '='))
        return jinja_tuple(p, &value, TUPLE_PLAIN, NULL) && jinja_node_add(p, n, value);
    n->kind = NODE_SET_BLOCK;
    return jinja_filters(p, &filter, false) && jinja_node_add(p, n, filter) &&
           body_until(p, &value, "endset") && jinja_node_add(p, n, value);
}

static bool assigns_loop(const struct node *n) {
    if (n->kind == NODE_NAME && jinja_text_is(n->name, "loop")) return true;
    for (size_t i = 0; n->kind == NODE_TUPLE && i < n->n_kids; i++)
        if (assigns_loop(n->kids[i])) return true;
    return false;
}

static bool parse_for(struct parser *p, struct node *n) {
    struct node *to, *items, *filter = NULL, *inner, *otherwise = NULL;
    int which;
    if (!target(p, &to, TUPLE_TARGET, "in")) return false;
    if (assigns_loop(to))
        return jinja_fail(p->j, TEMPLATE_SYNTAX, "Can't assign to special loop variable in for-loop target");
    if (!jinja_take_name(p, "in")) return jinja_unexpected(p, "'in'");
    if (!jinja_tuple(p, &items, TUPLE_NO_CONDITION, "recursive")) return false;
    if (jinja_take_name(p, "if") && !jinja_expression(p, &filter, true)) return false;
    n->op = jinja_take_name(p, "recursive");
    p->n_loops++;
    if (!body(p, &inner, (const char *const[]){"endfor", "else", NULL}, &which)) return false;
    p->n_loops--;
    if (which == 1 && !body_until(p, &otherwise, "endfor")) return false;
    return jinja_node_add(p, n, to) && jinja_node_add(p, n, items) && jinja_node_add(p, n, filter) &&
           jinja_node_add(p, n, inner) && jinja_node_add(p, n, otherwise);
}

static bool parse_if(struct parser *p, struct node *n) {
    struct node *test, *inner;
    int which;
    do {
        if (!jinja_tuple(p, &test, TUPLE_NO_CONDITION, NULL) || !jinja_node_add(p, n, test) ||
            !body(p, &inner, (const char *const[]){"endif", "elif", "else", NULL}, &which) ||
            !jinja_node_add(p, n, inner))
            return false;
    } while (which == 1);
    return which == 0 || (body_until(p, &inner, "endif") && jinja_node_add(p, n, inner));
}

bool jinja_params(struct parser *p, struct node *into) {
    bool defaults = false;
    if (!jinja_expect_op(p, '(', "'('")) return false;
    for (bool comma = false; !jinja_take_op(p, ')'); comma = true) {
        if (comma && !jinja_expect_op(p, ',', "','")) return false;
        struct node *n = jinja_node(p, NODE_PARAMETER, p->at->line), *value = NULL;
        if (!n) return false;
        if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "a name");
        n->name = p->at++->text;
        if (jinja_take_op(p, '=')) {
            defaults = true;
            if (!jinja_expression(p, &value, true)) return false;
        } else if (defaults)
            return jinja_fail(p->j, TEMPLATE_SYNTAX, "non-default argument follows default argument");
        if (!jinja_node_add(p, n, value) || !jinja_node_add(p, into, n)) return false;
    }
    return true;
}

/* Body first, though it comes last: the parameters follow it in the node. */
static bool with_body(struct parser *p, struct node *n, const char *end) {
    struct node *inner;
    int loops = p->n_loops;
    p->n_loops = 0;
    if (!body_until(p, &inner, end)) return false;
    p->n_loops = loops;
    n->kids[0] = inner;
    if (inner->depth >= n->depth) n->depth = inner->depth + 1;
    return true;
}

static bool parse_macro(struct parser *p, struct node *n) {
    if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "a name");
    n->name = p->at++->text;
    return jinja_node_add(p, n, NULL) && jinja_params(p, n) && with_body(p, n, "endmacro");
}

static bool parse_call(struct parser *p, struct node *n) {
    if (!jinja_node_add(p, n, NULL)) return false;
    if (p->at->kind == TOKEN_OPERATOR && p->at->op == '(' && !jinja_params(p, n)) return false;
    if (!jinja_expression(p, &n->call, true)) return false;
    if (n->call->kind != NODE_CALL) return jinja_fail(p->j, TEMPLATE_SYNTAX, "expected call");
    if (n->call->depth >= n->depth) n->depth = n->call->depth + 1;
    return with_body(p, n, "endcall");
}

static bool parse_filter(struct parser *p, struct node *n) {
    struct node *filter = NULL, *inner;
    return jinja_filters(p, &filter, true) && jinja_filters(p, &filter, false) &&
           jinja_node_add(p, n, filter) && body_until(p, &inner, "endfilter") && jinja_node_add(p, n, inner);
}

static bool parse_with(struct parser *p, struct node *n) {
    struct node *to, *value;
    if (!jinja_node_add(p, n, NULL)) return false;
    while (p->at->kind != TOKEN_BLOCK_END) {
        if (n->n_kids > 1 && !jinja_expect_op(p, ',', "','")) return false;
        if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "a name");
        to = jinja_node(p, NODE_NAME, p->at->line);
        if (!to) return false;
        to->name = p->at++->text;
        if (!jinja_expect_op(p, '=', "'='") || !jinja_expression(p, &value, true) ||
            !jinja_node_add(p, n, to) || !jinja_node_add(p, n, value))
            return false;
    }
    struct node *inner;
    if (!body_until(p, &inner, "endwith")) return false;
    n->kids[0] = inner;
    if (inner->depth >= n->depth) n->depth = inner->depth + 1;
    return true;
}

static bool parse_print(struct parser *p, struct node *n) {
    struct node *item;
    while (p->at->kind != TOKEN_BLOCK_END) {
        if (n->n_kids && !jinja_expect_op(p, ',', "','")) return false;
        if (!jinja_expression(p, &item, true) || !jinja_node_add(p, n, item)) return false;
    }
    return true;
}

static bool parse_generation(struct parser *p, struct node *n) {
    struct node *inner;
    return body_until(p, &inner, "endgeneration") && jinja_node_add(p, n, inner);
}

static bool parse_autoescape(struct parser *p, struct node *n) {
    struct node *inner;
    return jinja_expression(p, &inner, true) && body_until(p, &inner, "endautoescape") &&
           jinja_node_add(p, n, inner);
}

static bool parse_block(struct parser *p, struct node *n) {
    struct node *inner;
    if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "a name");
    p->at++;
    jinja_take_name(p, "scoped");
    jinja_take_name(p, "required");
    if (!body_until(p, &inner, "endblock") || !jinja_node_add(p, n, inner)) return false;
    if (p->at->kind == TOKEN_NAME) p->at++;
    return true;
}

static bool parse_jump(struct parser *p, struct node *n) {
    (void)n;
    return p->n_loops > 0 || jinja_fail(p->j, TEMPLATE_SYNTAX, "break and continue are for loops");
}

/* There is no other template to load; what follows is parsed only to find its end. */
static bool parse_loader(struct parser *p, struct node *n) {
    (void)n;
    while (p->at->kind != TOKEN_BLOCK_END && p->at->kind != TOKEN_EOF) p->at++;
    return true;
}

static const struct {
    const char *tag;
    enum node_kind kind;
    bool (*parse)(struct parser *p, struct node *n);
} tags[] = {
    {"set", NODE_SET, parse_set},
    {"if", NODE_IF, parse_if},
    {"for", NODE_FOR, parse_for},
    {"macro", NODE_MACRO, parse_macro},
    {"call", NODE_CALL_BLOCK, parse_call},
    {"filter", NODE_FILTER_BLOCK, parse_filter},
    {"with", NODE_WITH, parse_with},
    {"print", NODE_PRINT, parse_print},
    {"generation", NODE_SCOPE, parse_generation},
    {"autoescape", NODE_SCOPE, parse_autoescape},
    {"block", NODE_SCOPE, parse_block},
    {"break", NODE_BREAK, parse_jump},
    {"continue", NODE_CONTINUE, parse_jump},
    {"include", NODE_NO_LOADER, parse_loader},
    {"import", NODE_NO_LOADER, parse_loader},
    {"from", NODE_NO_LOADER, parse_loader},
    {"extends", NODE_NO_LOADER, parse_loader},
};

static bool statement(struct parser *p, struct node *block) {
    int line = p->j->line = p->at->line;
    if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "tag name");
    const struct text *tag = p->at->text;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (!jinja_text_is(tag, tags[i].tag)) continue;
        struct node *n = jinja_node(p, tags[i].kind, line);
        p->at++;
        if (!n || !tags[i].parse(p, n) || !jinja_node_add(p, block, n)) return false;
        if (p->at->kind != TOKEN_BLOCK_END) return jinja_unexpected(p, "end of statement block");
        p->at++;
        return true;
    }
    char name[VIEW_SHOWN];
    return jinja_fail(p->j, TEMPLATE_SYNTAX, "Encountered unknown tag '%s'",
                      view_shown(name, (struct view){tag->at, tag->n}));
}

static bool print(struct parser *p, struct node *block) {
    struct node *n = jinja_node(p, NODE_PRINT, p->at++->line), *item;
    if (!n || !jinja_tuple(p, &item, TUPLE_PLAIN, NULL) || !jinja_node_add(p, n, item)) return false;
    if (p->at->kind != TOKEN_PRINT_END) return jinja_unexpected(p, "end of print statement");
    p->at++;
    return jinja_node_add(p, block, n);
}

static bool data(struct parser *p, struct node *block) {
    struct node *n = jinja_node(p, NODE_TEXT, p->at->line);
    if (!n) return false;
    n->text = p->at++->text;
    return jinja_node_add(p, block, n);
}

/* Up to one of the ends, whose tag name is taken, or to the end of the template where there are none. */
static bool statements(struct parser *p, struct node **out, const char *const *ends, int *which) {
    struct node *block = *out = jinja_node(p, NODE_BLOCK, p->at->line);
    if (!block) return false;
    for (;;) {
        p->j->line = p->at->line;
        if (p->at->kind == TOKEN_EOF)
            return !ends ||
                   jinja_fail(p->j, TEMPLATE_SYNTAX, "Unexpected end of template: '%s' is missing", *ends);
        if (p->at->kind == TOKEN_DATA          ? !data(p, block)
            : p->at->kind == TOKEN_PRINT_BEGIN ? !print(p, block)
                                               : false)
            return false;
        if (p->at->kind != TOKEN_BLOCK_BEGIN) continue;
        p->at++;
        for (*which = 0; ends && ends[*which]; ++*which)
            if (jinja_take_name(p, ends[*which])) return true;
        if (!statement(p, block)) return false;
    }
}

/* --- names of filters and tests ------------------------------------------------------------------------ */

/* An unknown filter or test is refused at once; in the branches of an `if` only when it is reached. */
static bool check_names(struct parser *p, const struct node *n, bool branch) {
    if (!n) return true;
    bool filter = n->kind == NODE_FILTER;
    p->j->line = n->line;
    if (!branch && ((filter && !n->filter) || (n->kind == NODE_TEST && !n->test))) {
        char name[VIEW_SHOWN];
        return jinja_fail(p->j, TEMPLATE_SYNTAX, "No %s named '%s'.", filter ? "filter" : "test",
                          view_shown(name, (struct view){n->text->at, n->text->n}));
    }
    bool frame = n->kind == NODE_FOR || n->kind == NODE_MACRO || n->kind == NODE_CALL_BLOCK ||
                 n->kind == NODE_SCOPE || n->kind == NODE_WITH || n->kind == NODE_SET_BLOCK ||
                 n->kind == NODE_FILTER_BLOCK;
    bool inside = !frame && (branch || n->kind == NODE_IF || n->kind == NODE_COND);
    for (size_t i = 0; i < n->n_kids; i++)
        if (!check_names(p, n->kids[i], inside)) return false;
    return check_names(p, n->call, inside);
}

bool jinja_parse(struct jinja *j, struct node **out, const struct token *tokens) {
    struct parser p = {.j = j, .at = tokens};
    int which;
    return statements(&p, out, NULL, &which) && check_names(&p, *out, false);
}
