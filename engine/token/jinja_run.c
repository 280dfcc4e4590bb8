/* jinja_run: statements, scopes, macros. */
#include "engine/token/jinja_ast.h"

#include <string.h>

enum flow { FLOW_FAIL, FLOW_ON, FLOW_BREAK, FLOW_CONTINUE };

static enum flow run(struct jinja *j, const struct node *n);

/* --- scopes -------------------------------------------------------------------------------------------- */

bool jinja_bind_name(struct jinja *j, struct scope *scope, const struct text *name, const struct value *v) {
    for (size_t i = 0; i < scope->n; i++) {
        if (scope->bindings[i].name != name) continue;
        scope->bindings[i].value = *v;
        return true;
    }
    if (!jinja_grow(j, (void **)&scope->bindings, scope->n, &scope->room, sizeof *scope->bindings))
        return false;
    scope->bindings[scope->n++] = (struct binding){name, *v};
    return true;
}

/* Macros keep the scope they were made in, so scopes lie in the arena. */
static struct scope *push(struct jinja *j) {
    struct scope *scope = jinja_alloc(j, 1, sizeof *scope);
    if (!scope) return NULL;
    scope->up = j->scope;
    return j->scope = scope;
}

static bool bind_text(struct jinja *j, struct scope *scope, const char *name, const struct value *v) {
    const struct text *interned = jinja_intern(j, view_of(name));
    return interned && jinja_bind_name(j, scope, interned, v);
}

static bool assign(struct jinja *j, struct scope *scope, const struct node *target, const struct value *v);

static bool assign_tuple(struct jinja *j, struct scope *scope, const struct node *target,
                         const struct value *v) {
    struct list items;
    if (!jinja_items(j, &items, v)) return false;
    if (items.n != target->n_kids)
        return jinja_fail(j, TEMPLATE_VALUE,
                          items.n > target->n_kids ? "too many values to unpack (expected %zu)"
                                                   : "not enough values to unpack (expected %zu, got %zu)",
                          target->n_kids, items.n);
    for (size_t i = 0; i < items.n; i++)
        if (!assign(j, scope, target->kids[i], &items.items[i])) return false;
    return true;
}

/* set ns.x = v */
static bool assign_member(struct jinja *j, const struct node *target, const struct value *v) {
    struct node name = {.kind = NODE_NAME, .line = target->line, .name = target->text};
    struct value space, key = {.kind = VALUE_TEXT, .text = target->name};
    if (!jinja_eval(j, &space, &name)) return false;
    if (space.kind != VALUE_NAMESPACE)
        return jinja_fail(j, TEMPLATE_RUNTIME, "cannot assign attribute on non-namespace object");
    if (target->name->at[0] == '_')
        return jinja_fail(j, TEMPLATE_SECURITY, "a namespace has no members that begin with an underscore");
    return jinja_dict_set(j, space.dict, &key, v);
}

static bool assign(struct jinja *j, struct scope *scope, const struct node *target, const struct value *v) {
    if (target->kind == NODE_TUPLE) return assign_tuple(j, scope, target, v);
    if (target->kind == NODE_NAMESPACE_REF) return assign_member(j, target, v);
    return jinja_bind_name(j, scope, target->name, v);
}

/* --- text of a body ------------------------------------------------------------------------------------ */

/* What a body writes, as a value. The scope is the caller's to restore. */
static bool capture(struct jinja *j, struct value *out, const struct node *body) {
    struct jinja_builder b = {.j = j}, *outer = j->out;
    j->out = &b;
    enum flow flow = run(j, body);
    j->out = outer;
    return flow != FLOW_FAIL && jinja_built(out, &b, false);
}

/* The same in a scope of its own. */
static bool capture_inside(struct jinja *j, struct value *out, const struct node *body) {
    struct scope *outer = j->scope;
    bool ok = push(j) && capture(j, out, body);
    j->scope = outer;
    return ok;
}

/* `set x | f` and `filter f`: the innermost filter's input is the body. */
static bool filtered(struct jinja *j, struct value *out, const struct node *filter,
                     const struct value *body) {
    struct value in = *body;
    struct args args;
    if (!filter) return *out = in, true;
    if (filter->kids[0] && !filtered(j, &in, filter->kids[0], body)) return false;
    j->line = filter->line;
    if (!filter->filter) return jinja_fail(j, TEMPLATE_RUNTIME, "there is no such filter");
    return jinja_eval_args(j, &args, filter) && jinja_filter_apply(j, out, filter->filter, &in, &args);
}

/* --- macros -------------------------------------------------------------------------------------------- */

static bool uses(const struct node *n, const char *name) {
    if (!n) return false;
    if (n->kind == NODE_NAME && jinja_text_is(n->name, name)) return true;
    for (size_t i = 0; i < n->n_kids; i++)
        if (uses(n->kids[i], name)) return true;
    return uses(n->call, name);
}

/* The arguments that no parameter takes: varargs, kwargs and caller, where the body names them. */
static bool bind_rest(struct jinja *j, struct scope *scope, const struct node *n, const struct args *args,
                      const bool *taken) {
    size_t n_params = n->n_kids - 1, extra = args->n > n_params ? args->n - n_params : 0;
    bool wants_rest = uses(n->kids[0], "varargs"), wants_names = uses(n->kids[0], "kwargs");
    bool wants_caller = uses(n->kids[0], "caller");
    struct list *rest;
    struct dict *names = jinja_alloc(j, 1, sizeof *names);
    struct value caller;
    if (!names || !jinja_list_new(j, &rest, extra) || !jinja_undefined(j, &caller, NULL, NULL)) return false;
    for (size_t i = 0; i < extra; i++) rest->items[i] = args->items[n_params + i];
    if (extra && !wants_rest)
        return jinja_fail(j, TEMPLATE_TYPE, "macro takes not more than %zu argument(s)", n_params);
    for (size_t i = 0; i < args->n_named; i++) {
        struct value key = {.kind = VALUE_TEXT, .text = args->named[i].name};
        if (taken[i]) continue;
        if (wants_caller && jinja_text_is(key.text, "caller")) {
            caller = args->named[i].value;
            continue;
        }
        if (!wants_names) return jinja_fail(j, TEMPLATE_TYPE, "macro takes no keyword argument of that name");
        if (!jinja_dict_set(j, names, &key, &args->named[i].value)) return false;
    }
    struct value list = {.kind = VALUE_TUPLE, .list = rest}, dict = {.kind = VALUE_DICT, .dict = names};
    return (!wants_rest || bind_text(j, scope, "varargs", &list)) &&
           (!wants_names || bind_text(j, scope, "kwargs", &dict)) &&
           (!wants_caller || bind_text(j, scope, "caller", &caller));
}

static bool bind_params(struct jinja *j, struct scope *scope, const struct node *n, const struct args *args) {
    bool *taken = jinja_alloc(j, args->n_named, sizeof *taken);
    if (!taken) return false;
    for (size_t i = 1; i < n->n_kids; i++) {
        const struct node *p = n->kids[i];
        struct value v = {.kind = VALUE_ABSENT};
        if (i - 1 < args->n) v = args->items[i - 1];
        for (size_t k = 0; k < args->n_named; k++) {
            if (!jinja_text_equal(args->named[k].name, p->name)) continue;
            if (v.kind != VALUE_ABSENT)
                return jinja_fail(j, TEMPLATE_TYPE, "an argument of the macro is given twice");
            v = args->named[k].value;
            taken[k] = true;
        }
        if (v.kind == VALUE_ABSENT &&
            (p->kids[0] ? !jinja_eval(j, &v, p->kids[0]) : !jinja_undefined(j, &v, p->name, NULL)))
            return false;
        if (!jinja_bind_name(j, scope, p->name, &v)) return false;
    }
    return bind_rest(j, scope, n, args, taken);
}

bool jinja_macro_call(struct jinja *j, struct value *out, const struct macro *m, const struct args *args) {
    struct scope *outer = j->scope;
    j->scope = m->scope;
    struct scope *scope = push(j);
    bool ok = scope && bind_params(j, scope, m->node, args) && capture(j, out, m->node->kids[0]);
    j->scope = outer;
    return ok;
}

static bool make_macro(struct jinja *j, struct value *out, const struct node *n) {
    struct macro *m = jinja_alloc(j, 1, sizeof *m);
    if (!m) return false;
    *m = (struct macro){n, j->scope, n->name};
    *out = (struct value){.kind = VALUE_MACRO, .macro = m};
    return true;
}

/* call(x) f(y): f is called with the body as its `caller`. */
static bool call_block(struct jinja *j, const struct node *n) {
    struct value callee, caller, text;
    struct args args;
    const struct text *name = jinja_intern(j, view_of("caller"));
    if (!name || !make_macro(j, &caller, n) || !jinja_eval(j, &callee, n->call->kids[0]) ||
        !jinja_eval_args(j, &args, n->call))
        return false;
    struct named *named = jinja_alloc(j, args.n_named + 1, sizeof *named);
    if (!named) return false;
    if (args.n_named) memcpy(named, args.named, args.n_named * sizeof *named);
    named[args.n_named++] = (struct named){name, caller};
    args.named = named;
    j->line = n->line;
    if (!jinja_call(j, &text, &callee, &args)) return false;
    jinja_print(j->out, &text);
    return !j->out->failed;
}

/* --- loops --------------------------------------------------------------------------------------------- */

/* The items that pass the loop's condition. */
static bool select_items(struct jinja *j, struct list *items, const struct node *n) {
    struct list *kept;
    if (!n->kids[2]) return true;
    if (!jinja_list_new(j, &kept, items->n)) return false;
    kept->n = 0;
    struct scope *outer = j->scope;
    for (size_t i = 0; i < items->n; i++) {
        struct value test;
        struct scope *scope = push(j);
        bool ok = scope && assign(j, scope, n->kids[0], &items->items[i]) && jinja_eval(j, &test, n->kids[2]);
        j->scope = outer;
        if (!ok) return false;
        if (jinja_truth(&test)) kept->items[kept->n++] = items->items[i];
    }
    *items = *kept;
    return true;
}

static enum flow run_items(struct jinja *j, const struct node *n, const struct value *iterable, int depth) {
    struct list *items = jinja_alloc(j, 1, sizeof *items);
    struct loop *loop = jinja_alloc(j, 1, sizeof *loop);
    struct value self = {.kind = VALUE_LOOP, .loop = loop};
    const struct text *name = jinja_intern(j, view_of("loop"));
    struct scope *outer = j->scope;
    if (!items || !loop || !name || !jinja_items(j, items, iterable) || !select_items(j, items, n))
        return FLOW_FAIL;
    *loop = (struct loop){.items = items, .depth = depth, .recursive = n->op ? n : NULL, .scope = outer};
    enum flow flow = FLOW_ON;
    for (; flow != FLOW_FAIL && flow != FLOW_BREAK && loop->index < items->n; loop->index++) {
        struct scope *scope = push(j);
        bool ok = scope && jinja_bind_name(j, scope, name, &self) &&
                  assign(j, scope, n->kids[0], &items->items[loop->index]);
        flow = ok ? run(j, n->kids[3]) : FLOW_FAIL;
        j->scope = outer;
    }
    if (flow == FLOW_FAIL) return flow;
    if (items->n == 0 && n->kids[4]) {
        if (!push(j)) return FLOW_FAIL;
        flow = run(j, n->kids[4]);
        j->scope = outer;
        return flow;
    }
    return FLOW_ON;
}

static enum flow run_for(struct jinja *j, const struct node *n) {
    struct value iterable;
    if (!jinja_eval(j, &iterable, n->kids[1])) return FLOW_FAIL;
    j->line = n->line;
    return run_items(j, n, &iterable, 0);
}

/* loop(children) in a recursive loop */
bool jinja_loop_call(struct jinja *j, struct value *out, const struct loop *loop, const struct args *args) {
    struct value iterable;
    if (!loop->recursive)
        return jinja_fail(j, TEMPLATE_TYPE,
                          "The loop must have the 'recursive' marker to be called recursively.");
    if (!jinja_bind(j, &iterable, "loop", "iterable", args)) return false;
    struct jinja_builder b = {.j = j}, *outer = j->out;
    struct scope *scope = j->scope;
    j->out = &b;
    j->scope = loop->scope;
    enum flow flow = run_items(j, loop->recursive, &iterable, loop->depth + 1);
    j->out = outer;
    j->scope = scope;
    return flow != FLOW_FAIL && jinja_built(out, &b, false);
}

/* --- the other statements ------------------------------------------------------------------------------ */

static enum flow run_if(struct jinja *j, const struct node *n) {
    size_t i = 0;
    for (; i + 1 < n->n_kids; i += 2) {
        struct value test;
        if (!jinja_eval(j, &test, n->kids[i])) return FLOW_FAIL;
        if (jinja_truth(&test)) return run(j, n->kids[i + 1]);
    }
    return i < n->n_kids ? run(j, n->kids[i]) : FLOW_ON;
}

static bool run_set(struct jinja *j, const struct node *n) {
    struct value v, text;
    if (n->kind == NODE_SET) return jinja_eval(j, &v, n->kids[1]) && assign(j, j->scope, n->kids[0], &v);
    return capture_inside(j, &text, n->kids[2]) && filtered(j, &v, n->kids[1], &text) &&
           assign(j, j->scope, n->kids[0], &v);
}

static bool run_print(struct jinja *j, const struct node *n) {
    for (size_t i = 0; i < n->n_kids; i++) {
        struct value v;
        if (!jinja_eval(j, &v, n->kids[i])) return false;
        jinja_print(j->out, &v);
    }
    return !j->out->failed;
}

static enum flow run_with(struct jinja *j, const struct node *n) {
    struct scope *outer = j->scope, *scope = push(j);
    if (!scope) return FLOW_FAIL;
    bool ok = true;
    for (size_t i = 1; ok && i + 1 < n->n_kids; i += 2) {
        struct value v;
        j->scope = outer; /* the values do not see each other */
        ok = jinja_eval(j, &v, n->kids[i + 1]) && assign(j, scope, n->kids[i], &v);
    }
    j->scope = scope;
    enum flow flow = ok ? run(j, n->kids[0]) : FLOW_FAIL;
    j->scope = outer;
    return flow;
}

static enum flow run_scope(struct jinja *j, const struct node *n) {
    struct scope *outer = j->scope;
    enum flow flow = push(j) ? run(j, n->kids[0]) : FLOW_FAIL;
    j->scope = outer;
    return flow;
}

static bool run_filter(struct jinja *j, const struct node *n) {
    struct value text, v;
    if (!capture_inside(j, &text, n->kids[1]) || !filtered(j, &v, n->kids[0], &text)) return false;
    jinja_print(j->out, &v);
    return !j->out->failed;
}

static bool run_macro(struct jinja *j, const struct node *n) {
    struct value v;
    return make_macro(j, &v, n) && jinja_bind_name(j, j->scope, n->name, &v);
}

static enum flow run_block(struct jinja *j, const struct node *n) {
    enum flow flow = FLOW_ON;
    for (size_t i = 0; flow == FLOW_ON && i < n->n_kids; i++) flow = run(j, n->kids[i]);
    return flow;
}

static enum flow went(bool ok) { return ok ? FLOW_ON : FLOW_FAIL; }

static enum flow run_kind(struct jinja *j, const struct node *n) {
    switch (n->kind) {
    case NODE_BLOCK: return run_block(j, n);
    case NODE_TEXT: jinja_add_text(j->out, n->text); return went(!j->out->failed);
    case NODE_PRINT: return went(run_print(j, n));
    case NODE_IF: return run_if(j, n);
    case NODE_FOR: return run_for(j, n);
    case NODE_SET:
    case NODE_SET_BLOCK: return went(run_set(j, n));
    case NODE_MACRO: return went(run_macro(j, n));
    case NODE_CALL_BLOCK: return went(call_block(j, n));
    case NODE_FILTER_BLOCK: return went(run_filter(j, n));
    case NODE_WITH: return run_with(j, n);
    case NODE_SCOPE: return run_scope(j, n);
    case NODE_BREAK: return FLOW_BREAK;
    case NODE_CONTINUE: return FLOW_CONTINUE;
    case NODE_NO_LOADER:
        return went(jinja_fail(j, TEMPLATE_TYPE,
                               "no loader for this environment specified: a template stands alone"));
    default: return went(jinja_fail(j, TEMPLATE_RUNTIME, "this is no statement"));
    }
}

static enum flow run(struct jinja *j, const struct node *n) {
    if (!jinja_enter(j)) return FLOW_FAIL;
    j->line = n->line;
    enum flow flow = run_kind(j, n);
    j->depth--;
    return flow;
}

bool jinja_run(struct jinja *j, const struct node *root) { return run(j, root) != FLOW_FAIL; }
