/* jinja_test: what may stand behind `is`. */
#include "engine/token/jinja.h"

#include <string.h>

struct test {
    const char *name, *parameters;
    bool (*run)(struct jinja *j, bool *out, const struct value *v, const struct value *a, int variant);
    int variant;
};

enum { EQ, NE, LT, LE, GT, GE };

static bool is_kind(struct jinja *j, bool *out, const struct value *v, const struct value *a, int variant) {
    (void)j;
    (void)a;
    *out = (int)v->kind == variant;
    return true;
}

static bool is_defined(struct jinja *j, bool *out, const struct value *v, const struct value *a,
                       int variant) {
    (void)j;
    (void)a;
    *out = (v->kind != VALUE_UNDEFINED) == variant;
    return true;
}

static bool is_boolean(struct jinja *j, bool *out, const struct value *v, const struct value *a,
                       int variant) {
    (void)j;
    (void)a;
    *out = v->kind == VALUE_BOOL && v->b == variant;
    return true;
}

static bool is_number(struct jinja *j, bool *out, const struct value *v, const struct value *a, int variant) {
    (void)j;
    (void)a;
    (void)variant;
    *out = jinja_is_number(v);
    return true;
}

static bool is_iterable(struct jinja *j, bool *out, const struct value *v, const struct value *a,
                        int sequence) {
    (void)j;
    (void)a;
    bool views = v->kind == VALUE_LAZY;
    *out = jinja_is_iterable(v) && !(sequence && (views || v->kind == VALUE_LOOP));
    return true;
}

static bool is_callable(struct jinja *j, bool *out, const struct value *v, const struct value *a,
                        int variant) {
    (void)j;
    (void)a;
    (void)variant;
    *out = v->kind == VALUE_MACRO || v->kind == VALUE_FUNCTION || v->kind == VALUE_METHOD ||
           v->kind == VALUE_LOOP || v->kind == VALUE_JOINER || v->kind == VALUE_UNDEFINED;
    return true;
}

static bool is_divisible(struct jinja *j, bool *out, const struct value *v, const struct value *a, int rest) {
    struct value two = jinja_integer(2), r;
    if (!jinja_math(j, &r, v, rest < 0 ? &a[0] : &two, '%')) return false;
    if (!jinja_is_number(&r)) return jinja_fail(j, TEMPLATE_TYPE, "not a number");
    *out = jinja_as_float(&r) == (rest < 0 ? 0 : rest);
    return true;
}

/* islower and isupper of the text of a value: all cased letters are so, and there are some. */
static bool is_case(struct jinja *j, bool *out, const struct value *v, const struct value *a, int upper) {
    const struct text *text;
    struct value method, object = {.kind = VALUE_TEXT}, result;
    bool found;
    (void)a;
    struct text name = {.at = upper ? "isupper" : "islower", .n = 7};
    if (!jinja_string(j, &text, v)) return false;
    object.text = text;
    if (!jinja_method(j, &method, &object, &name, &found) ||
        !jinja_call(j, &result, &method, &(struct args){0}))
        return false;
    *out = result.b;
    return true;
}

static bool compares(struct jinja *j, bool *out, const struct value *v, const struct value *a, int variant) {
    static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};
    int order = 0;
    if (variant == EQ || variant == NE) {
        if (!jinja_equal(j, out, v, &a[0])) return false;
        *out = *out == (variant == EQ);
        return true;
    }
    if (!jinja_compare(j, &order, v, &a[0], ops[variant])) return false;
    *out = variant == LT ? order < 0 : variant == LE ? order <= 0 : variant == GT ? order > 0 : order >= 0;
    return true;
}

static bool is_in(struct jinja *j, bool *out, const struct value *v, const struct value *a, int variant) {
    (void)variant;
    return jinja_contains(j, out, v, &a[0]);
}

static bool is_same(struct jinja *j, bool *out, const struct value *v, const struct value *a, int variant) {
    (void)variant;
    *out = v->kind == a[0].kind;
    if (v->kind == VALUE_LIST || v->kind == VALUE_DICT) *out = *out && v->dict == a[0].dict;
    else if (*out) return jinja_equal(j, out, v, &a[0]);
    return true;
}

static bool is_known(struct jinja *j, bool *out, const struct value *v, const struct value *a, int filters) {
    (void)j;
    (void)a;
    *out = v->kind == VALUE_TEXT &&
           (filters ? jinja_filter_find(v->text) != NULL : jinja_test_find(v->text) != NULL);
    return true;
}

static bool is_escaped(struct jinja *j, bool *out, const struct value *v, const struct value *a,
                       int variant) {
    (void)j;
    (void)a;
    (void)variant;
    *out = v->kind == VALUE_TEXT && v->text->safe;
    return true;
}

static const struct test rows[] = {
    {"defined", "", is_defined, true},
    {"undefined", "", is_defined, false},
    {"none", "", is_kind, VALUE_NONE},
    {"boolean", "", is_kind, VALUE_BOOL},
    {"true", "", is_boolean, true},
    {"false", "", is_boolean, false},
    {"integer", "", is_kind, VALUE_INT},
    {"float", "", is_kind, VALUE_FLOAT},
    {"number", "", is_number, 0},
    {"string", "", is_kind, VALUE_TEXT},
    {"mapping", "", is_kind, VALUE_DICT},
    {"sequence", "", is_iterable, true},
    {"iterable", "", is_iterable, false},
    {"callable", "", is_callable, 0},
    {"odd", "", is_divisible, 1},
    {"even", "", is_divisible, 0},
    {"divisibleby", "num", is_divisible, -1},
    {"lower", "", is_case, false},
    {"upper", "", is_case, true},
    {"eq", "other", compares, EQ},
    {"==", "other", compares, EQ},
    {"equalto", "other", compares, EQ},
    {"ne", "other", compares, NE},
    {"!=", "other", compares, NE},
    {"lt", "other", compares, LT},
    {"<", "other", compares, LT},
    {"lessthan", "other", compares, LT},
    {"le", "other", compares, LE},
    {"<=", "other", compares, LE},
    {"gt", "other", compares, GT},
    {">", "other", compares, GT},
    {"greaterthan", "other", compares, GT},
    {"ge", "other", compares, GE},
    {">=", "other", compares, GE},
    {"in", "seq", is_in, 0},
    {"sameas", "other", is_same, 0},
    {"filter", "", is_known, true},
    {"test", "", is_known, false},
    {"escaped", "", is_escaped, 0},
};

const struct test *jinja_test_find(const struct text *name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (jinja_text_is(name, rows[i].name)) return &rows[i];
    return NULL;
}

bool jinja_test_apply(struct jinja *j, bool *out, const struct test *t, const struct value *in,
                      const struct args *args) {
    struct value bound[2];
    return jinja_bind(j, bound, t->name, t->parameters, args) && t->run(j, out, in, bound, t->variant);
}
