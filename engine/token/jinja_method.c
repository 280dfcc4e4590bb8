/* jinja_method: the methods of texts, dicts, lists, loops and cyclers. */
#include "base/utf8.h"
#include "engine/token/jinja_ast.h"

#include <string.h>
#include <utf8proc.h>

enum { MAX_PARAMETERS = 4, MAX_PAD = 1 << 20 };

struct method_call {
    struct jinja *j;
    const struct value *self;
    const struct value *a;   /* as bound */
    const struct args *args; /* as given, where there is no list of parameters */
    int variant;
};

struct method_row {
    const char *name, *parameters; /* NULL: any */
    bool (*run)(struct value *out, const struct method_call *c);
    int variant;
};

struct method {
    const struct method_row *row;
    struct value self;
};

static bool wants_text(const struct method_call *c, const struct value *v, const char *what) {
    if (v->kind == VALUE_TEXT) return true;
    if (v->kind == VALUE_UNDEFINED) return jinja_fail_undefined(c->j, v);
    return jinja_fail(c->j, TEMPLATE_TYPE, "%s must be str, not %s", what, jinja_type(v));
}

static bool wants_int(const struct method_call *c, jinja_int *out, const struct value *v,
                      jinja_int otherwise) {
    *out = otherwise;
    if (v->kind == VALUE_ABSENT || v->kind == VALUE_NONE) return true;
    if (v->kind != VALUE_INT && v->kind != VALUE_BOOL)
        return jinja_fail(c->j, TEMPLATE_TYPE, "'%s' object cannot be interpreted as an integer",
                          jinja_type(v));
    *out = jinja_as_int(v);
    return true;
}

/* --- case ---------------------------------------------------------------------------------------------- */

enum { UPPER, LOWER, TITLE, CAPITALIZE, SWAP };

static bool is_cased(uint32_t c) {
    utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
    return k == UTF8PROC_CATEGORY_LU || k == UTF8PROC_CATEGORY_LL || k == UTF8PROC_CATEGORY_LT;
}
static bool is_upper(uint32_t c) { return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_LU; }

static uint32_t cased(uint32_t c, int variant, bool inside) {
    bool up = variant == UPPER || ((variant == TITLE || variant == CAPITALIZE) && !inside) ||
              (variant == SWAP && !is_upper(c));
    if (variant == TITLE && !inside) return (uint32_t)utf8proc_totitle((utf8proc_int32_t)c);
    return (uint32_t)(up ? utf8proc_toupper((utf8proc_int32_t)c) : utf8proc_tolower((utf8proc_int32_t)c));
}

static bool text_case(struct value *out, const struct method_call *c) {
    const struct text *text = c->self->text;
    struct jinja_builder b = {.j = c->j};
    bool inside = false;
    for (size_t i = 0, n; i < text->n; i += n) {
        char bytes[4];
        uint32_t before = jinja_text_char(text, i, &n), after = cased(before, c->variant, inside);
        if (before == 0xDF && c->variant == UPPER) jinja_add_for(&b, text, i, "SS", 2);
        else if (after == before) jinja_add_part(&b, text, i, i + n);
        else jinja_add_for(&b, text, i, bytes, utf8_encode(bytes, after));
        inside = c->variant == CAPITALIZE || is_cased(before);
    }
    return jinja_built(out, &b, text->safe);
}

enum { ALPHA, DIGIT, ALNUM, ALL_UPPER, ALL_LOWER, SPACE };

static bool text_is(struct value *out, const struct method_call *c) {
    const struct text *text = c->self->text;
    bool all = text->n > 0, any_cased = false;
    for (size_t i = 0, n; all && i < text->n; i += n) {
        uint32_t ch = jinja_text_char(text, i, &n);
        utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)ch);
        bool alpha = k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
        bool digit = k == UTF8PROC_CATEGORY_ND, cases = is_cased(ch);
        any_cased = any_cased || cases;
        switch (c->variant) {
        case ALPHA: all = alpha; break;
        case DIGIT: all = digit; break;
        case ALNUM: all = alpha || digit; break;
        case ALL_UPPER: all = !cases || is_upper(ch); break;
        case ALL_LOWER: all = !cases || !is_upper(ch); break;
        default: all = jinja_is_space(ch); break;
        }
    }
    *out = jinja_bool(all && (any_cased || (c->variant != ALL_UPPER && c->variant != ALL_LOWER)));
    return true;
}

/* --- cutting ------------------------------------------------------------------------------------------- */

enum { LEFT = 1, RIGHT = 2, BOTH = 3 };

static bool text_strip(struct value *out, const struct method_call *c) {
    bool open = c->a[0].kind == VALUE_ABSENT || c->a[0].kind == VALUE_NONE;
    size_t start, end;
    if (!open && !wants_text(c, &c->a[0], "strip arg")) return false;
    jinja_text_strip(c->self->text, open ? NULL : c->a[0].text, c->variant & LEFT, c->variant & RIGHT, &start,
                     &end);
    return jinja_text_part(c->j, out, c->self->text, start, end);
}

struct parts {
    struct jinja *j;
    struct list list;
    size_t room;
    const struct text *text;
};

static bool part_add(struct parts *p, size_t start, size_t end) {
    if (!jinja_grow(p->j, (void **)&p->list.items, p->list.n, &p->room, sizeof *p->list.items)) return false;
    return jinja_text_part(p->j, &p->list.items[p->list.n++], p->text, start, end) &&
           jinja_work(p->j, end - start);
}

static bool parts_done(struct value *out, struct parts *p) {
    struct list *list;
    if (!jinja_list_new(p->j, &list, 0)) return false;
    *list = p->list;
    *out = jinja_list(list);
    return true;
}

/* At runs of white space, none at the ends. */
static bool split_blanks(struct parts *p, jinja_int limit) {
    const struct text *t = p->text;
    size_t i = 0, n;
    while (i < t->n) {
        if (jinja_is_space(jinja_text_char(t, i, &n))) {
            i += n;
            continue;
        }
        size_t start = i;
        if (limit-- == 0) {
            size_t first, end;
            jinja_text_strip(t, NULL, false, true, &first, &end);
            return part_add(p, start, end);
        }
        while (i < t->n && !jinja_is_space(jinja_text_char(t, i, &n))) i += n;
        if (!part_add(p, start, i)) return false;
    }
    return true;
}

static size_t find_last(const struct text *text, const struct text *part, size_t end) {
    for (size_t i = end >= part->n ? end - part->n + 1 : 0; i-- > 0;)
        if (memcmp(text->at + i, part->at, part->n) == 0) return i;
    return SIZE_MAX;
}

static bool split_right(struct parts *p, const struct text *by, jinja_int limit) {
    size_t end = p->text->n, at;
    while (limit-- != 0 && (at = find_last(p->text, by, end)) != SIZE_MAX) {
        if (!part_add(p, at + by->n, end)) return false;
        end = at;
    }
    if (!part_add(p, 0, end)) return false;
    for (size_t i = 0, k = p->list.n; i + 1 < k; i++, k--) {
        struct value v = p->list.items[i];
        p->list.items[i] = p->list.items[k - 1];
        p->list.items[k - 1] = v;
    }
    return true;
}

static bool text_split(struct value *out, const struct method_call *c) {
    struct parts p = {.j = c->j, .text = c->self->text};
    jinja_int limit;
    if (!wants_int(c, &limit, &c->a[1], -1)) return false;
    if (c->a[0].kind == VALUE_ABSENT || c->a[0].kind == VALUE_NONE)
        return split_blanks(&p, limit) && parts_done(out, &p);
    if (!wants_text(c, &c->a[0], "sep")) return false;
    const struct text *by = c->a[0].text;
    if (by->n == 0) return jinja_fail(c->j, TEMPLATE_VALUE, "empty separator");
    if (c->variant == RIGHT) return split_right(&p, by, limit) && parts_done(out, &p);
    size_t from = 0, at;
    while (limit-- != 0 && (at = jinja_text_find(p.text, by, from)) != SIZE_MAX) {
        if (!part_add(&p, from, at)) return false;
        from = at + by->n;
    }
    return part_add(&p, from, p.text->n) && parts_done(out, &p);
}

static bool text_splitlines(struct value *out, const struct method_call *c) {
    struct parts p = {.j = c->j, .text = c->self->text};
    bool keep = jinja_truth(&c->a[0]);
    size_t start = 0, n;
    for (size_t i = 0; i < p.text->n; i += n) {
        uint32_t ch = jinja_text_char(p.text, i, &n);
        bool ends = (ch >= 10 && ch <= 13) || (ch >= 0x1C && ch <= 0x1E) || ch == 0x85 || ch == 0x2028 ||
                    ch == 0x2029;
        if (!ends) continue;
        if (ch == '\r' && i + 1 < p.text->n && p.text->at[i + 1] == '\n') n = 2;
        if (!part_add(&p, start, keep ? i + n : i)) return false;
        start = i + n;
    }
    return (start == p.text->n || part_add(&p, start, p.text->n)) && parts_done(out, &p);
}

static bool text_partition(struct value *out, const struct method_call *c) {
    struct parts p = {.j = c->j, .text = c->self->text};
    if (!wants_text(c, &c->a[0], "sep")) return false;
    const struct text *by = c->a[0].text;
    if (by->n == 0) return jinja_fail(c->j, TEMPLATE_VALUE, "empty separator");
    size_t n = p.text->n;
    size_t at = c->variant == RIGHT ? find_last(p.text, by, n) : jinja_text_find(p.text, by, 0);
    bool none = at == SIZE_MAX;
    if (none) at = c->variant == RIGHT ? 0 : n;
    size_t end = none ? at : at + by->n;
    if (!part_add(&p, 0, at) || !part_add(&p, at, end) || !part_add(&p, end, n) || !parts_done(out, &p))
        return false;
    out->kind = VALUE_TUPLE;
    return true;
}

static bool text_remove(struct value *out, const struct method_call *c) {
    const struct text *t = c->self->text;
    if (!wants_text(c, &c->a[0], "affix")) return false;
    const struct text *part = c->a[0].text;
    bool there = part->n <= t->n && part->n &&
                 memcmp(c->variant == LEFT ? t->at : t->at + t->n - part->n, part->at, part->n) == 0;
    size_t cut = there ? part->n : 0;
    return jinja_text_part(c->j, out, t, c->variant == LEFT ? cut : 0,
                           c->variant == LEFT ? t->n : t->n - cut);
}

/* --- searching ----------------------------------------------------------------------------------------- */

static bool affix_is(const struct text *t, const struct text *part, int side) {
    if (part->n > t->n) return false;
    return part->n == 0 || memcmp(side == LEFT ? t->at : t->at + t->n - part->n, part->at, part->n) == 0;
}

static bool range_of(const struct method_call *c, struct value *out, const struct value *from,
                     const struct value *to) {
    struct value bounds[3] = {*from, *to, {.kind = VALUE_ABSENT}};
    return jinja_slice(c->j, out, c->self, bounds);
}

static bool text_affix(struct value *out, const struct method_call *c) {
    struct value cut;
    if (!range_of(c, &cut, &c->a[1], &c->a[2])) return false;
    *out = jinja_bool(false);
    if (c->a[0].kind == VALUE_TUPLE) {
        for (size_t i = 0; !out->b && i < c->a[0].list->n; i++) {
            if (!wants_text(c, &c->a[0].list->items[i], "affix")) return false;
            *out = jinja_bool(affix_is(cut.text, c->a[0].list->items[i].text, c->variant));
        }
        return true;
    }
    if (!wants_text(c, &c->a[0], "first arg")) return false;
    *out = jinja_bool(affix_is(cut.text, c->a[0].text, c->variant));
    return true;
}

enum { FIND = 1, RFIND, INDEX, RINDEX };

static bool text_find(struct value *out, const struct method_call *c) {
    struct value cut;
    if (!wants_text(c, &c->a[0], "sub") || !range_of(c, &cut, &c->a[1], &c->a[2])) return false;
    bool last = c->variant == RFIND || c->variant == RINDEX;
    const struct text *part = c->a[0].text;
    size_t at = last ? (part->n <= cut.text->n ? find_last(cut.text, part, cut.text->n) : SIZE_MAX)
                     : jinja_text_find(cut.text, part, 0);
    if (at == SIZE_MAX) {
        *out = jinja_integer(-1);
        return c->variant <= RFIND || jinja_fail(c->j, TEMPLATE_VALUE, "substring not found");
    }
    size_t before = (size_t)(cut.text->at - c->self->text->at) + at;
    *out = jinja_integer((jinja_int)jinja_text_length(&(struct text){.at = c->self->text->at, .n = before}));
    return jinja_work(c->j, before);
}

static bool text_count(struct value *out, const struct method_call *c) {
    if (!wants_text(c, &c->a[0], "sub")) return false;
    const struct text *t = c->self->text, *part = c->a[0].text;
    jinja_int n = 0;
    for (size_t at = 0; part->n && (at = jinja_text_find(t, part, at)) != SIZE_MAX; at += part->n) n++;
    *out = jinja_integer(part->n ? n : (jinja_int)jinja_text_length(t) + 1);
    return jinja_work(c->j, t->n);
}

/* --- putting together ---------------------------------------------------------------------------------- */

static bool text_replace(struct value *out, const struct method_call *c) {
    jinja_int limit;
    if (!wants_text(c, &c->a[0], "old") || !wants_text(c, &c->a[1], "new") ||
        !wants_int(c, &limit, &c->a[2], -1))
        return false;
    const struct text *t = c->self->text, *old = c->a[0].text, *new = c->a[1].text;
    if (t->safe && !jinja_escape(c->j, &new, new)) return false;
    struct jinja_builder b = {.j = c->j};
    size_t from = 0, at = 0, n;
    for (; limit != 0 && !b.failed && (at = jinja_text_find(t, old, at)) != SIZE_MAX; limit--) {
        jinja_add_part(&b, t, from, at);
        jinja_add_text(&b, new);
        from = at + old->n;
        at = from;
        if (old->n == 0) { /* between all characters */
            if (at >= t->n) break;
            jinja_text_char(t, at, &n);
            at += n;
        }
        if (!jinja_work(c->j, 0)) return false;
    }
    jinja_add_part(&b, t, from, t->n);
    return jinja_built(out, &b, t->safe);
}

static bool text_join(struct value *out, const struct method_call *c) {
    struct list items;
    struct jinja_builder b = {.j = c->j};
    if (!jinja_items(c->j, &items, &c->a[0])) return false;
    for (size_t i = 0; i < items.n; i++) {
        const struct text *text = items.items[i].text;
        if (items.items[i].kind != VALUE_TEXT)
            return jinja_fail(c->j, TEMPLATE_TYPE, "sequence item %zu: expected str instance, %s found", i,
                              jinja_type(&items.items[i]));
        if (c->self->text->safe && !jinja_escape(c->j, &text, text)) return false;
        if (i) jinja_add_text(&b, c->self->text);
        jinja_add_text(&b, text);
    }
    return jinja_built(out, &b, c->self->text->safe);
}

static bool text_format(struct value *out, const struct method_call *c) {
    return jinja_braces(c->j, out, c->self->text, c->args);
}

static bool text_pad(struct value *out, const struct method_call *c) {
    const struct text *t = c->self->text;
    static const struct text blank = {.at = " ", .n = 1}, zero = {.at = "0", .n = 1};
    jinja_int width;
    const struct text *fill = c->variant ? &blank : &zero;
    if (!wants_int(c, &width, &c->a[0], 0)) return false;
    if (c->variant && c->a[1].kind != VALUE_ABSENT) {
        if (!wants_text(c, &c->a[1], "fill character")) return false;
        fill = c->a[1].text;
    }
    if (jinja_text_length(fill) != 1)
        return jinja_fail(c->j, TEMPLATE_TYPE, "The fill character must be exactly one character long");
    if (width > MAX_PAD) return jinja_fail(c->j, TEMPLATE_LIMIT, "a width of more than %d", MAX_PAD);
    jinja_int n = (jinja_int)jinja_text_length(t), space = width > n ? width - n : 0;
    jinja_int before = c->variant == LEFT ? 0 : c->variant == BOTH ? space / 2 + (space & width & 1) : space;
    struct jinja_builder b = {.j = c->j};
    size_t sign = c->variant == 0 && t->n && (t->at[0] == '-' || t->at[0] == '+');
    jinja_add_part(&b, t, 0, sign);
    for (jinja_int i = 0; i < space + 1; i++) {
        if (i == before) jinja_add_part(&b, t, sign, t->n);
        if (i < space) jinja_add_text(&b, fill);
    }
    return jinja_built(out, &b, t->safe);
}

/* --- dicts, lists, loops, cyclers ---------------------------------------------------------------------- */

static bool dict_get(struct value *out, const struct method_call *c) {
    const struct value *found;
    if (!jinja_hashable(c->j, &c->a[0]) || !jinja_dict_get(c->j, &found, c->self->dict, &c->a[0]))
        return false;
    *out = found ? *found : c->a[1].kind == VALUE_ABSENT ? jinja_none() : c->a[1];
    return true;
}

enum { KEYS, VALUES, ITEMS };

static bool dict_view(struct value *out, const struct method_call *c) {
    static const char *const types[] = {"dict_keys", "dict_values", "dict_items"};
    const struct dict *d = c->self->dict;
    struct list *list, *pair;
    if (!jinja_list_new(c->j, &list, d->n)) return false;
    for (size_t i = 0; i < d->n; i++) {
        list->items[i] = c->variant == KEYS ? d->entries[i].key : d->entries[i].value;
        if (c->variant != ITEMS) continue;
        if (!jinja_list_new(c->j, &pair, 2)) return false;
        pair->items[0] = d->entries[i].key;
        pair->items[1] = d->entries[i].value;
        list->items[i] = (struct value){.kind = VALUE_TUPLE, .list = pair};
    }
    return jinja_lazy_new(c->j, out, *list, types[c->variant], false, true);
}

static bool itself(struct value *out, const struct method_call *c) {
    *out = *c->self; /* a copy of what never changes */
    return true;
}

static bool list_find(struct value *out, const struct method_call *c) {
    const struct list *list = c->self->list;
    jinja_int n = 0;
    for (size_t i = 0; i < list->n; i++) {
        bool same;
        if (!jinja_equal(c->j, &same, &list->items[i], &c->a[0])) return false;
        if (same && c->variant == INDEX) return *out = jinja_integer((jinja_int)i), true;
        n += same;
    }
    *out = jinja_integer(n);
    return c->variant != INDEX || jinja_fail(c->j, TEMPLATE_VALUE, "the value is not in the list");
}

static bool loop_cycle(struct value *out, const struct method_call *c) {
    if (c->args->n == 0) return jinja_fail(c->j, TEMPLATE_TYPE, "no items for cycling given");
    *out = c->args->items[c->self->loop->index % c->args->n];
    return true;
}

static bool loop_changed(struct value *out, const struct method_call *c) {
    struct list *list;
    struct value *now = jinja_alloc(c->j, 1, sizeof *now);
    bool same = false;
    if (!now || !jinja_list_new(c->j, &list, c->args->n)) return false;
    for (size_t i = 0; i < c->args->n; i++) list->items[i] = c->args->items[i];
    *now = (struct value){.kind = VALUE_TUPLE, .list = list};
    const struct value *before = c->self->loop->changed;
    if (before && !jinja_equal(c->j, &same, before, now)) return false;
    if (!same) c->self->loop->changed = now;
    *out = jinja_bool(!same);
    return true;
}

static bool cycler_next(struct value *out, const struct method_call *c) {
    struct cycler *cycler = c->self->cycler;
    *out = cycler->items.items[cycler->at];
    cycler->at = (cycler->at + 1) % cycler->items.n;
    return true;
}

static bool cycler_reset(struct value *out, const struct method_call *c) {
    c->self->cycler->at = 0;
    *out = jinja_none();
    return true;
}

/* --- tables -------------------------------------------------------------------------------------------- */

static const struct method_row of_text[] = {
    {"upper", "", text_case, UPPER},
    {"lower", "", text_case, LOWER},
    {"casefold", "", text_case, LOWER},
    {"title", "", text_case, TITLE},
    {"capitalize", "", text_case, CAPITALIZE},
    {"swapcase", "", text_case, SWAP},
    {"strip", "chars?", text_strip, BOTH},
    {"lstrip", "chars?", text_strip, LEFT},
    {"rstrip", "chars?", text_strip, RIGHT},
    {"split", "sep? maxsplit?", text_split, LEFT},
    {"rsplit", "sep? maxsplit?", text_split, RIGHT},
    {"splitlines", "keepends?", text_splitlines, 0},
    {"partition", "sep", text_partition, LEFT},
    {"rpartition", "sep", text_partition, RIGHT},
    {"removeprefix", "prefix", text_remove, LEFT},
    {"removesuffix", "suffix", text_remove, RIGHT},
    {"startswith", "prefix start? end?", text_affix, LEFT},
    {"endswith", "suffix start? end?", text_affix, RIGHT},
    {"find", "sub start? end?", text_find, FIND},
    {"rfind", "sub start? end?", text_find, RFIND},
    {"index", "sub start? end?", text_find, INDEX},
    {"rindex", "sub start? end?", text_find, RINDEX},
    {"count", "sub", text_count, 0},
    {"replace", "old new count?", text_replace, 0},
    {"join", "iterable", text_join, 0},
    {"format", NULL, text_format, 0},
    {"zfill", "width", text_pad, 0},
    {"ljust", "width fillchar?", text_pad, LEFT},
    {"rjust", "width fillchar?", text_pad, RIGHT},
    {"center", "width fillchar?", text_pad, BOTH},
    {"isalpha", "", text_is, ALPHA},
    {"isdigit", "", text_is, DIGIT},
    {"isdecimal", "", text_is, DIGIT},
    {"isnumeric", "", text_is, DIGIT},
    {"isalnum", "", text_is, ALNUM},
    {"isupper", "", text_is, ALL_UPPER},
    {"islower", "", text_is, ALL_LOWER},
    {"isspace", "", text_is, SPACE},
    {NULL, NULL, NULL, 0},
};
static const struct method_row of_dict[] = {
    {"get", "key default?", dict_get, 0}, {"keys", "", dict_view, KEYS}, {"values", "", dict_view, VALUES},
    {"items", "", dict_view, ITEMS},      {"copy", "", itself, 0},       {NULL, NULL, NULL, 0},
};
static const struct method_row of_list[] = {
    {"index", "value", list_find, INDEX},
    {"count", "value", list_find, 0},
    {"copy", "", itself, 0},
    {NULL, NULL, NULL, 0},
};
static const struct method_row of_loop[] = {
    {"cycle", NULL, loop_cycle, 0}, {"changed", NULL, loop_changed, 0}, {NULL, NULL, NULL, 0}};
static const struct method_row of_cycler[] = {
    {"next", "", cycler_next, 0}, {"reset", "", cycler_reset, 0}, {NULL, NULL, NULL, 0}};

static const struct method_row *rows_of(enum value_kind kind) {
    switch (kind) {
    case VALUE_TEXT: return of_text;
    case VALUE_DICT: return of_dict;
    case VALUE_LIST:
    case VALUE_TUPLE: return of_list;
    case VALUE_LOOP: return of_loop;
    case VALUE_CYCLER: return of_cycler;
    default: return NULL;
    }
}

bool jinja_method(struct jinja *j, struct value *out, const struct value *object, const struct text *name,
                  bool *found) {
    *found = false;
    for (const struct method_row *row = rows_of(object->kind); row && row->name; row++) {
        if (!jinja_text_is(name, row->name)) continue;
        struct method *m = jinja_alloc(j, 1, sizeof *m);
        if (!m) return false;
        *m = (struct method){row, *object};
        *out = (struct value){.kind = VALUE_METHOD, .method = m};
        *found = true;
        return true;
    }
    return true;
}

bool jinja_method_call(struct jinja *j, struct value *out, const struct method *m, const struct args *args) {
    struct value bound[MAX_PARAMETERS];
    struct method_call c = {j, &m->self, bound, args, m->row->variant};
    if (m->row->parameters && !jinja_bind(j, bound, m->row->name, m->row->parameters, args)) return false;
    return m->row->run(out, &c);
}
