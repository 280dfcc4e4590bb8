/* jinja_expression: the grammar of expressions, from the loosest binding to the tightest. */
#include "engine/token/jinja_ast.h"

#include <string.h>

enum { MAX_NESTING = 150, MAX_TREE = 400 };

/* --- what statements use too --------------------------------------------------------------------------- */

struct node *jinja_node(struct parser *p, enum node_kind kind, int line) {
    struct node *n = jinja_alloc(p->j, 1, sizeof *n);
    if (!n) return NULL;
    n->kind = kind;
    n->line = line;
    n->depth = 1;
    return n;
}

bool jinja_node_add(struct parser *p, struct node *parent, struct node *kid) {
    if (!jinja_grow(p->j, (void **)&parent->kids, parent->n_kids, &parent->room, sizeof *parent->kids))
        return false;
    parent->kids[parent->n_kids++] = kid;
    if (kid && kid->depth >= parent->depth) parent->depth = kid->depth + 1;
    return parent->depth <= MAX_TREE ||
           jinja_fail(p->j, TEMPLATE_RECURSION, "the template nests deeper than %d levels", MAX_TREE);
}

static const char *shown(char out[VIEW_SHOWN], const struct token *t) {
    switch (t->kind) {
    case TOKEN_DATA: return "text";
    case TOKEN_PRINT_BEGIN: return "begin of print statement";
    case TOKEN_PRINT_END: return "end of print statement";
    case TOKEN_BLOCK_BEGIN: return "begin of statement block";
    case TOKEN_BLOCK_END: return "end of statement block";
    case TOKEN_NAME:
    case TOKEN_TEXT: return view_shown(out, (struct view){t->text->at, t->text->n});
    case TOKEN_NUMBER: return "a number";
    case TOKEN_OPERATOR:
        out[0] = (char)(t->op & 0xFF);
        out[1] = (char)(t->op >> 8);
        out[2] = 0;
        return out;
    case TOKEN_EOF: return "end of template";
    }
    return "?";
}

bool jinja_unexpected(struct parser *p, const char *wanted) {
    char out[VIEW_SHOWN];
    p->j->line = p->at->line;
    return jinja_fail(p->j, TEMPLATE_SYNTAX, "expected %s, got '%s'", wanted, shown(out, p->at));
}

static bool is_op(const struct token *t, int op) { return t->kind == TOKEN_OPERATOR && t->op == op; }
static bool is_name(const struct token *t, const char *name) {
    return t->kind == TOKEN_NAME && jinja_text_is(t->text, name);
}

bool jinja_take_op(struct parser *p, int op) { return is_op(p->at, op) && p->at++; }
bool jinja_take_name(struct parser *p, const char *name) { return is_name(p->at, name) && p->at++; }
bool jinja_expect_op(struct parser *p, int op, const char *what) {
    return jinja_take_op(p, op) || jinja_unexpected(p, what);
}

/* *out = a node of `kind` around two operands. */
static bool pair(struct parser *p, struct node **out, enum node_kind kind, int op, int line, struct node *a,
                 struct node *b) {
    struct node *n = jinja_node(p, kind, line);
    if (!n || !jinja_node_add(p, n, a) || !jinja_node_add(p, n, b)) return false;
    n->op = op;
    *out = n;
    return true;
}

static bool around(struct parser *p, struct node **out, enum node_kind kind, int op, int line,
                   struct node *inner) {
    struct node *n = jinja_node(p, kind, line);
    if (!n || !jinja_node_add(p, n, inner)) return false;
    n->op = op;
    *out = n;
    return true;
}

/* --- primaries ----------------------------------------------------------------------------------------- */

static bool constant(struct parser *p, struct node **out, struct value v) {
    *out = jinja_node(p, NODE_CONST, p->at->line);
    if (!*out) return false;
    (*out)->constant = v;
    p->at++;
    return true;
}

static bool name(struct parser *p, struct node **out, bool in_set) {
    const struct text *text = p->at->text;
    if (jinja_text_is(text, "true") || jinja_text_is(text, "True")) return constant(p, out, jinja_bool(true));
    if (jinja_text_is(text, "false") || jinja_text_is(text, "False"))
        return constant(p, out, jinja_bool(false));
    if (jinja_text_is(text, "none") || jinja_text_is(text, "None")) return constant(p, out, jinja_none());
    struct node *n = *out = jinja_node(p, NODE_NAME, p->at->line);
    if (!n) return false;
    n->name = text;
    p->at++;
    if (!in_set || !jinja_take_op(p, '.')) return true;
    if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "a name");
    n->kind = NODE_NAMESPACE_REF;
    n->text = n->name;
    n->name = p->at++->text;
    return true;
}

/* Texts that follow each other are one. */
static bool text(struct parser *p, struct node **out) {
    struct jinja_builder b = {.j = p->j};
    const struct token *first = p->at;
    for (; p->at->kind == TOKEN_TEXT; p->at++) jinja_add_text(&b, p->at->text);
    *out = jinja_node(p, NODE_CONST, first->line);
    return *out && jinja_built(&(*out)->constant, &b, false);
}

/* [a, b,] or {a: b, c: d,} */
static bool display(struct parser *p, struct node **out, enum node_kind kind, int close) {
    struct node *n = *out = jinja_node(p, kind, p->at++->line), *item;
    if (!n) return false;
    while (!is_op(p->at, close)) {
        if (n->n_kids && !jinja_expect_op(p, ',', "','")) return false;
        if (is_op(p->at, close)) break;
        if (!jinja_expression(p, &item, true) || !jinja_node_add(p, n, item)) return false;
        if (kind == NODE_DICT && (!jinja_expect_op(p, ':', "':'") || !jinja_expression(p, &item, true) ||
                                  !jinja_node_add(p, n, item)))
            return false;
    }
    p->at++;
    return true;
}

static bool primary(struct parser *p, struct node **out, bool in_set) {
    switch (p->at->kind) {
    case TOKEN_NAME: return name(p, out, in_set);
    case TOKEN_TEXT: return text(p, out);
    case TOKEN_NUMBER: return constant(p, out, p->at->number);
    default: break;
    }
    if (is_op(p->at, '[')) return display(p, out, NODE_LIST, ']');
    if (is_op(p->at, '{')) return display(p, out, NODE_DICT, '}');
    if (!jinja_take_op(p, '(')) return jinja_unexpected(p, "an expression");
    return jinja_tuple(p, out, TUPLE_IN_PARENTHESES, NULL) && jinja_expect_op(p, ')', "')'");
}

static bool ends_tuple(const struct parser *p, const char *stop) {
    return p->at->kind == TOKEN_PRINT_END || p->at->kind == TOKEN_BLOCK_END || is_op(p->at, ')') ||
           (stop && is_name(p->at, stop));
}

static bool tuple_part(struct parser *p, struct node **out, enum tuple_kind kind) {
    if (kind == TUPLE_TARGET || kind == TUPLE_SET_TARGET) return primary(p, out, kind == TUPLE_SET_TARGET);
    return jinja_expression(p, out, kind != TUPLE_NO_CONDITION);
}

bool jinja_tuple(struct parser *p, struct node **out, enum tuple_kind kind, const char *stop) {
    struct node *tuple = jinja_node(p, NODE_TUPLE, p->at->line), *part;
    bool commas = false;
    if (!tuple) return false;
    for (;;) {
        if (tuple->n_kids && !jinja_expect_op(p, ',', "','")) return false;
        if (ends_tuple(p, stop)) break;
        if (!tuple_part(p, &part, kind) || !jinja_node_add(p, tuple, part)) return false;
        if (!is_op(p->at, ',')) break;
        commas = true;
    }
    if (!commas && tuple->n_kids == 0 && kind != TUPLE_IN_PARENTHESES)
        return jinja_unexpected(p, "an expression");
    *out = !commas && tuple->n_kids ? tuple->kids[0] : tuple;
    return true;
}

/* --- arguments, filters, tests ------------------------------------------------------------------------- */

static bool argument(struct parser *p, struct node *call, int *stage) {
    enum { PLAIN, NAMED, SPREAD, SPREAD_MAP };
    struct node *n = jinja_node(p, NODE_ARGUMENT, p->at->line), *inner;
    int now = PLAIN;
    if (!n) return false;
    if (jinja_take_op(p, '*')) now = SPREAD;
    else if (jinja_take_op(p, JINJA_OP('*', '*'))) now = SPREAD_MAP;
    else if (p->at->kind == TOKEN_NAME && is_op(p->at + 1, '=')) {
        now = NAMED;
        n->name = p->at->text;
        p->at += 2;
    }
    if (*stage > now || (*stage == now && now >= SPREAD && now != NAMED))
        if (!(now == NAMED && *stage == SPREAD)) return jinja_unexpected(p, "another order of arguments");
    if (now > *stage) *stage = now;
    n->kind = now == SPREAD ? NODE_SPREAD : now == SPREAD_MAP ? NODE_SPREAD_MAP : NODE_ARGUMENT;
    return jinja_expression(p, &inner, true) && jinja_node_add(p, n, inner) && jinja_node_add(p, call, n);
}

static bool arguments(struct parser *p, struct node *call) {
    int stage = 0;
    p->at++;
    for (bool comma = false; !is_op(p->at, ')'); comma = true) {
        if (comma && !jinja_expect_op(p, ',', "','")) return false;
        if (is_op(p->at, ')')) break;
        if (!argument(p, call, &stage)) return false;
    }
    p->at++;
    return true;
}

static bool call(struct parser *p, struct node **node) {
    struct node *n = jinja_node(p, NODE_CALL, p->at->line);
    if (!n || !jinja_node_add(p, n, *node) || !arguments(p, n)) return false;
    *node = n;
    return true;
}

/* The name of a filter or test; dots may be in it. */
static bool dotted(struct parser *p, const struct text **out) {
    struct jinja_builder b = {.j = p->j};
    if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "a name");
    jinja_add_text(&b, p->at++->text);
    while (jinja_take_op(p, '.')) {
        if (p->at->kind != TOKEN_NAME) return jinja_unexpected(p, "a name");
        jinja_puts(&b, ".");
        jinja_add_text(&b, p->at++->text);
    }
    return jinja_built_text(out, &b, false);
}

bool jinja_filters(struct parser *p, struct node **node, bool first_inline) {
    while (first_inline || jinja_take_op(p, '|')) {
        first_inline = false;
        struct node *n = jinja_node(p, NODE_FILTER, p->at->line);
        if (!n || !dotted(p, &n->text) || !jinja_node_add(p, n, *node)) return false;
        n->filter = jinja_filter_find(n->text);
        if (is_op(p->at, '(') && !arguments(p, n)) return false;
        *node = n;
    }
    return true;
}

static bool postfix(struct parser *p, struct node **node);

/* A test may take one argument without parentheses. */
static bool starts_argument(const struct token *t) {
    if (is_name(t, "else") || is_name(t, "or") || is_name(t, "and")) return false;
    return t->kind == TOKEN_NAME || t->kind == TOKEN_TEXT || t->kind == TOKEN_NUMBER || is_op(t, '[') ||
           is_op(t, '{');
}

static bool test(struct parser *p, struct node **node) {
    int line = p->at++->line;
    bool negated = jinja_take_name(p, "not");
    struct node *n = jinja_node(p, NODE_TEST, line), *item;
    if (!n || !dotted(p, &n->text) || !jinja_node_add(p, n, *node)) return false;
    n->test = jinja_test_find(n->text);
    if (is_op(p->at, '(')) {
        if (!arguments(p, n)) return false;
    } else if (starts_argument(p->at)) {
        if (is_name(p->at, "is"))
            return jinja_fail(p->j, TEMPLATE_SYNTAX, "You cannot chain multiple tests with is");
        struct node *inner;
        if (!primary(p, &inner, false) || !postfix(p, &inner) ||
            !around(p, &item, NODE_ARGUMENT, 0, line, inner) || !jinja_node_add(p, n, item))
            return false;
    }
    *node = n;
    return !negated || around(p, node, NODE_NOT, 0, line, n);
}

/* --- subscripts ---------------------------------------------------------------------------------------- */

/* One part of [a:b:c] or the whole of [a]. */
static bool subscript(struct parser *p, struct node **out) {
    int line = p->at->line;
    struct node *first = NULL, *part;
    if (!is_op(p->at, ':') && !jinja_expression(p, &first, true)) return false;
    *out = first;
    if (!is_op(p->at, ':')) return true;
    struct node *slice = *out = jinja_node(p, NODE_SLICE, line);
    if (!slice || !jinja_node_add(p, slice, first)) return false;
    for (int i = 1; i < 3; i++) {
        part = NULL;
        if (jinja_take_op(p, ':') && !is_op(p->at, ':') && !is_op(p->at, ']') && !is_op(p->at, ',') &&
            !jinja_expression(p, &part, true))
            return false;
        if (!jinja_node_add(p, slice, part)) return false;
    }
    return true;
}

static bool bracket(struct parser *p, struct node **node) {
    int line = p->at++->line;
    struct node *keys = jinja_node(p, NODE_TUPLE, line), *key;
    if (!keys) return false;
    while (!is_op(p->at, ']')) {
        if (keys->n_kids && !jinja_expect_op(p, ',', "','")) return false;
        if (!subscript(p, &key) || !jinja_node_add(p, keys, key)) return false;
    }
    p->at++;
    return pair(p, node, NODE_ITEM, 0, line, *node, keys->n_kids == 1 ? keys->kids[0] : keys);
}

static bool dot(struct parser *p, struct node **node) {
    int line = p->at++->line;
    struct node *key;
    if (p->at->kind == TOKEN_NAME) {
        const struct text *attribute = p->at++->text;
        if (!around(p, node, NODE_ATTRIBUTE, 0, line, *node)) return false;
        (*node)->name = attribute;
        return true;
    }
    if (p->at->kind != TOKEN_NUMBER || p->at->number.kind != VALUE_INT)
        return jinja_unexpected(p, "name or number");
    return constant(p, &key, p->at->number) && pair(p, node, NODE_ITEM, 0, line, *node, key);
}

static bool postfix(struct parser *p, struct node **node) {
    for (;;) {
        if (is_op(p->at, '.')   ? !dot(p, node)
            : is_op(p->at, '[') ? !bracket(p, node)
            : is_op(p->at, '(') ? !call(p, node)
                                : false)
            return false;
        if (!is_op(p->at, '.') && !is_op(p->at, '[') && !is_op(p->at, '(')) return true;
    }
}

static bool postfix_filters(struct parser *p, struct node **node) {
    for (;;) {
        if (is_op(p->at, '|')) {
            if (!jinja_filters(p, node, false)) return false;
        } else if (is_name(p->at, "is")) {
            if (!test(p, node)) return false;
        } else if (is_op(p->at, '(')) {
            if (!call(p, node)) return false;
        } else return true;
    }
}

/* --- operators ----------------------------------------------------------------------------------------- */

static bool deeper(struct parser *p) {
    if (++p->depth <= MAX_NESTING) return true;
    p->j->line = p->at->line;
    return jinja_fail(p->j, TEMPLATE_RECURSION, "expressions nest deeper than %d levels", MAX_NESTING);
}

static bool unary(struct parser *p, struct node **out, bool filters) {
    int line = p->at->line, op = p->at->op;
    if (!deeper(p)) return false;
    bool sign = jinja_take_op(p, '-') || jinja_take_op(p, '+');
    if (sign ? !unary(p, out, false) || !around(p, out, NODE_NEGATE, op, line, *out)
             : !primary(p, out, false))
        return false;
    p->depth--;
    return postfix(p, out) && (!filters || postfix_filters(p, out));
}

static bool power(struct parser *p, struct node **out) {
    struct node *right;
    if (!unary(p, out, true)) return false;
    for (int line = p->at->line; jinja_take_op(p, JINJA_OP('*', '*')); line = p->at->line)
        if (!unary(p, &right, true) || !pair(p, out, NODE_MATH, 'p', line, *out, right)) return false;
    return true;
}

static bool product(struct parser *p, struct node **out) {
    struct node *right;
    if (!power(p, out)) return false;
    for (;;) {
        int line = p->at->line;
        int op = jinja_take_op(p, '*')                  ? '*'
                 : jinja_take_op(p, '/')                ? '/'
                 : jinja_take_op(p, JINJA_OP('/', '/')) ? 'd'
                 : jinja_take_op(p, '%')                ? '%'
                                                        : 0;
        if (!op) return true;
        if (!power(p, &right) || !pair(p, out, NODE_MATH, op, line, *out, right)) return false;
    }
}

static bool concat(struct parser *p, struct node **out) {
    if (!product(p, out)) return false;
    if (!is_op(p->at, '~')) return true;
    struct node *n, *part;
    if (!around(p, &n, NODE_CONCAT, 0, p->at->line, *out)) return false;
    while (jinja_take_op(p, '~'))
        if (!product(p, &part) || !jinja_node_add(p, n, part)) return false;
    *out = n;
    return true;
}

static bool sum(struct parser *p, struct node **out) {
    struct node *right;
    if (!concat(p, out)) return false;
    for (;;) {
        int line = p->at->line, op = jinja_take_op(p, '+') ? '+' : jinja_take_op(p, '-') ? '-' : 0;
        if (!op) return true;
        if (!concat(p, &right) || !pair(p, out, NODE_MATH, op, line, *out, right)) return false;
    }
}

static int compare_op(struct parser *p) {
    static const int ops[] = {
        JINJA_OP('=', '='), JINJA_OP('!', '='), JINJA_OP('<', '='), JINJA_OP('>', '='), '<', '>'};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (jinja_take_op(p, ops[i])) return ops[i];
    if (jinja_take_name(p, "in")) return 'i';
    if (!is_name(p->at, "not") || !is_name(p->at + 1, "in")) return 0;
    p->at += 2;
    return 'n';
}

static bool comparison(struct parser *p, struct node **out) {
    struct node *n = NULL, *right, *operand;
    if (!sum(p, out)) return false;
    for (;;) {
        int line = p->at->line, op = compare_op(p);
        if (!op) return true;
        if (!n) {
            if (!around(p, &n, NODE_COMPARE, 0, line, *out)) return false;
            *out = n;
        }
        if (!sum(p, &right) || !around(p, &operand, NODE_OPERAND, op, line, right) ||
            !jinja_node_add(p, n, operand))
            return false;
    }
}

static bool negation(struct parser *p, struct node **out) {
    int line = p->at->line;
    if (!jinja_take_name(p, "not")) return comparison(p, out);
    if (!deeper(p) || !negation(p, out) || !around(p, out, NODE_NOT, 0, line, *out)) return false;
    p->depth--;
    return true;
}

static bool conjunction(struct parser *p, struct node **out) {
    struct node *right;
    if (!negation(p, out)) return false;
    for (int line = p->at->line; jinja_take_name(p, "and"); line = p->at->line)
        if (!negation(p, &right) || !pair(p, out, NODE_AND, 0, line, *out, right)) return false;
    return true;
}

static bool disjunction(struct parser *p, struct node **out) {
    struct node *right;
    if (!conjunction(p, out)) return false;
    for (int line = p->at->line; jinja_take_name(p, "or"); line = p->at->line)
        if (!conjunction(p, &right) || !pair(p, out, NODE_OR, 0, line, *out, right)) return false;
    return true;
}

bool jinja_expression(struct parser *p, struct node **out, bool conditional) {
    struct node *condition, *otherwise, *n;
    if (!deeper(p) || !disjunction(p, out)) return false;
    for (int line = p->at->line; conditional && jinja_take_name(p, "if"); line = p->at->line) {
        otherwise = NULL;
        if (!disjunction(p, &condition)) return false;
        if (jinja_take_name(p, "else") && !jinja_expression(p, &otherwise, true)) return false;
        if (!pair(p, &n, NODE_COND, 0, line, condition, *out) || !jinja_node_add(p, n, otherwise))
            return false;
        *out = n;
    }
    p->depth--;
    return true;
}
