/* jinja_value: what values are equal, ordered, true, contained, indexed: Python's rules. */
#include "engine/token/jinja.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- making -------------------------------------------------------------------------------------------- */

struct value jinja_none(void) {
    return (struct value){.kind = VALUE_NONE};
}
struct value jinja_bool(bool b) {
    return (struct value){.kind = VALUE_BOOL, .b = b};
}
struct value jinja_integer(jinja_int i) {
    return (struct value){.kind = VALUE_INT, .i = i};
}
struct value jinja_float(double f) {
    return (struct value){.kind = VALUE_FLOAT, .f = f};
}
struct value jinja_list(const struct list *list) {
    return (struct value){.kind = VALUE_LIST, .list = list};
}

bool jinja_list_new(struct jinja *j, struct list **out, size_t n) {
    *out = jinja_alloc(j, 1, sizeof **out);
    if (!*out) return false;
    (*out)->items = jinja_alloc(j, n, sizeof *(*out)->items);
    (*out)->n = n;
    return (*out)->items && jinja_work(j, n);
}

bool jinja_lazy_new(struct jinja *j, struct value *out, struct list list, const char *type, bool once,
                    bool sized) {
    struct lazy *lazy = jinja_alloc(j, 1, sizeof *lazy);
    if (!lazy) return false;
    *lazy = (struct lazy){list, type, once, sized};
    *out = (struct value){.kind = VALUE_LAZY, .lazy = lazy};
    return true;
}

static bool undefined_of(struct jinja *j, struct value *out, struct undefined why) {
    struct undefined *u = jinja_alloc(j, 1, sizeof *u);
    if (!u) return false;
    *u = why;
    *out = (struct value){.kind = VALUE_UNDEFINED, .undefined = u};
    return true;
}

bool jinja_undefined(struct jinja *j, struct value *out, const struct text *name, const char *owner) {
    return undefined_of(j, out, (struct undefined){.name = name, .owner = owner});
}

bool jinja_fail_undefined(struct jinja *j, const struct value *v) {
    const struct undefined *u = v->undefined;
    char name[VIEW_SHOWN] = "";
    if (u->name) view_shown(name, (struct view){u->name->at, u->name->n});
    if (u->message) return jinja_fail(j, TEMPLATE_UNDEFINED, "%s", u->message);
    if (u->unsafe)
        return jinja_fail(j, TEMPLATE_SECURITY, "access to attribute '%s' of '%s' object is unsafe.", name,
                          u->owner);
    if (u->owner)
        return jinja_fail(j, TEMPLATE_UNDEFINED, "'%s object' has no attribute '%s'", u->owner, name);
    return jinja_fail(j, TEMPLATE_UNDEFINED, "'%s' is undefined", name);
}

/* --- looking ------------------------------------------------------------------------------------------- */

const char *jinja_type(const struct value *v) {
    switch (v->kind) {
    case VALUE_ABSENT:
    case VALUE_UNDEFINED: return "Undefined";
    case VALUE_NONE: return "NoneType";
    case VALUE_BOOL: return "bool";
    case VALUE_INT: return "int";
    case VALUE_FLOAT: return "float";
    case VALUE_TEXT: return v->text->safe ? "Markup" : "str";
    case VALUE_LIST: return "list";
    case VALUE_TUPLE: return "tuple";
    case VALUE_DICT: return "dict";
    case VALUE_RANGE: return "range";
    case VALUE_LAZY: return v->lazy->type;
    case VALUE_NAMESPACE: return "Namespace";
    case VALUE_MACRO: return "Macro";
    case VALUE_FUNCTION: return "function";
    case VALUE_METHOD: return "builtin_function_or_method";
    case VALUE_LOOP: return "LoopContext";
    case VALUE_CYCLER: return "Cycler";
    case VALUE_JOINER: return "Joiner";
    }
    return "?";
}

bool jinja_is_number(const struct value *v) {
    return v->kind == VALUE_INT || v->kind == VALUE_FLOAT || v->kind == VALUE_BOOL;
}
jinja_int jinja_as_int(const struct value *v) { return v->kind == VALUE_BOOL ? v->b : v->i; }
double jinja_as_float(const struct value *v) {
    return v->kind == VALUE_FLOAT ? v->f : (double)jinja_as_int(v);
}

bool jinja_truth(const struct value *v) {
    switch (v->kind) {
    case VALUE_ABSENT:
    case VALUE_UNDEFINED:
    case VALUE_NONE: return false;
    case VALUE_BOOL: return v->b;
    case VALUE_INT: return v->i != 0;
    case VALUE_FLOAT: return v->f != 0;
    case VALUE_TEXT: return v->text->n > 0;
    case VALUE_LIST:
    case VALUE_TUPLE: return v->list->n > 0;
    case VALUE_DICT: return v->dict->n > 0;
    case VALUE_RANGE: return v->range->n > 0;
    case VALUE_LAZY: return !v->lazy->sized || v->lazy->list.n > 0;
    default: return true;
    }
}

/* --- equality ------------------------------------------------------------------------------------------ */

static bool equal_lists(struct jinja *j, bool *out, const struct list *a, const struct list *b) {
    *out = a->n == b->n;
    for (size_t i = 0; *out && i < a->n; i++)
        if (!jinja_equal(j, out, &a->items[i], &b->items[i])) return false;
    return true;
}

static bool equal_dicts(struct jinja *j, bool *out, const struct dict *a, const struct dict *b) {
    *out = a->n == b->n;
    for (size_t i = 0; *out && i < a->n; i++) {
        const struct value *other;
        if (!jinja_dict_get(j, &other, b, &a->entries[i].key)) return false;
        *out = other;
        if (other && !jinja_equal(j, out, &a->entries[i].value, other)) return false;
    }
    return true;
}

static bool equal_numbers(const struct value *a, const struct value *b) {
    if (a->kind == VALUE_FLOAT || b->kind == VALUE_FLOAT) return jinja_as_float(a) == jinja_as_float(b);
    return jinja_as_int(a) == jinja_as_int(b);
}

static bool equal_deep(struct jinja *j, bool *out, const struct value *a, const struct value *b) {
    switch (a->kind) {
    case VALUE_LIST:
    case VALUE_TUPLE: return equal_lists(j, out, a->list, b->list);
    case VALUE_DICT: return equal_dicts(j, out, a->dict, b->dict);
    case VALUE_RANGE:
        *out = a->range->n == b->range->n && (a->range->n == 0 || a->range->start == b->range->start) &&
               (a->range->n < 2 || a->range->step == b->range->step);
        return true;
    case VALUE_METHOD: *out = false; return true;
    default: *out = a->dict == b->dict; return true; /* the same object */
    }
}

bool jinja_equal(struct jinja *j, bool *out, const struct value *a, const struct value *b) {
    if (jinja_is_number(a) && jinja_is_number(b)) {
        *out = equal_numbers(a, b);
        return true;
    }
    *out = a->kind == b->kind;
    if (!*out || a->kind == VALUE_NONE || a->kind == VALUE_UNDEFINED || a->kind == VALUE_ABSENT) return true;
    if (a->kind == VALUE_TEXT) {
        *out = jinja_text_equal(a->text, b->text);
        return jinja_work(j, a->text->n);
    }
    if (!jinja_enter(j)) return false;
    bool ok = equal_deep(j, out, a, b);
    j->depth--;
    return ok;
}

/* --- order --------------------------------------------------------------------------------------------- */

static int compare_texts(const struct text *a, const struct text *b) {
    size_t n = a->n < b->n ? a->n : b->n; /* UTF-8 keeps the order of code points */
    int order = n ? memcmp(a->at, b->at, n) : 0;
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

static bool compare_lists(struct jinja *j, int *out, const struct list *a, const struct list *b,
                          const char *op) {
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        bool same;
        if (!jinja_equal(j, &same, &a->items[i], &b->items[i])) return false;
        if (!same) return jinja_compare(j, out, &a->items[i], &b->items[i], op);
    }
    *out = (a->n > b->n) - (a->n < b->n);
    return true;
}

bool jinja_compare(struct jinja *j, int *out, const struct value *a, const struct value *b, const char *op) {
    enum { UNORDERED = 2 };
    if (a->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, a);
    if (b->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, b);
    if (jinja_is_number(a) && jinja_is_number(b)) {
        double x = jinja_as_float(a), y = jinja_as_float(b);
        *out = isnan(x) || isnan(y) ? UNORDERED : (x > y) - (x < y);
        if (a->kind != VALUE_FLOAT && b->kind != VALUE_FLOAT)
            *out = (jinja_as_int(a) > jinja_as_int(b)) - (jinja_as_int(a) < jinja_as_int(b));
        return true;
    }
    if (a->kind == VALUE_TEXT && b->kind == VALUE_TEXT) {
        *out = compare_texts(a->text, b->text);
        return jinja_work(j, a->text->n < b->text->n ? a->text->n : b->text->n);
    }
    if (a->kind != b->kind || (a->kind != VALUE_LIST && a->kind != VALUE_TUPLE))
        return jinja_fail(j, TEMPLATE_TYPE, "'%s' not supported between instances of '%s' and '%s'", op,
                          jinja_type(a), jinja_type(b));
    if (!jinja_enter(j)) return false;
    bool ok = compare_lists(j, out, a->list, b->list, op);
    j->depth--;
    return ok;
}

/* --- containers ---------------------------------------------------------------------------------------- */

bool jinja_hashable(struct jinja *j, const struct value *key) {
    if (key->kind == VALUE_LIST || key->kind == VALUE_DICT)
        return jinja_fail(j, TEMPLATE_TYPE, "unhashable type: '%s'", jinja_type(key));
    for (size_t i = 0; key->kind == VALUE_TUPLE && i < key->list->n; i++)
        if (!jinja_hashable(j, &key->list->items[i])) return false;
    return true;
}

bool jinja_dict_get(struct jinja *j, const struct value **out, const struct dict *d,
                    const struct value *key) {
    *out = NULL;
    if (!jinja_work(j, d->n)) return false;
    for (size_t i = 0; i < d->n; i++) {
        const struct value *k = &d->entries[i].key;
        bool same = k->kind == VALUE_TEXT && key->kind == VALUE_TEXT && jinja_text_equal(k->text, key->text);
        if (!same && k->kind == VALUE_TEXT && key->kind == VALUE_TEXT) continue;
        if (!same && !jinja_equal(j, &same, k, key)) return false;
        if (!same) continue;
        *out = &d->entries[i].value;
        return true;
    }
    return true;
}

bool jinja_dict_set(struct jinja *j, struct dict *d, const struct value *key, const struct value *v) {
    const struct value *old;
    if (!jinja_hashable(j, key) || !jinja_dict_get(j, &old, d, key)) return false;
    if (old) {
        d->entries[(const struct entry *)((const char *)old - offsetof(struct entry, value)) - d->entries]
            .value = *v;
        return true;
    }
    if (!jinja_grow(j, (void **)&d->entries, d->n, &d->room, sizeof *d->entries)) return false;
    d->entries[d->n++] = (struct entry){*key, *v};
    return true;
}

bool jinja_is_iterable(const struct value *v) {
    switch (v->kind) {
    case VALUE_UNDEFINED:
    case VALUE_TEXT:
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
    case VALUE_RANGE:
    case VALUE_LAZY:
    case VALUE_LOOP: return true;
    default: return false;
    }
}

static bool text_items(struct jinja *j, struct list *out, const struct text *text) {
    size_t count = jinja_text_length(text), k = 0;
    struct list *list;
    if (!jinja_list_new(j, &list, count)) return false;
    for (size_t i = 0, n; i < text->n && k < count; i += n) {
        jinja_text_char(text, i, &n);
        if (!jinja_text_part(j, &list->items[k++], text, i, i + n)) return false;
    }
    *out = *list;
    return true;
}

static bool range_items(struct jinja *j, struct list *out, const struct range *r) {
    struct list *list;
    if (!jinja_list_new(j, &list, r->n)) return false;
    for (size_t i = 0; i < r->n; i++) list->items[i] = jinja_integer(r->start + (jinja_int)i * r->step);
    *out = *list;
    return true;
}

static bool dict_keys(struct jinja *j, struct list *out, const struct dict *d) {
    struct list *list;
    if (!jinja_list_new(j, &list, d->n)) return false;
    for (size_t i = 0; i < d->n; i++) list->items[i] = d->entries[i].key;
    *out = *list;
    return true;
}

bool jinja_items(struct jinja *j, struct list *out, const struct value *v) {
    *out = (struct list){0};
    switch (v->kind) {
    case VALUE_UNDEFINED: return !v->undefined->unsafe || jinja_fail_undefined(j, v);
    case VALUE_TEXT: return text_items(j, out, v->text);
    case VALUE_LIST:
    case VALUE_TUPLE: *out = *v->list; return true;
    case VALUE_DICT: return dict_keys(j, out, v->dict);
    case VALUE_RANGE: return range_items(j, out, v->range);
    case VALUE_LAZY:
        *out = v->lazy->list;
        if (v->lazy->once) v->lazy->list.n = 0;
        return true;
    default: return jinja_fail(j, TEMPLATE_TYPE, "'%s' object is not iterable", jinja_type(v));
    }
}

bool jinja_length(struct jinja *j, size_t *out, const struct value *v) {
    switch (v->kind) {
    case VALUE_UNDEFINED: *out = 0; return !v->undefined->unsafe || jinja_fail_undefined(j, v);
    case VALUE_TEXT: *out = jinja_text_length(v->text); return jinja_work(j, v->text->n);
    case VALUE_LIST:
    case VALUE_TUPLE: *out = v->list->n; return true;
    case VALUE_DICT: *out = v->dict->n; return true;
    case VALUE_RANGE: *out = v->range->n; return true;
    case VALUE_LOOP: *out = v->loop->items->n; return true;
    case VALUE_LAZY:
        *out = v->lazy->list.n;
        if (v->lazy->sized) return true;
        break;
    default: break;
    }
    return jinja_fail(j, TEMPLATE_TYPE, "object of type '%s' has no len()", jinja_type(v));
}

bool jinja_contains(struct jinja *j, bool *out, const struct value *item, const struct value *in) {
    struct list list;
    if (in->kind == VALUE_DICT) {
        const struct value *found;
        if (!jinja_hashable(j, item) || !jinja_dict_get(j, &found, in->dict, item)) return false;
        *out = found;
        return true;
    }
    if (in->kind == VALUE_TEXT) {
        if (item->kind != VALUE_TEXT)
            return jinja_fail(j, TEMPLATE_TYPE, "'in <string>' requires string as left operand, not %s",
                              jinja_type(item));
        *out = jinja_text_find(in->text, item->text, 0) != SIZE_MAX;
        return jinja_work(j, in->text->n);
    }
    if (!jinja_is_iterable(in))
        return jinja_fail(j, TEMPLATE_TYPE, "argument of type '%s' is not iterable", jinja_type(in));
    if (!jinja_items(j, &list, in)) return false;
    *out = false;
    for (size_t i = 0; !*out && i < list.n; i++)
        if (!jinja_equal(j, out, item, &list.items[i])) return false;
    return jinja_work(j, 64 * list.n);
}

/* --- subscripts ---------------------------------------------------------------------------------------- */

/* The position of an index in n items; false: it is outside. */
static bool position(size_t *out, jinja_int i, size_t n) {
    if (i < 0) i += (jinja_int)n;
    if (i < 0 || i >= (jinja_int)n) return false;
    *out = (size_t)i;
    return true;
}

/* The byte at which character `at` begins. */
static size_t byte_of(const struct text *text, size_t at) {
    size_t i = 0;
    for (; i < text->n; i++)
        if (((unsigned char)text->at[i] & 0xC0) != 0x80 && at-- == 0) break;
    return i;
}

static bool text_item(struct jinja *j, struct value *out, bool *found, const struct text *text, jinja_int i) {
    size_t at = 0, n;
    *found = position(&at, i, jinja_text_length(text));
    if (!jinja_work(j, text->n)) return false;
    if (!*found) return true;
    at = byte_of(text, at);
    jinja_text_char(text, at, &n);
    return jinja_text_part(j, out, text, at, at + n);
}

static bool indexed(struct jinja *j, struct value *out, bool *found, const struct value *x,
                    const struct value *key) {
    *found = false;
    if (x->kind == VALUE_DICT) {
        const struct value *v;
        if (key->kind == VALUE_LIST || key->kind == VALUE_DICT) return true;
        if (!jinja_dict_get(j, &v, x->dict, key)) return false;
        *found = v;
        if (v) *out = *v;
        return true;
    }
    if (key->kind != VALUE_INT && key->kind != VALUE_BOOL) return true;
    jinja_int i = jinja_as_int(key);
    size_t at = 0;
    if (x->kind == VALUE_TEXT) return text_item(j, out, found, x->text, i);
    if (x->kind == VALUE_LIST || x->kind == VALUE_TUPLE) {
        *found = position(&at, i, x->list->n);
        if (*found) *out = x->list->items[at];
    } else if (x->kind == VALUE_RANGE) {
        *found = position(&at, i, x->range->n);
        if (*found) *out = jinja_integer(x->range->start + (jinja_int)at * x->range->step);
    }
    return true;
}

static bool missing(struct jinja *j, struct value *out, const struct value *x, const struct value *key) {
    const struct text *name;
    if (key->kind == VALUE_TEXT) name = key->text;
    else {
        struct jinja_builder b = {.j = j};
        jinja_repr(&b, key);
        if (!jinja_built_text(&name, &b, false)) return false;
    }
    return undefined_of(j, out, (struct undefined){.name = name, .owner = jinja_type(x)});
}

/* Methods that would change a list or dict; the sandbox hides them. */
static bool changes(const struct value *x, const struct text *name) {
    static const char *const of_list[] = {"append", "clear",  "pop",    "reverse", "insert",
                                          "sort",   "extend", "remove", NULL};
    static const char *const of_dict[] = {"clear", "pop", "popitem", "setdefault", "update", NULL};
    const char *const *names = x->kind == VALUE_LIST ? of_list : x->kind == VALUE_DICT ? of_dict : NULL;
    for (; names && *names; names++)
        if (jinja_text_is(name, *names)) return true;
    return false;
}

static bool own_attribute(struct jinja *j, struct value *out, bool *found, const struct value *x,
                          const struct text *name);

/* Attributes proper: methods, parts of loops, members of namespaces. */
static bool attribute(struct jinja *j, struct value *out, bool *found, const struct value *x,
                      const struct text *name) {
    *found = true;
    if (changes(x, name) || (name->n > 1 && name->at[0] == '_' && name->at[1] == '_'))
        return undefined_of(j, out, (struct undefined){.name = name, .owner = jinja_type(x), .unsafe = true});
    return own_attribute(j, out, found, x, name);
}

bool jinja_item(struct jinja *j, struct value *out, const struct value *x, const struct value *key) {
    bool found = false;
    if (x->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, x);
    if (!indexed(j, out, &found, x, key)) return false;
    if (found) return true;
    if (key->kind == VALUE_TEXT && !attribute(j, out, &found, x, key->text)) return false;
    return found || missing(j, out, x, key);
}

bool jinja_attribute(struct jinja *j, struct value *out, const struct value *x, const struct text *name) {
    bool found;
    struct value key = {.kind = VALUE_TEXT, .text = name};
    if (x->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, x);
    if (!attribute(j, out, &found, x, name)) return false;
    if (!found && !indexed(j, out, &found, x, &key)) return false;
    return found || missing(j, out, x, &key);
}

static bool loop_attribute(struct jinja *j, struct value *out, bool *found, const struct value *x,
                           const struct text *name) {
    const struct loop *l = x->loop;
    size_t n = l->items->n, i = l->index;
    const struct {
        const char *name;
        struct value value;
    } parts[] = {
        {"index", jinja_integer((jinja_int)i + 1)},
        {"index0", jinja_integer((jinja_int)i)},
        {"revindex", jinja_integer((jinja_int)(n - i))},
        {"revindex0", jinja_integer((jinja_int)(n - i) - 1)},
        {"first", jinja_bool(i == 0)},
        {"last", jinja_bool(i + 1 >= n)},
        {"length", jinja_integer((jinja_int)n)},
        {"depth", jinja_integer(l->depth + 1)},
        {"depth0", jinja_integer(l->depth)},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!jinja_text_is(name, parts[k].name)) continue;
        *out = parts[k].value;
        return true;
    }
    bool next = jinja_text_is(name, "nextitem");
    if (!next && !jinja_text_is(name, "previtem")) return jinja_method(j, out, x, name, found);
    if (next ? i + 1 >= n : i == 0)
        return undefined_of(
            j, out,
            (struct undefined){.message = next ? "there is no next item" : "there is no previous item"});
    *out = l->items->items[next ? i + 1 : i - 1];
    return true;
}

static bool own_attribute(struct jinja *j, struct value *out, bool *found, const struct value *x,
                          const struct text *name) {
    const struct value *v;
    struct value key = {.kind = VALUE_TEXT, .text = name};
    if (x->kind == VALUE_LOOP) return loop_attribute(j, out, found, x, name);
    if (x->kind == VALUE_TUPLE && x->list->group &&
        (jinja_text_is(name, "grouper") || jinja_text_is(name, "list"))) {
        *out = x->list->items[jinja_text_is(name, "list")];
        return true;
    }
    if (x->kind == VALUE_MACRO && jinja_text_is(name, "name") && x->macro->name) {
        *out = (struct value){.kind = VALUE_TEXT, .text = x->macro->name};
        return true;
    }
    if (x->kind == VALUE_NAMESPACE) {
        if (!jinja_dict_get(j, &v, x->dict, &key)) return false;
        *found = v;
        if (v) *out = *v;
        return true;
    }
    if (x->kind == VALUE_CYCLER && jinja_text_is(name, "current")) {
        *out = x->cycler->items.items[x->cycler->at];
        return true;
    }
    return jinja_method(j, out, x, name, found);
}

/* --- slices -------------------------------------------------------------------------------------------- */

struct bounds {
    jinja_int start, step;
    size_t n;
};

static jinja_int clamp(jinja_int i, jinja_int n, jinja_int low, jinja_int high) {
    if (i < 0) i += n;
    return i < low ? low : i > high ? high : i;
}

static bool bounds_of(struct jinja *j, struct bounds *out, size_t count, const struct value given[3]) {
    jinja_int n = (jinja_int)count, part[3] = {0};
    bool open[3];
    for (int i = 0; i < 3; i++) {
        open[i] = given[i].kind == VALUE_ABSENT || given[i].kind == VALUE_NONE;
        if (!open[i] && given[i].kind != VALUE_INT && given[i].kind != VALUE_BOOL)
            return jinja_fail(j, TEMPLATE_TYPE,
                              "slice indices must be integers or None or have an __index__ method");
        if (!open[i]) part[i] = jinja_as_int(&given[i]);
    }
    jinja_int step = open[2] ? 1 : part[2];
    if (step == 0) return jinja_fail(j, TEMPLATE_VALUE, "slice step cannot be zero");
    if (step > n + 1) step = n + 1;
    if (step < -n - 1) step = -n - 1;
    jinja_int low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    jinja_int start = open[0] ? (step < 0 ? high : low) : clamp(part[0], n, low, high);
    jinja_int stop = open[1] ? (step < 0 ? low : high) : clamp(part[1], n, low, high);
    jinja_int span = step < 0 ? start - stop : stop - start, stride = step < 0 ? -step : step;
    *out = (struct bounds){start, step, span > 0 ? (size_t)((span + stride - 1) / stride) : 0};
    return true;
}

static bool slice_text(struct jinja *j, struct value *out, const struct text *text, struct bounds b) {
    if (b.step == 1) {
        size_t start = byte_of(text, (size_t)b.start);
        struct text rest = {.at = text->at + start, .n = text->n - start};
        return jinja_text_part(j, out, text, start, start + byte_of(&rest, b.n));
    }
    struct list chars;
    struct jinja_builder built = {.j = j};
    if (!text_items(j, &chars, text)) return false;
    for (size_t i = 0; i < b.n; i++)
        jinja_add_text(&built, chars.items[b.start + (jinja_int)i * b.step].text);
    return jinja_built(out, &built, text->safe);
}

static bool slice_range(struct jinja *j, struct value *out, const struct range *r, struct bounds b) {
    struct range *part = jinja_alloc(j, 1, sizeof *part);
    if (!part) return false;
    part->start = r->start + b.start * r->step;
    part->step = r->step * b.step;
    part->stop = part->start + (jinja_int)b.n * part->step;
    part->n = b.n;
    *out = (struct value){.kind = VALUE_RANGE, .range = part};
    return true;
}

bool jinja_slice(struct jinja *j, struct value *out, const struct value *x, const struct value given[3]) {
    struct bounds b = {0};
    size_t n;
    if (x->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, x);
    if (x->kind != VALUE_TEXT && x->kind != VALUE_LIST && x->kind != VALUE_TUPLE && x->kind != VALUE_RANGE)
        return jinja_fail(j, TEMPLATE_TYPE, "'%s' object is not subscriptable by a slice", jinja_type(x));
    if (!jinja_length(j, &n, x) || !bounds_of(j, &b, n, given)) return false;
    if (x->kind == VALUE_TEXT) return jinja_work(j, x->text->n) && slice_text(j, out, x->text, b);
    if (x->kind == VALUE_RANGE) return slice_range(j, out, x->range, b);
    struct list items, *list;
    if (!jinja_items(j, &items, x) || !jinja_list_new(j, &list, b.n)) return false;
    for (size_t i = 0; i < b.n; i++) list->items[i] = items.items[b.start + (jinja_int)i * b.step];
    *out = (struct value){.kind = x->kind == VALUE_TUPLE ? VALUE_TUPLE : VALUE_LIST, .list = list};
    return true;
}
