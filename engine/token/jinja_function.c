/* jinja_function: the global functions that a template sees. */
#include "engine/token/jinja.h"

#include <string.h>

enum { MAX_RANGE = 100000 }; /* jinja2's sandbox */

struct function {
    const char *name;
    bool (*run)(struct jinja *j, struct value *out, const struct args *args);
};

static bool run_range(struct jinja *j, struct value *out, const struct args *args) {
    struct value a[3];
    struct range *r = jinja_alloc(j, 1, sizeof *r);
    if (!r || !jinja_bind(j, a, "range", "start stop? step?", args)) return false;
    for (int i = 0; i < 3; i++)
        if (a[i].kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, &a[i]);
        else if (a[i].kind != VALUE_ABSENT && a[i].kind != VALUE_INT && a[i].kind != VALUE_BOOL)
            return jinja_fail(j, TEMPLATE_TYPE, "'%s' object cannot be interpreted as an integer",
                              jinja_type(&a[i]));
    bool one = a[1].kind == VALUE_ABSENT;
    r->start = one ? 0 : jinja_as_int(&a[0]);
    r->stop = jinja_as_int(&a[one ? 0 : 1]);
    r->step = a[2].kind == VALUE_ABSENT ? 1 : jinja_as_int(&a[2]);
    if (r->step == 0) return jinja_fail(j, TEMPLATE_VALUE, "range() arg 3 must not be zero");
    const jinja_int limit = (jinja_int)1 << 100;
    if (r->start > limit || r->start < -limit || r->stop > limit || r->stop < -limit || r->step > limit ||
        r->step < -limit)
        return jinja_fail(j, TEMPLATE_OVERFLOW, "Range too big");
    jinja_int span = r->step > 0 ? r->stop - r->start : r->start - r->stop;
    jinja_int stride = r->step > 0 ? r->step : -r->step, n = span > 0 ? (span + stride - 1) / stride : 0;
    if (n > MAX_RANGE)
        return jinja_fail(j, TEMPLATE_OVERFLOW,
                          "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", MAX_RANGE);
    r->n = (size_t)n;
    *out = (struct value){.kind = VALUE_RANGE, .range = r};
    return true;
}

/* Pairs out of a dict or an iterable of pairs, and keywords. */
static bool fill(struct jinja *j, struct dict *d, const struct args *args, const char *what) {
    if (args->n > 1)
        return jinja_fail(j, TEMPLATE_TYPE, "%s expected at most 1 argument, got %zu", what, args->n);
    for (size_t k = 0; k < args->n; k++) {
        const struct value *from = &args->items[k];
        for (size_t i = 0; from->kind == VALUE_DICT && i < from->dict->n; i++)
            if (!jinja_dict_set(j, d, &from->dict->entries[i].key, &from->dict->entries[i].value))
                return false;
        struct list items = {0}, pair;
        if (from->kind != VALUE_DICT && !jinja_items(j, &items, from)) return false;
        for (size_t i = 0; i < items.n; i++) {
            if (!jinja_items(j, &pair, &items.items[i])) return false;
            if (pair.n != 2)
                return jinja_fail(j, TEMPLATE_VALUE,
                                  "dictionary update sequence element #%zu has length %zu; 2 is required", i,
                                  pair.n);
            if (!jinja_dict_set(j, d, &pair.items[0], &pair.items[1])) return false;
        }
    }
    for (size_t i = 0; i < args->n_named; i++) {
        struct value key = {.kind = VALUE_TEXT, .text = args->named[i].name};
        if (!jinja_dict_set(j, d, &key, &args->named[i].value)) return false;
    }
    return true;
}

static bool run_dict(struct jinja *j, struct value *out, const struct args *args) {
    struct dict *d = jinja_alloc(j, 1, sizeof *d);
    *out = (struct value){.kind = VALUE_DICT, .dict = d};
    return d && fill(j, d, args, "dict");
}

static bool run_namespace(struct jinja *j, struct value *out, const struct args *args) {
    struct dict *d = jinja_alloc(j, 1, sizeof *d);
    *out = (struct value){.kind = VALUE_NAMESPACE, .dict = d};
    return d && fill(j, d, args, "namespace");
}

static bool run_cycler(struct jinja *j, struct value *out, const struct args *args) {
    struct cycler *c = jinja_alloc(j, 1, sizeof *c);
    struct list *list;
    if (!c || !jinja_list_new(j, &list, args->n)) return false;
    if (args->n == 0) return jinja_fail(j, TEMPLATE_RUNTIME, "at least one item has to be provided");
    memcpy(list->items, args->items, args->n * sizeof *args->items);
    c->items = *list;
    *out = (struct value){.kind = VALUE_CYCLER, .cycler = c};
    return true;
}

static bool run_joiner(struct jinja *j, struct value *out, const struct args *args) {
    struct joiner *joiner = jinja_alloc(j, 1, sizeof *joiner);
    struct value a[1];
    if (!joiner || !jinja_bind(j, a, "joiner", "sep?", args)) return false;
    if (a[0].kind != VALUE_ABSENT) joiner->separator = a[0];
    else if (!jinja_text_value(j, &joiner->separator, ", ")) return false;
    *out = (struct value){.kind = VALUE_JOINER, .joiner = joiner};
    return true;
}

static bool run_raise(struct jinja *j, struct value *out, const struct args *args) {
    struct value a[1];
    const struct text *text;
    (void)out;
    if (!jinja_bind(j, a, "raise_exception", "message", args) || !jinja_string(j, &text, &a[0])) return false;
    return jinja_fail(j, TEMPLATE_RAISED, "%.*s", text->n < 399 ? (int)text->n : 399, text->at);
}

static bool run_strftime(struct jinja *j, struct value *out, const struct args *args) {
    struct value a[1];
    if (!jinja_bind(j, a, "strftime_now", "format", args)) return false;
    if (a[0].kind != VALUE_TEXT)
        return jinja_fail(j, TEMPLATE_TYPE, "strftime() argument 1 must be str, not %s", jinja_type(&a[0]));
    return jinja_strftime(j, out, a[0].text);
}

/* jinja2's generator of filler text; a chat has no use for it. */
static bool run_lipsum(struct jinja *j, struct value *out, const struct args *args) {
    (void)out;
    (void)args;
    return jinja_fail(j, TEMPLATE_SECURITY, "lipsum() writes random text, which no prompt should hold");
}

static const struct function rows[] = {
    {"range", run_range},         {"dict", run_dict},
    {"namespace", run_namespace}, {"cycler", run_cycler},
    {"joiner", run_joiner},       {"raise_exception", run_raise},
    {"lipsum", run_lipsum},       {"strftime_now", run_strftime},
};

const struct function *jinja_global(const struct text *name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (jinja_text_is(name, rows[i].name)) return &rows[i];
    return NULL;
}

bool jinja_function_call(struct jinja *j, struct value *out, const struct function *f,
                         const struct args *args) {
    return f->run(j, out, args);
}
