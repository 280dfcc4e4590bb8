#include "engine/token/jinja_sequence.h"

#include <string.h>

static bool lazy(struct value *out, const struct filter_call *c, const struct list *list) {
    return jinja_lazy_new(c->j, out, *list, "generator", true, false);
}

static bool tuple(struct jinja *j, struct value *out, const struct value *a, const struct value *b) {
    struct list *pair;
    if (!jinja_list_new(j, &pair, 2)) return false;
    pair->items[0] = *a;
    pair->items[1] = *b;
    *out = (struct value){.kind = VALUE_TUPLE, .list = pair};
    return true;
}

/* --- keys ---------------------------------------------------------------------------------------------- */

static bool lower(struct jinja *j, struct value *v) {
    static const struct text name = {.at = "lower", .n = 5};
    struct value method, object = *v;
    bool found;
    if (v->kind != VALUE_TEXT) return true;
    return jinja_method(j, &method, &object, &name, &found) && jinja_call(j, v, &method, &(struct args){0});
}

/* item.a.0.b for the path "a.0.b" */
static bool follow(struct jinja *j, struct value *out, const struct value *item, const struct text *path,
                   const struct value *fallback) {
    *out = *item;
    for (size_t from = 0, end; from <= path->n; from = end + 1) {
        const char *dot = from < path->n ? memchr(path->at + from, '.', path->n - from) : NULL;
        struct value key, x = *out;
        jinja_int number;
        end = dot ? (size_t)(dot - path->at) : path->n;
        if (!jinja_text_part(j, &key, path, from, end)) return false;
        if (end > from && strspn(path->at + from, "0123456789") >= end - from &&
            jinja_parse_int(&number, (struct view){path->at + from, end - from}, 10))
            key = jinja_integer(number);
        if (!jinja_item(j, out, &x, &key)) return false;
        if (out->kind == VALUE_UNDEFINED && fallback && fallback->kind != VALUE_ABSENT &&
            fallback->kind != VALUE_NONE)
            *out = *fallback;
    }
    return true;
}

bool jinja_key(struct jinja *j, struct value *out, const struct value *item, const struct value *attribute,
               bool ignore_case, const struct value *fallback) {
    struct value x = *item;
    if (attribute->kind == VALUE_INT) {
        if (!jinja_item(j, out, &x, attribute)) return false;
        if (out->kind == VALUE_UNDEFINED && fallback && fallback->kind != VALUE_ABSENT) *out = *fallback;
    } else if (attribute->kind == VALUE_TEXT) {
        if (!follow(j, out, &x, attribute->text, fallback)) return false;
    } else *out = x;
    return !ignore_case || lower(j, out);
}

/* A list of keys, one for each name in "a,b": lists compare what differs only, so that items that lack an
 * attribute alike keep their order. */
static bool sort_key(struct jinja *j, struct value *out, const struct value *item,
                     const struct value *attribute, bool ignore_case) {
    static const struct text nothing = {.at = "", .n = 0};
    const struct text *names = attribute->kind == VALUE_TEXT ? attribute->text : &nothing;
    size_t n = 1, k = 0;
    struct list *list;
    for (size_t i = 0; i < names->n; i++) n += names->at[i] == ',';
    if (!jinja_list_new(j, &list, n)) return false;
    for (size_t from = 0, i = 0; i <= names->n; i++) {
        struct value name;
        if (i < names->n && names->at[i] != ',') continue;
        if (attribute->kind != VALUE_TEXT) name = *attribute;
        else if (!jinja_text_part(j, &name, names, from, i)) return false;
        if (!jinja_key(j, &list->items[k++], item, &name, ignore_case, NULL)) return false;
        from = i + 1;
    }
    *out = jinja_list(list);
    return true;
}

/* A stable merge sort of items by their keys, both moved. */
static bool merge(struct jinja *j, struct value *items[2], struct value *keys[2], size_t low, size_t middle,
                  size_t high, bool reverse) {
    size_t a = low, b = middle;
    for (size_t k = low; k < high; k++) {
        int order = 0;
        bool left = b >= high;
        if (a < middle && b < high) {
            if (!jinja_compare(j, &order, &keys[0][b], &keys[0][a], "<")) return false;
            left = reverse ? order <= 0 : order >= 0;
        }
        size_t from = left ? a++ : b++;
        items[1][k] = items[0][from];
        keys[1][k] = keys[0][from];
    }
    return jinja_work(j, 64 * (high - low));
}

bool jinja_sort(struct jinja *j, struct value *items, struct value *keys, size_t n, bool reverse) {
    struct value *i2[2] = {items, jinja_alloc(j, n, sizeof *items)},
                 *k2[2] = {keys, jinja_alloc(j, n, sizeof *keys)};
    if (!i2[1] || !k2[1]) return false;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n,
                   high = low + 2 * width < n ? low + 2 * width : n;
            if (!merge(j, i2, k2, low, middle, high, reverse)) return false;
        }
        memcpy(items, i2[1], n * sizeof *items);
        memcpy(keys, k2[1], n * sizeof *keys);
    }
    return true;
}

/* The items of `in`, a copy, with their keys. */
static bool keyed(const struct filter_call *c, struct list *items, struct value **keys,
                  const struct value *attribute, bool ignore_case, bool sorting) {
    struct list given, *copy;
    if (!jinja_items(c->j, &given, c->in) || !jinja_list_new(c->j, &copy, given.n)) return false;
    *keys = jinja_alloc(c->j, given.n, sizeof **keys);
    if (!*keys) return false;
    for (size_t i = 0; i < given.n; i++) {
        copy->items[i] = given.items[i];
        if (sorting ? !sort_key(c->j, &(*keys)[i], &given.items[i], attribute, ignore_case)
                    : !jinja_key(c->j, &(*keys)[i], &given.items[i], attribute, ignore_case, NULL))
            return false;
    }
    *items = *copy;
    return true;
}

static bool list_of(struct value *out, const struct filter_call *c, struct list list) {
    struct list *copy;
    if (!jinja_list_new(c->j, &copy, 0)) return false;
    *copy = list;
    *out = jinja_list(copy);
    return true;
}

/* --- order --------------------------------------------------------------------------------------------- */

/* reverse? case_sensitive? attribute? */
bool jinja_sequence_sort(struct value *out, const struct filter_call *c) {
    struct list items;
    struct value *keys;
    return keyed(c, &items, &keys, &c->a[2], !jinja_truth(&c->a[1]), true) &&
           jinja_sort(c->j, items.items, keys, items.n, jinja_truth(&c->a[0])) && list_of(out, c, items);
}

/* case_sensitive? by? reverse? */
bool jinja_sequence_dictsort(struct value *out, const struct filter_call *c) {
    bool by_value = c->a[1].kind == VALUE_TEXT && jinja_text_is(c->a[1].text, "value");
    if (c->a[1].kind != VALUE_ABSENT && !by_value &&
        !(c->a[1].kind == VALUE_TEXT && jinja_text_is(c->a[1].text, "key")))
        return jinja_fail(c->j, TEMPLATE_ARGUMENT, "You can only sort by either \"key\" or \"value\"");
    if (c->in->kind == VALUE_UNDEFINED) return jinja_fail_undefined(c->j, c->in);
    if (c->in->kind != VALUE_DICT)
        return jinja_fail(c->j, TEMPLATE_TYPE, "'%s' object has no items to sort", jinja_type(c->in));
    const struct dict *d = c->in->dict;
    struct list *list;
    struct value *keys = jinja_alloc(c->j, d->n, sizeof *keys);
    if (!keys || !jinja_list_new(c->j, &list, d->n)) return false;
    for (size_t i = 0; i < d->n; i++) {
        keys[i] = by_value ? d->entries[i].value : d->entries[i].key;
        if (!tuple(c->j, &list->items[i], &d->entries[i].key, &d->entries[i].value) ||
            (!jinja_truth(&c->a[0]) && !lower(c->j, &keys[i])))
            return false;
    }
    *out = jinja_list(list);
    return jinja_sort(c->j, list->items, keys, list->n, jinja_truth(&c->a[2]));
}

/* case_sensitive? attribute? */
bool jinja_sequence_unique(struct value *out, const struct filter_call *c) {
    struct list items, *kept;
    struct value *keys;
    struct dict seen = {0};
    const struct value *old, none = jinja_none();
    if (!keyed(c, &items, &keys, &c->a[1], !jinja_truth(&c->a[0]), false) ||
        !jinja_list_new(c->j, &kept, items.n))
        return false;
    kept->n = 0;
    for (size_t i = 0; i < items.n; i++) {
        if (!jinja_hashable(c->j, &keys[i]) || !jinja_dict_get(c->j, &old, &seen, &keys[i])) return false;
        if (old) continue;
        if (!jinja_dict_set(c->j, &seen, &keys[i], &none)) return false;
        kept->items[kept->n++] = items.items[i];
    }
    return lazy(out, c, kept);
}

/* case_sensitive? attribute? */
bool jinja_sequence_extreme(struct value *out, const struct filter_call *c) {
    struct list items;
    struct value *keys;
    size_t best = 0;
    if (!keyed(c, &items, &keys, &c->a[1], !jinja_truth(&c->a[0]), false)) return false;
    if (items.n == 0) return jinja_undefined(c->j, out, NULL, NULL);
    for (size_t i = 1; i < items.n; i++) {
        int order;
        if (!jinja_compare(c->j, &order, &keys[i], &keys[best], c->variant ? ">" : "<")) return false;
        if (c->variant ? order > 0 : order < 0) best = i;
    }
    *out = items.items[best];
    return true;
}

/* attribute? start? */
bool jinja_sequence_sum(struct value *out, const struct filter_call *c) {
    struct list items;
    struct value sum = c->a[1].kind == VALUE_ABSENT ? jinja_integer(0) : c->a[1], v;
    if (!jinja_items(c->j, &items, c->in)) return false;
    for (size_t i = 0; i < items.n; i++)
        if (!jinja_key(c->j, &v, &items.items[i], &c->a[0], false, NULL) ||
            !jinja_math(c->j, &sum, &sum, &v, '+'))
            return false;
    *out = sum;
    return true;
}

/* attribute default? case_sensitive? */
bool jinja_sequence_groupby(struct value *out, const struct filter_call *c) {
    struct list given, *sorted, *groups;
    bool fold = !jinja_truth(&c->a[2]);
    if (!jinja_items(c->j, &given, c->in) || !jinja_list_new(c->j, &sorted, given.n) ||
        !jinja_list_new(c->j, &groups, given.n))
        return false;
    struct value *keys = jinja_alloc(c->j, given.n, sizeof *keys);
    if (!keys) return false;
    for (size_t i = 0; i < given.n; i++) {
        sorted->items[i] = given.items[i];
        if (!jinja_key(c->j, &keys[i], &given.items[i], &c->a[0], fold, &c->a[1])) return false;
    }
    if (!jinja_sort(c->j, sorted->items, keys, given.n, false)) return false;
    groups->n = 0;
    for (size_t i = 0, end; i < given.n; i = end) {
        struct list *members, *group;
        bool same = true;
        for (end = i + 1; end < given.n; end++) {
            if (!jinja_equal(c->j, &same, &keys[i], &keys[end])) return false;
            if (!same) break;
        }
        if (!jinja_list_new(c->j, &members, end - i) || !jinja_list_new(c->j, &group, 2)) return false;
        memcpy(members->items, sorted->items + i, (end - i) * sizeof *members->items);
        if (!jinja_key(c->j, &group->items[0], &sorted->items[i], &c->a[0], false, &c->a[1])) return false;
        group->items[1] = jinja_list(members);
        group->group = true;
        groups->items[groups->n++] = (struct value){.kind = VALUE_TUPLE, .list = group};
    }
    *out = jinja_list(groups);
    return true;
}

/* --- choosing and changing ----------------------------------------------------------------------------- */

static bool name_of(const struct filter_call *c, const struct text **out, size_t i, const char *what) {
    if (i < c->args->n && c->args->items[i].kind == VALUE_TEXT) return *out = c->args->items[i].text, true;
    return jinja_fail(c->j, TEMPLATE_ARGUMENT, "%s", what);
}

static bool map_attribute(struct value *out, const struct filter_call *c, const struct list *items) {
    struct value a[2];
    struct list *list;
    if (!jinja_bind(c->j, a, "map", "attribute default?",
                    &(struct args){.named = c->args->named, .n_named = c->args->n_named}) ||
        !jinja_list_new(c->j, &list, items->n))
        return false;
    for (size_t i = 0; i < items->n; i++)
        if (!jinja_key(c->j, &list->items[i], &items->items[i], &a[0], false, &a[1])) return false;
    return lazy(out, c, list);
}

bool jinja_sequence_map(struct value *out, const struct filter_call *c) {
    struct list items, *list;
    const struct text *name = NULL;
    if (c->in->kind == VALUE_UNDEFINED || !jinja_truth(c->in)) return lazy(out, c, &(struct list){0});
    if (!jinja_items(c->j, &items, c->in)) return false;
    if (c->args->n == 0 && c->args->n_named) return map_attribute(out, c, &items);
    if (!name_of(c, &name, 0, "map requires a filter argument") || !jinja_list_new(c->j, &list, items.n))
        return false;
    const struct filter *f = jinja_filter_find(name);
    if (!f) return jinja_fail(c->j, TEMPLATE_RUNTIME, "map: there is no filter of that name");
    struct args rest = *c->args;
    rest.items++;
    rest.n--;
    for (size_t i = 0; i < items.n; i++)
        if (!jinja_filter_apply(c->j, &list->items[i], f, &items.items[i], &rest)) return false;
    return lazy(out, c, list);
}

bool jinja_sequence_select(struct value *out, const struct filter_call *c) {
    struct list items, *kept;
    const struct text *name = NULL;
    struct value attribute = {.kind = VALUE_ABSENT};
    size_t used = c->variant & FILTER_BY_ATTRIBUTE ? 1 : 0;
    if (!jinja_truth(c->in)) return lazy(out, c, &(struct list){0});
    if (used && c->args->n == 0)
        return jinja_fail(c->j, TEMPLATE_ARGUMENT, "Missing parameter for attribute name");
    if (used) attribute = c->args->items[0];
    const struct test *test = NULL;
    if (c->args->n > used) {
        if (!name_of(c, &name, used, "the name of a test is wanted")) return false;
        test = jinja_test_find(name);
        if (!test) return jinja_fail(c->j, TEMPLATE_RUNTIME, "there is no test of that name");
        used++;
    }
    struct args rest = *c->args;
    rest.items = rest.items ? rest.items + used : NULL;
    rest.n -= used;
    if (!jinja_items(c->j, &items, c->in) || !jinja_list_new(c->j, &kept, items.n)) return false;
    kept->n = 0;
    for (size_t i = 0; i < items.n; i++) {
        struct value v;
        if (!jinja_key(c->j, &v, &items.items[i], &attribute, false, NULL)) return false;
        bool is = jinja_truth(&v);
        if (test && !jinja_test_apply(c->j, &is, test, &v, &rest)) return false;
        if (is == (c->variant & FILTER_KEEP)) kept->items[kept->n++] = items.items[i];
    }
    return lazy(out, c, kept);
}

static bool wants_count(const struct filter_call *c, size_t *out, const struct value *v) {
    if (v->kind != VALUE_INT || v->i <= 0 || v->i > 1000000)
        return jinja_fail(c->j, TEMPLATE_VALUE, "a count from 1 on is wanted");
    *out = (size_t)v->i;
    return true;
}

/* linecount fill_with? */
bool jinja_sequence_batch(struct value *out, const struct filter_call *c) {
    struct list items, *rows, *row;
    size_t n = 0;
    bool fills = c->a[1].kind != VALUE_ABSENT && c->a[1].kind != VALUE_NONE;
    if (!wants_count(c, &n, &c->a[0]) || !jinja_items(c->j, &items, c->in) ||
        !jinja_list_new(c->j, &rows, (items.n + n - 1) / n))
        return false;
    for (size_t i = 0; i < rows->n; i++) {
        size_t left = items.n - i * n, here = left < n ? left : n;
        if (!jinja_list_new(c->j, &row, fills ? n : here)) return false;
        for (size_t k = 0; k < row->n; k++) row->items[k] = k < here ? items.items[i * n + k] : c->a[1];
        rows->items[i] = jinja_list(row);
    }
    return lazy(out, c, rows);
}

/* slices fill_with? */
bool jinja_sequence_slice(struct value *out, const struct filter_call *c) {
    struct list items, *rows, *row;
    size_t n = 0, at = 0;
    bool fills = c->a[1].kind != VALUE_ABSENT && c->a[1].kind != VALUE_NONE;
    if (!wants_count(c, &n, &c->a[0]) || !jinja_items(c->j, &items, c->in) || !jinja_list_new(c->j, &rows, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t here = items.n / n + (i < items.n % n);
        bool fill = fills && i >= items.n % n;
        if (!jinja_list_new(c->j, &row, here + fill)) return false;
        if (here) memcpy(row->items, items.items + at, here * sizeof *row->items);
        if (fill) row->items[here] = c->a[1];
        at += here;
        rows->items[i] = jinja_list(row);
    }
    return lazy(out, c, rows);
}

/* d? attribute? */
bool jinja_sequence_join(struct value *out, const struct filter_call *c) {
    struct list items;
    struct jinja_builder b = {.j = c->j};
    if (!jinja_items(c->j, &items, c->in)) return false;
    for (size_t i = 0; i < items.n && !b.failed; i++) {
        struct value v;
        if (!jinja_key(c->j, &v, &items.items[i], &c->a[1], false, NULL)) return false;
        if (i) jinja_print(&b, &c->a[0]);
        jinja_print(&b, &v);
    }
    return jinja_built(out, &b, false);
}

bool jinja_sequence_end(struct value *out, const struct filter_call *c) {
    struct list items;
    if (c->variant && c->in->kind == VALUE_LAZY && !c->in->lazy->sized)
        return jinja_fail(c->j, TEMPLATE_TYPE, "'generator' object is not reversible");
    if (!jinja_items(c->j, &items, c->in)) return false;
    if (items.n == 0) return jinja_undefined(c->j, out, NULL, NULL);
    *out = items.items[c->variant ? items.n - 1 : 0];
    return true;
}

bool jinja_sequence_reverse(struct value *out, const struct filter_call *c) {
    struct list items, *list;
    if (c->in->kind == VALUE_TEXT) {
        struct value bounds[3] = {{.kind = VALUE_ABSENT}, {.kind = VALUE_ABSENT}, jinja_integer(-1)};
        return jinja_slice(c->j, out, c->in, bounds);
    }
    if (!jinja_is_iterable(c->in)) return jinja_fail(c->j, TEMPLATE_ARGUMENT, "argument must be iterable");
    if (!jinja_items(c->j, &items, c->in) || !jinja_list_new(c->j, &list, items.n)) return false;
    for (size_t i = 0; i < items.n; i++) list->items[i] = items.items[items.n - 1 - i];
    if (c->in->kind == VALUE_LAZY && c->in->lazy->once) return *out = jinja_list(list), true;
    return jinja_lazy_new(c->j, out, *list, "list_reverseiterator", true, false);
}

bool jinja_sequence_list(struct value *out, const struct filter_call *c) {
    struct list items;
    return jinja_items(c->j, &items, c->in) && list_of(out, c, items);
}

bool jinja_sequence_items(struct value *out, const struct filter_call *c) {
    struct list *list;
    if (c->in->kind == VALUE_UNDEFINED) return lazy(out, c, &(struct list){0});
    if (c->in->kind != VALUE_DICT)
        return jinja_fail(c->j, TEMPLATE_TYPE, "Can only get item pairs from a mapping.");
    const struct dict *d = c->in->dict;
    if (!jinja_list_new(c->j, &list, d->n)) return false;
    for (size_t i = 0; i < d->n; i++)
        if (!tuple(c->j, &list->items[i], &d->entries[i].key, &d->entries[i].value)) return false;
    return lazy(out, c, list);
}
