/* jinja_ast: the syntax tree of a template, and the way from text to tree. Internal to engine/token.
 *
 * Owns:    nodes and texts lie in the template's arena.
 * Trusts:  nothing: nesting is bounded, so that walking a tree cannot use up the stack.
 * Threads: constant once parsed.
 */
#ifndef ENGINE_TOKEN_JINJA_AST_H
#define ENGINE_TOKEN_JINJA_AST_H

#include "engine/token/jinja.h"

enum node_kind {
    /* expressions */
    NODE_CONST,
    NODE_NAME,
    NODE_LIST,
    NODE_TUPLE,
    NODE_DICT,    /* key, value, key, value ... */
    NODE_NEGATE,  /* op: '-' or '+' */
    NODE_MATH,    /* op as in jinja_math */
    NODE_CONCAT,  /* ~ */
    NODE_COMPARE, /* the first operand, then NODE_OPERANDs */
    NODE_OPERAND, /* op: JINJA_OP of ==, !=, <, <=, >, >=, or 'i' (in), 'n' (not in) */
    NODE_NOT,
    NODE_AND,
    NODE_OR,
    NODE_COND,          /* test, then, else or NULL */
    NODE_ATTRIBUTE,     /* x.name */
    NODE_ITEM,          /* x[key] */
    NODE_SLICE,         /* the key of x[a:b:c], parts may be NULL */
    NODE_CALL,          /* callee, arguments */
    NODE_FILTER,        /* input or NULL, arguments */
    NODE_TEST,          /* input, arguments */
    NODE_ARGUMENT,      /* with a name when it is a keyword */
    NODE_SPREAD,        /* *args */
    NODE_SPREAD_MAP,    /* **kwargs */
    NODE_NAMESPACE_REF, /* target of `set ns.x`: name is x, text the namespace's name */
    /* statements */
    NODE_BLOCK,
    NODE_TEXT,
    NODE_PRINT,
    NODE_IF,           /* test, body, test, body, ..., else where the count is odd */
    NODE_FOR,          /* target, iterable, test or NULL, body, else or NULL; op: recursive */
    NODE_SET,          /* target, expression */
    NODE_SET_BLOCK,    /* target, filter or NULL, body */
    NODE_MACRO,        /* body, parameters */
    NODE_PARAMETER,    /* default or NULL */
    NODE_CALL_BLOCK,   /* body, parameters; call in .call */
    NODE_FILTER_BLOCK, /* filter, body */
    NODE_WITH,         /* body, target, value, target, value ... */
    NODE_SCOPE,        /* body: what is set inside stays there */
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_NO_LOADER, /* include, import, extends */
};

struct node {
    enum node_kind kind;
    int line, op, depth;
    const struct text *name; /* interned */
    const struct text *text;
    struct value constant;
    const struct filter *filter; /* NULL: unknown, an error where it is reached */
    const struct test *test;
    struct node *call;
    struct node **kids;
    size_t n_kids, room;
};

enum token_kind {
    TOKEN_DATA,
    TOKEN_PRINT_BEGIN,
    TOKEN_PRINT_END,
    TOKEN_BLOCK_BEGIN,
    TOKEN_BLOCK_END,
    TOKEN_NAME,
    TOKEN_TEXT,
    TOKEN_NUMBER,
    TOKEN_OPERATOR,
    TOKEN_EOF,
};
#define JINJA_OP(first, second) ((first) | (second) << 8)

struct token {
    enum token_kind kind;
    int line, op;
    const struct text *text; /* names interned */
    struct value number;
};

/* The tokens of a template, the last of them TOKEN_EOF. */
bool jinja_lex(struct jinja *j, struct token **out, size_t *n, struct view source) STATUS_MUST_USE;

struct parser {
    struct jinja *j;
    const struct token *at;
    int depth;
    int n_loops; /* around the statement */
};
bool jinja_parse(struct jinja *j, struct node **out, const struct token *tokens) STATUS_MUST_USE;

/* Shared by statements (jinja_parse.c) and expressions (jinja_expression.c). */
struct node *jinja_node(struct parser *p, enum node_kind kind, int line);
bool jinja_node_add(struct parser *p, struct node *parent,
                    struct node *kid) STATUS_MUST_USE; /* NULL kids too */
bool jinja_unexpected(struct parser *p, const char *wanted);
bool jinja_take_op(struct parser *p, int op);
bool jinja_take_name(struct parser *p, const char *name);
bool jinja_expect_op(struct parser *p, int op, const char *shown) STATUS_MUST_USE;
bool jinja_expression(struct parser *p, struct node **out, bool conditional) STATUS_MUST_USE;
/* One expression or, with commas, a tuple; ends before `in` or `recursive` (stop) too. */
enum tuple_kind { TUPLE_PLAIN, TUPLE_NO_CONDITION, TUPLE_IN_PARENTHESES, TUPLE_TARGET, TUPLE_SET_TARGET };
bool jinja_tuple(struct parser *p, struct node **out, enum tuple_kind kind, const char *stop) STATUS_MUST_USE;
bool jinja_filters(struct parser *p, struct node **node, bool first_inline) STATUS_MUST_USE;
bool jinja_params(struct parser *p, struct node *into) STATUS_MUST_USE;

/* Runs a template; the text goes to j->out. */
bool jinja_run(struct jinja *j, const struct node *root) STATUS_MUST_USE;
bool jinja_eval(struct jinja *j, struct value *out, const struct node *n) STATUS_MUST_USE;
bool jinja_eval_args(struct jinja *j, struct args *out, const struct node *call) STATUS_MUST_USE;
bool jinja_macro_call(struct jinja *j, struct value *out, const struct macro *m,
                      const struct args *args) STATUS_MUST_USE;
bool jinja_loop_call(struct jinja *j, struct value *out, const struct loop *loop,
                     const struct args *args) STATUS_MUST_USE;
bool jinja_bind_name(struct jinja *j, struct scope *scope, const struct text *name,
                     const struct value *v) STATUS_MUST_USE;

#endif
