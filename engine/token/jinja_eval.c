/* jinja_eval: the value of an expression. */
#include "engine/token/jinja_ast.h"

#include <string.h>

static bool eval_name(struct jinja *j, struct value *out, const struct node *n) {
    for (const struct scope *s = j->scope; s; s = s->up)
        for (size_t i = s->n; i-- > 0;) {
            if (s->bindings[i].name != n->name) continue;
            *out = s->bindings[i].value;
            return true;
        }
    const struct function *f = jinja_global(n->name);
    *out = (struct value){.kind = VALUE_FUNCTION, .function = f};
    return f || jinja_undefined(j, out, n->name, NULL);
}

static bool eval_list(struct jinja *j, struct value *out, const struct node *n) {
    struct list *list;
    if (!jinja_list_new(j, &list, n->n_kids)) return false;
    for (size_t i = 0; i < n->n_kids; i++)
        if (!jinja_eval(j, &list->items[i], n->kids[i])) return false;
    *out = (struct value){.kind = n->kind == NODE_LIST ? VALUE_LIST : VALUE_TUPLE, .list = list};
    return true;
}

static bool eval_dict(struct jinja *j, struct value *out, const struct node *n) {
    struct dict *d = jinja_alloc(j, 1, sizeof *d);
    struct value key, v;
    if (!d) return false;
    for (size_t i = 0; i + 1 < n->n_kids; i += 2)
        if (!jinja_eval(j, &key, n->kids[i]) || !jinja_eval(j, &v, n->kids[i + 1]) ||
            !jinja_dict_set(j, d, &key, &v))
            return false;
    *out = (struct value){.kind = VALUE_DICT, .dict = d};
    return true;
}

static bool eval_math(struct jinja *j, struct value *out, const struct node *n) {
    struct value a, b;
    return jinja_eval(j, &a, n->kids[0]) && jinja_eval(j, &b, n->kids[1]) &&
           jinja_math(j, out, &a, &b, (char)n->op);
}

static bool eval_concat(struct jinja *j, struct value *out, const struct node *n) {
    struct jinja_builder b = {.j = j};
    for (size_t i = 0; i < n->n_kids; i++) {
        struct value v;
        if (!jinja_eval(j, &v, n->kids[i])) return false;
        jinja_print(&b, &v);
    }
    return jinja_built(out, &b, false);
}

static bool holds(struct jinja *j, bool *out, const struct value *a, const struct value *b, int op) {
    const char shown[] = {(char)(op & 0xFF), (char)(op >> 8), 0};
    int order;
    switch (op) {
    case JINJA_OP('=', '='): return jinja_equal(j, out, a, b);
    case JINJA_OP('!', '='):
        if (!jinja_equal(j, out, a, b)) return false;
        *out = !*out;
        return true;
    case 'i': return jinja_contains(j, out, a, b);
    case 'n':
        if (!jinja_contains(j, out, a, b)) return false;
        *out = !*out;
        return true;
    default: break;
    }
    enum { UNORDERED = 2 };
    if (!jinja_compare(j, &order, a, b, shown)) return false;
    *out = op == '<' ? order < 0 : op == '>' ? order > 0 : op == JINJA_OP('<', '=') ? order <= 0 : order >= 0;
    if (order == UNORDERED && a->kind != VALUE_TEXT && jinja_is_number(a)) *out = false;
    return true;
}

/* a < b < c: stops at the first that does not hold. */
static bool eval_compare(struct jinja *j, struct value *out, const struct node *n) {
    struct value a, b;
    bool true_so_far = true;
    if (!jinja_eval(j, &a, n->kids[0])) return false;
    for (size_t i = 1; true_so_far && i < n->n_kids; i++) {
        const struct node *operand = n->kids[i];
        if (!jinja_eval(j, &b, operand->kids[0])) return false;
        j->line = n->line;
        if (!holds(j, &true_so_far, &a, &b, operand->op)) return false;
        a = b;
    }
    *out = jinja_bool(true_so_far);
    return true;
}

static bool eval_logic(struct jinja *j, struct value *out, const struct node *n) {
    if (!jinja_eval(j, out, n->kids[0])) return false;
    if (n->kind == NODE_NOT) {
        *out = jinja_bool(!jinja_truth(out));
        return true;
    }
    return jinja_truth(out) == (n->kind == NODE_OR) || jinja_eval(j, out, n->kids[1]);
}

static bool eval_cond(struct jinja *j, struct value *out, const struct node *n) {
    struct value test;
    if (!jinja_eval(j, &test, n->kids[0])) return false;
    if (jinja_truth(&test)) return jinja_eval(j, out, n->kids[1]);
    if (n->kids[2]) return jinja_eval(j, out, n->kids[2]);
    return jinja_undefined(j, out, NULL, NULL);
}

static bool eval_item(struct jinja *j, struct value *out, const struct node *n) {
    const struct node *key_node = n->kids[1];
    struct value x, key, bounds[3] = {0};
    if (!jinja_eval(j, &x, n->kids[0])) return false;
    if (key_node->kind != NODE_SLICE) {
        if (!jinja_eval(j, &key, key_node)) return false;
        j->line = n->line;
        return jinja_item(j, out, &x, &key);
    }
    for (size_t i = 0; i < 3; i++)
        if (key_node->kids[i] && !jinja_eval(j, &bounds[i], key_node->kids[i])) return false;
    return jinja_slice(j, out, &x, bounds);
}

/* --- calls --------------------------------------------------------------------------------------------- */

static bool arg_add(struct jinja *j, struct args *args, size_t *room, const struct value *v) {
    if (!jinja_grow(j, (void **)&args->items, args->n, room, sizeof *args->items)) return false;
    args->items[args->n++] = *v;
    return true;
}

static bool named_add(struct jinja *j, struct args *args, size_t *room, const struct text *name,
                      const struct value *v) {
    for (size_t i = 0; i < args->n_named; i++)
        if (jinja_text_equal(args->named[i].name, name))
            return jinja_fail(j, TEMPLATE_TYPE, "a keyword argument is given twice");
    if (!jinja_grow(j, (void **)&args->named, args->n_named, room, sizeof *args->named)) return false;
    args->named[args->n_named++] = (struct named){name, *v};
    return true;
}

static bool spread(struct jinja *j, struct args *args, size_t room[2], const struct value *v, bool map) {
    struct list items;
    if (!map) {
        if (!jinja_items(j, &items, v)) return false;
        for (size_t i = 0; i < items.n; i++)
            if (!arg_add(j, args, &room[0], &items.items[i])) return false;
        return true;
    }
    if (v->kind != VALUE_DICT) return jinja_fail(j, TEMPLATE_TYPE, "the argument after ** must be a mapping");
    for (size_t i = 0; i < v->dict->n; i++) {
        const struct entry *e = &v->dict->entries[i];
        if (e->key.kind != VALUE_TEXT) return jinja_fail(j, TEMPLATE_TYPE, "keywords must be strings");
        if (!named_add(j, args, &room[1], e->key.text, &e->value)) return false;
    }
    return true;
}

bool jinja_eval_args(struct jinja *j, struct args *out, const struct node *call) {
    size_t room[2] = {0};
    *out = (struct args){0};
    for (size_t i = 1; i < call->n_kids; i++) {
        const struct node *n = call->kids[i];
        struct value v;
        if (!jinja_eval(j, &v, n->kids[0])) return false;
        bool ok = n->kind != NODE_ARGUMENT ? spread(j, out, room, &v, n->kind == NODE_SPREAD_MAP)
                  : n->name                ? named_add(j, out, &room[1], n->name, &v)
                                           : arg_add(j, out, &room[0], &v);
        if (!ok) return false;
    }
    return true;
}

static bool eval_call(struct jinja *j, struct value *out, const struct node *n) {
    struct value callee;
    struct args args;
    if (!jinja_eval(j, &callee, n->kids[0]) || !jinja_eval_args(j, &args, n)) return false;
    j->line = n->line;
    return jinja_call(j, out, &callee, &args);
}

static bool unknown(struct jinja *j, const struct node *n, const char *what) {
    char name[VIEW_SHOWN];
    j->line = n->line;
    return jinja_fail(j, TEMPLATE_RUNTIME, "No %s named '%s' found.", what,
                      view_shown(name, (struct view){n->text->at, n->text->n}));
}

static bool eval_filter(struct jinja *j, struct value *out, const struct node *n) {
    struct value in;
    struct args args;
    if (!n->filter) return unknown(j, n, "filter");
    if (!jinja_eval(j, &in, n->kids[0]) || !jinja_eval_args(j, &args, n)) return false;
    j->line = n->line;
    return jinja_filter_apply(j, out, n->filter, &in, &args);
}

static bool eval_test(struct jinja *j, struct value *out, const struct node *n) {
    struct value in;
    struct args args;
    bool is;
    if (!n->test) return unknown(j, n, "test");
    if (!jinja_eval(j, &in, n->kids[0]) || !jinja_eval_args(j, &args, n)) return false;
    j->line = n->line;
    if (!jinja_test_apply(j, &is, n->test, &in, &args)) return false;
    *out = jinja_bool(is);
    return true;
}

static bool eval_attribute(struct jinja *j, struct value *out, const struct node *n) {
    struct value x;
    if (!jinja_eval(j, &x, n->kids[0])) return false;
    j->line = n->line;
    return jinja_attribute(j, out, &x, n->name);
}

static bool eval_negate(struct jinja *j, struct value *out, const struct node *n) {
    struct value v;
    return jinja_eval(j, &v, n->kids[0]) && jinja_negate(j, out, &v, n->op == '-');
}

static bool eval_kind(struct jinja *j, struct value *out, const struct node *n) {
    switch (n->kind) {
    case NODE_CONST: *out = n->constant; return true;
    case NODE_NAME: return eval_name(j, out, n);
    case NODE_LIST:
    case NODE_TUPLE: return eval_list(j, out, n);
    case NODE_DICT: return eval_dict(j, out, n);
    case NODE_NEGATE: return eval_negate(j, out, n);
    case NODE_MATH: return eval_math(j, out, n);
    case NODE_CONCAT: return eval_concat(j, out, n);
    case NODE_COMPARE: return eval_compare(j, out, n);
    case NODE_NOT:
    case NODE_AND:
    case NODE_OR: return eval_logic(j, out, n);
    case NODE_COND: return eval_cond(j, out, n);
    case NODE_ATTRIBUTE: return eval_attribute(j, out, n);
    case NODE_ITEM: return eval_item(j, out, n);
    case NODE_SLICE: return jinja_fail(j, TEMPLATE_TYPE, "a slice stands alone between brackets");
    case NODE_CALL: return eval_call(j, out, n);
    case NODE_FILTER: return eval_filter(j, out, n);
    case NODE_TEST: return eval_test(j, out, n);
    default: return jinja_fail(j, TEMPLATE_TYPE, "this is no expression");
    }
}

bool jinja_eval(struct jinja *j, struct value *out, const struct node *n) {
    if (!jinja_enter(j)) return false;
    j->line = n->line;
    bool ok = eval_kind(j, out, n);
    j->depth--;
    return ok;
}
