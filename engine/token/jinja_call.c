/* jinja_call: arguments to parameters, and what can be called. */
#include "engine/token/jinja_ast.h"

#include <string.h>

struct names {
    const char *at;
};

/* The next name of "a b? c?". */
static bool next_name(struct names *names, struct text *out, bool *optional) {
    while (*names->at == ' ') names->at++;
    size_t n = strcspn(names->at, " ");
    if (n == 0) return false;
    *optional = names->at[n - 1] == '?';
    *out = (struct text){.at = names->at, .n = n - *optional};
    names->at += n;
    return true;
}

static bool find_named(struct value *out, const struct args *args, const struct text *name) {
    for (size_t i = 0; i < args->n_named; i++) {
        if (!jinja_text_equal(args->named[i].name, name)) continue;
        *out = args->named[i].value;
        return true;
    }
    return false;
}

static bool known(const char *list, const struct text *name) {
    struct names names = {list};
    struct text n;
    bool optional;
    while (next_name(&names, &n, &optional))
        if (jinja_text_equal(&n, name)) return true;
    return false;
}

bool jinja_bind(struct jinja *j, struct value *out, const char *what, const char *list,
                const struct args *args) {
    struct names names = {list};
    struct text name;
    bool optional;
    size_t n = 0;
    char shown[VIEW_SHOWN];
    for (; next_name(&names, &name, &optional); n++) {
        bool named = find_named(&out[n], args, &name);
        view_shown(shown, (struct view){name.at, name.n});
        if (n < args->n && named)
            return jinja_fail(j, TEMPLATE_TYPE, "%s() got multiple values for argument '%s'", what, shown);
        if (n < args->n) out[n] = args->items[n];
        else if (!named) out[n] = (struct value){.kind = VALUE_ABSENT};
        if (out[n].kind == VALUE_ABSENT && !optional)
            return jinja_fail(j, TEMPLATE_TYPE, "%s() missing 1 required positional argument: '%s'", what,
                              shown);
    }
    if (args->n > n)
        return jinja_fail(j, TEMPLATE_TYPE, "%s() takes %zu positional arguments but %zu were given", what, n,
                          args->n);
    for (size_t i = 0; i < args->n_named; i++)
        if (!known(list, args->named[i].name))
            return jinja_fail(
                j, TEMPLATE_TYPE, "%s() got an unexpected keyword argument '%s'", what,
                view_shown(shown, (struct view){args->named[i].name->at, args->named[i].name->n}));
    return true;
}

static bool join(struct jinja *j, struct value *out, struct joiner *joiner, const struct args *args) {
    if (!jinja_bind(j, NULL, "joiner", "", args)) return false;
    if (joiner->used) *out = joiner->separator;
    else if (!jinja_text_value(j, out, "")) return false;
    joiner->used = true;
    return true;
}

static bool call_deep(struct jinja *j, struct value *out, const struct value *callee,
                      const struct args *args) {
    switch (callee->kind) {
    case VALUE_UNDEFINED: return jinja_fail_undefined(j, callee);
    case VALUE_MACRO: return jinja_macro_call(j, out, callee->macro, args);
    case VALUE_FUNCTION: return jinja_function_call(j, out, callee->function, args);
    case VALUE_METHOD: return jinja_method_call(j, out, callee->method, args);
    case VALUE_LOOP: return jinja_loop_call(j, out, callee->loop, args);
    case VALUE_JOINER: return join(j, out, callee->joiner, args);
    default: return jinja_fail(j, TEMPLATE_TYPE, "'%s' object is not callable", jinja_type(callee));
    }
}

bool jinja_call(struct jinja *j, struct value *out, const struct value *callee, const struct args *args) {
    if (!jinja_enter(j)) return false;
    bool ok = call_deep(j, out, callee, args);
    j->depth--;
    return ok;
}
