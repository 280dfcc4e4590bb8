/* jinja_filter: the table of filters, and those that work on texts and numbers. */
#include "engine/token/jinja_sequence.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum { MAX_PARAMETERS = 4, MAX_INDENT = 1 << 16 };

struct filter {
    const char *name, *parameters; /* NULL: any */
    bool (*run)(struct value *out, const struct filter_call *c);
    int variant;
};

/* text.name(args) */
static bool method(const struct filter_call *c, struct value *out, const struct text *text, const char *name,
                   struct value *args, size_t n) {
    struct value found, object = {.kind = VALUE_TEXT, .text = text};
    struct text called = {.at = name, .n = strlen(name)};
    bool there;
    return jinja_method(c->j, &found, &object, &called, &there) &&
           jinja_call(c->j, out, &found, &(struct args){.items = args, .n = n});
}

static bool is_given(const struct value *v) { return v->kind != VALUE_ABSENT && v->kind != VALUE_NONE; }

static bool wants_int(const struct filter_call *c, jinja_int *out, const struct value *v,
                      jinja_int otherwise) {
    *out = otherwise;
    if (v->kind == VALUE_ABSENT) return true;
    if (v->kind != VALUE_INT && v->kind != VALUE_BOOL)
        return jinja_fail(c->j, TEMPLATE_TYPE, "an integer is wanted, not %s", jinja_type(v));
    *out = jinja_as_int(v);
    return true;
}

/* --- texts --------------------------------------------------------------------------------------------- */

enum { UPPER, LOWER, CAPITALIZE };

static bool change_case(struct value *out, const struct filter_call *c) {
    static const char *const names[] = {"upper", "lower", "capitalize"};
    const struct text *text;
    return jinja_string(c->j, &text, c->in) && method(c, out, text, names[c->variant], NULL, 0);
}

/* Every word begins with a capital; words end at blanks, - ( { [ < only, unlike the method's. */
static bool title(struct value *out, const struct filter_call *c) {
    const struct text *text;
    struct jinja_builder b = {.j = c->j};
    bool first = true;
    if (!jinja_string(c->j, &text, c->in)) return false;
    for (size_t i = 0, n; i < text->n; i += n) {
        char bytes[4];
        uint32_t ch = jinja_text_char(text, i, &n);
        bool gap = jinja_is_space(ch) || (ch < 0x80 && ch && strchr("-({[<", (int)ch));
        uint32_t to = (uint32_t)(first ? utf8proc_toupper((utf8proc_int32_t)ch)
                                       : utf8proc_tolower((utf8proc_int32_t)ch));
        jinja_add_for(&b, text, i, bytes, utf8_encode(bytes, to));
        first = gap;
    }
    return jinja_built(out, &b, text->safe);
}

static bool trim(struct value *out, const struct filter_call *c) {
    const struct text *text;
    struct value chars = c->a[0];
    return jinja_string(c->j, &text, c->in) && method(c, out, text, "strip", &chars, is_given(&chars));
}

static bool to_string(struct value *out, const struct filter_call *c) {
    *out = (struct value){.kind = VALUE_TEXT};
    return jinja_string(c->j, &out->text, c->in);
}

/* old new count? */
static bool replace(struct value *out, const struct filter_call *c) {
    struct value args[3] = {{.kind = VALUE_TEXT}, {.kind = VALUE_TEXT}, c->a[2]};
    const struct text *text;
    if (c->in->kind == VALUE_UNDEFINED) return jinja_fail_undefined(c->j, c->in);
    if (!jinja_string(c->j, &text, c->in) || !jinja_string(c->j, &args[0].text, &c->a[0]) ||
        !jinja_string(c->j, &args[1].text, &c->a[1]))
        return false;
    struct text plain = *text;
    plain.safe = false;
    return method(c, out, &plain, "replace", args, is_given(&args[2]) ? 3 : 2);
}

/* width? first? blank? */
static bool indent(struct value *out, const struct filter_call *c) {
    const struct text *text, *step;
    struct value lines;
    jinja_int width;
    struct jinja_builder b = {.j = c->j}, by = {.j = c->j};
    if (!jinja_string(c->j, &text, c->in)) return false;
    if (c->a[0].kind == VALUE_TEXT) step = c->a[0].text;
    else {
        if (!wants_int(c, &width, &c->a[0], 4)) return false;
        if (width > MAX_INDENT)
            return jinja_fail(c->j, TEMPLATE_LIMIT, "an indent of more than %d", MAX_INDENT);
        if (width > 0) jinja_put_repeated(&by, ' ', (size_t)width);
        if (!jinja_built_text(&step, &by, false)) return false;
    }
    struct jinja_builder ended = {.j = c->j};
    const struct text *whole;
    jinja_add_text(&ended, text);
    jinja_puts(&ended, "\n");
    if (!jinja_built_text(&whole, &ended, false) || !method(c, &lines, whole, "splitlines", NULL, 0))
        return false;
    for (size_t i = 0; i < lines.list->n && !b.failed; i++) {
        const struct text *line = lines.list->items[i].text;
        if (i) jinja_puts(&b, "\n");
        if (i ? line->n || jinja_truth(&c->a[2]) : jinja_truth(&c->a[1])) jinja_add_text(&b, step);
        jinja_add_text(&b, line);
    }
    return jinja_built(out, &b, text->safe);
}

/* length? killwords? end? leeway? */
static bool truncate_text(struct value *out, const struct filter_call *c) {
    static const struct text dots = {.at = "...", .n = 3};
    const struct text *text, *end = &dots;
    jinja_int length, leeway;
    if (!jinja_string(c->j, &text, c->in) || !wants_int(c, &length, &c->a[0], 255) ||
        !wants_int(c, &leeway, is_given(&c->a[3]) ? &c->a[3] : &(struct value){0}, 5))
        return false;
    if (c->a[2].kind == VALUE_TEXT) end = c->a[2].text;
    jinja_int n_end = (jinja_int)jinja_text_length(end);
    if (length < n_end || leeway < 0)
        return jinja_fail(c->j, TEMPLATE_ARGUMENT,
                          "a length of at least %d is expected, and no negative leeway", (int)n_end);
    *out = (struct value){.kind = VALUE_TEXT, .text = text};
    if ((jinja_int)jinja_text_length(text) <= length + leeway) return true;
    struct value cut, whole = *out, bounds[3] = {{0}, jinja_integer(length - n_end), {0}};
    if (!jinja_slice(c->j, &cut, &whole, bounds)) return false;
    const char *blank = jinja_truth(&c->a[1]) ? NULL : memrchr(cut.text->at, ' ', cut.text->n);
    struct jinja_builder b = {.j = c->j};
    jinja_add_part(&b, cut.text, 0, blank ? (size_t)(blank - cut.text->at) : cut.text->n);
    jinja_add_text(&b, end);
    return jinja_built(out, &b, text->safe);
}

/* width? */
static bool center(struct value *out, const struct filter_call *c) {
    const struct text *text;
    struct value width = c->a[0].kind == VALUE_ABSENT ? jinja_integer(80) : c->a[0];
    return jinja_string(c->j, &text, c->in) && method(c, out, text, "center", &width, 1);
}

static bool is_word(uint32_t ch) {
    utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)ch);
    return ch == '_' || (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) ||
           (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO);
}

static bool wordcount(struct value *out, const struct filter_call *c) {
    const struct text *text;
    jinja_int words = 0;
    bool inside = false;
    if (!jinja_string(c->j, &text, c->in)) return false;
    for (size_t i = 0, n; i < text->n; i += n) {
        bool word = is_word(jinja_text_char(text, i, &n));
        words += word && !inside;
        inside = word;
    }
    *out = jinja_integer(words);
    return true;
}

enum { ESCAPE, FORCE, SAFE };

static bool escape(struct value *out, const struct filter_call *c) {
    const struct text *text;
    if (!jinja_string(c->j, &text, c->in)) return false;
    struct text *copy = jinja_alloc(c->j, 1, sizeof *copy);
    if (!copy) return false;
    *copy = *text;
    if (c->variant != ESCAPE) copy->safe = c->variant == SAFE;
    *out = (struct value){.kind = VALUE_TEXT, .text = copy};
    return jinja_escape(c->j, &out->text, copy);
}

static bool striptags(struct value *out, const struct filter_call *c) {
    const struct text *text;
    struct jinja_builder b = {.j = c->j};
    bool blank = false;
    if (!jinja_string(c->j, &text, c->in)) return false;
    for (size_t i = 0, n; i < text->n; i += n) {
        uint32_t ch = jinja_text_char(text, i, &n);
        const char *close = ch == '<' ? memchr(text->at + i, '>', text->n - i) : NULL;
        if (close) n = (size_t)(close - text->at) + 1 - i;
        else if (jinja_is_space(ch)) blank = true;
        else {
            if (blank && b.n) jinja_puts(&b, " ");
            blank = false;
            jinja_add_part(&b, text, i, i + n);
        }
    }
    return jinja_built(out, &b, false);
}

static bool urlencode(struct value *out, const struct filter_call *c) {
    const struct text *text;
    struct jinja_builder b = {.j = c->j};
    if (c->in->kind == VALUE_DICT || c->in->kind == VALUE_LIST)
        return jinja_fail(c->j, TEMPLATE_TYPE, "urlencode wants a text here");
    if (!jinja_string(c->j, &text, c->in)) return false;
    for (size_t i = 0; i < text->n; i++) {
        char ch = text->at[i], code[4];
        bool plain =
            (ch >= '0' && ch <= '9') || ((ch | 32) >= 'a' && (ch | 32) <= 'z') || (ch && strchr("_.-~/", ch));
        snprintf(code, sizeof code, "%%%02X", (unsigned char)ch);
        if (plain) jinja_add_part(&b, text, i, i + 1);
        else jinja_add_for(&b, text, i, code, 3);
    }
    return jinja_built(out, &b, false);
}

static bool format(struct value *out, const struct filter_call *c) {
    const struct text *text;
    struct list *list;
    struct dict *d = jinja_alloc(c->j, 1, sizeof *d);
    if (!d || !jinja_string(c->j, &text, c->in) || !jinja_list_new(c->j, &list, c->args->n)) return false;
    if (c->args->n && c->args->n_named)
        return jinja_fail(c->j, TEMPLATE_ARGUMENT,
                          "can't handle positional and keyword arguments at the same time");
    for (size_t i = 0; i < list->n; i++) list->items[i] = c->args->items[i];
    for (size_t i = 0; i < c->args->n_named; i++) {
        struct value key = {.kind = VALUE_TEXT, .text = c->args->named[i].name};
        if (!jinja_dict_set(c->j, d, &key, &c->args->named[i].value)) return false;
    }
    struct value v = {.kind = VALUE_TUPLE, .list = list};
    if (d->n) v = (struct value){.kind = VALUE_DICT, .dict = d};
    return jinja_percent(c->j, out, text, &v);
}

/* --- numbers ------------------------------------------------------------------------------------------- */

static bool whole(struct value *out, double f) {
    if (!(fabs(f) < 1e38)) return false;
    *out = jinja_integer((jinja_int)f);
    return true;
}

/* default? base? */
static bool to_int(struct value *out, const struct filter_call *c) {
    const struct value *v = c->in;
    jinja_int i, base;
    double f;
    if (v->kind == VALUE_UNDEFINED) return jinja_fail_undefined(c->j, v);
    if (!wants_int(c, &base, &c->a[1], 10)) return false;
    if (v->kind == VALUE_TEXT) {
        struct view text = {v->text->at, v->text->n};
        if (jinja_parse_int(&i, text, (int)base)) return *out = jinja_integer(i), true;
        if (jinja_parse_float(&f, text) && whole(out, f)) return true;
    } else if (v->kind == VALUE_FLOAT) {
        if (whole(out, v->f)) return true;
    } else if (jinja_is_number(v)) return *out = jinja_integer(jinja_as_int(v)), true;
    *out = c->a[0].kind == VALUE_ABSENT ? jinja_integer(0) : c->a[0];
    return true;
}

/* default? */
static bool to_float(struct value *out, const struct filter_call *c) {
    double f;
    if (c->in->kind == VALUE_UNDEFINED) return jinja_fail_undefined(c->j, c->in);
    *out = c->a[0].kind == VALUE_ABSENT ? jinja_float(0) : c->a[0];
    if (jinja_is_number(c->in)) *out = jinja_float(jinja_as_float(c->in));
    else if (c->in->kind == VALUE_TEXT &&
             jinja_parse_float(&f, (struct view){c->in->text->at, c->in->text->n}))
        *out = jinja_float(f);
    return true;
}

static bool absolute(struct value *out, const struct filter_call *c) {
    const struct value *v = c->in;
    if (!jinja_is_number(v)) return jinja_negate(c->j, out, v, true);
    return jinja_negate(c->j, out, v, v->kind == VALUE_FLOAT ? signbit(v->f) != 0 : jinja_as_int(v) < 0);
}

/* precision? method? */
static bool round_number(struct value *out, const struct filter_call *c) {
    jinja_int precision;
    const struct text *how = c->a[1].kind == VALUE_TEXT ? c->a[1].text : NULL;
    bool up = how && jinja_text_is(how, "ceil"), down = how && jinja_text_is(how, "floor");
    if (c->a[1].kind != VALUE_ABSENT && !up && !down && !(how && jinja_text_is(how, "common")))
        return jinja_fail(c->j, TEMPLATE_ARGUMENT, "method must be common, ceil or floor");
    if (c->in->kind == VALUE_UNDEFINED) return jinja_fail_undefined(c->j, c->in);
    if (!jinja_is_number(c->in))
        return jinja_fail(c->j, TEMPLATE_TYPE, "type %s doesn't define __round__ method", jinja_type(c->in));
    if (!wants_int(c, &precision, &c->a[0], 0)) return false;
    if (precision > 300 || precision < -300) precision = precision > 0 ? 300 : -300;
    double f = jinja_as_float(c->in), scale = pow(10, (double)precision);
    char digits[700];
    if (!up && !down && c->in->kind != VALUE_FLOAT && precision >= 0) {
        *out = jinja_integer(jinja_as_int(c->in));
        return true;
    }
    if (up || down) f = (up ? ceil(f * scale) : floor(f * scale)) / scale;
    else if (precision < 0) f = nearbyint(f * scale) / scale;
    else if (isfinite(f)) {
        snprintf(digits, sizeof digits, "%.*f", (int)precision, f); /* the C library rounds the exact value */
        jinja_parse_float(&f, view_of(digits));
    }
    *out = c->in->kind != VALUE_FLOAT && !up && !down ? jinja_integer((jinja_int)f) : jinja_float(f);
    return true;
}

/* binary? */
static bool filesize(struct value *out, const struct filter_call *c) {
    static const char *const decimal[] = {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
    static const char *const binary[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
    struct value number;
    struct jinja_builder b = {.j = c->j};
    if (!to_float(&number, &(struct filter_call){c->j, c->in, &(struct value){0}, c->args, 0})) return false;
    double base = jinja_truth(&c->a[0]) ? 1024 : 1000, unit = base;
    if (number.f == 1) jinja_puts(&b, "1 Byte");
    else if (number.f < base) jinja_printf(&b, "%d Bytes", (int)number.f);
    else {
        size_t i = 0;
        for (; i < 7 && number.f >= unit * base; i++) unit *= base;
        jinja_printf(&b, "%.1f %s", number.f / unit, (base > 1000 ? binary : decimal)[i]);
    }
    return jinja_built(out, &b, false);
}

/* --- values -------------------------------------------------------------------------------------------- */

/* default_value? boolean? */
static bool otherwise(struct value *out, const struct filter_call *c) {
    *out = *c->in;
    if (c->in->kind != VALUE_UNDEFINED && !(jinja_truth(&c->a[1]) && !jinja_truth(c->in))) return true;
    if (c->a[0].kind == VALUE_ABSENT) return jinja_text_value(c->j, out, "");
    *out = c->a[0];
    return true;
}

static bool length(struct value *out, const struct filter_call *c) {
    size_t n;
    if (!jinja_length(c->j, &n, c->in)) return false;
    *out = jinja_integer((jinja_int)n);
    return true;
}

/* The attribute alone, never an item. */
static bool attr(struct value *out, const struct filter_call *c) {
    const struct text *name;
    if (c->in->kind == VALUE_UNDEFINED) return jinja_fail_undefined(c->j, c->in);
    if (!jinja_string(c->j, &name, &c->a[0])) return false;
    if (c->in->kind != VALUE_DICT) return jinja_attribute(c->j, out, c->in, name);
    struct value empty = {.kind = VALUE_DICT, .dict = &(struct dict){0}}, found;
    if (!jinja_attribute(c->j, &found, &empty, name)) return false;
    if (found.kind == VALUE_UNDEFINED) return *out = found, true;
    return jinja_attribute(c->j, out, c->in, name);
}

static bool tojson(struct value *out, const struct filter_call *c) {
    return jinja_tojson(c->j, out, c->in, c->a);
}

static const struct filter rows[] = {
    {"abs", "", absolute, 0},
    {"attr", "name", attr, 0},
    {"batch", "linecount fill_with?", jinja_sequence_batch, 0},
    {"capitalize", "", change_case, CAPITALIZE},
    {"center", "width?", center, 0},
    {"count", "", length, 0},
    {"d", "default_value? boolean?", otherwise, 0},
    {"default", "default_value? boolean?", otherwise, 0},
    {"dictsort", "case_sensitive? by? reverse?", jinja_sequence_dictsort, 0},
    {"e", "", escape, ESCAPE},
    {"escape", "", escape, ESCAPE},
    {"filesizeformat", "binary?", filesize, 0},
    {"first", "", jinja_sequence_end, 0},
    {"float", "default?", to_float, 0},
    {"forceescape", "", escape, FORCE},
    {"format", NULL, format, 0},
    {"groupby", "attribute default? case_sensitive?", jinja_sequence_groupby, 0},
    {"indent", "width? first? blank?", indent, 0},
    {"int", "default? base?", to_int, 0},
    {"items", "", jinja_sequence_items, 0},
    {"join", "d? attribute?", jinja_sequence_join, 0},
    {"last", "", jinja_sequence_end, 1},
    {"length", "", length, 0},
    {"list", "", jinja_sequence_list, 0},
    {"lower", "", change_case, LOWER},
    {"map", NULL, jinja_sequence_map, 0},
    {"max", "case_sensitive? attribute?", jinja_sequence_extreme, 1},
    {"min", "case_sensitive? attribute?", jinja_sequence_extreme, 0},
    {"reject", NULL, jinja_sequence_select, FILTER_DROP},
    {"rejectattr", NULL, jinja_sequence_select, FILTER_DROP | FILTER_BY_ATTRIBUTE},
    {"replace", "old new count?", replace, 0},
    {"reverse", "", jinja_sequence_reverse, 0},
    {"round", "precision? method?", round_number, 0},
    {"safe", "", escape, SAFE},
    {"select", NULL, jinja_sequence_select, FILTER_KEEP},
    {"selectattr", NULL, jinja_sequence_select, FILTER_KEEP | FILTER_BY_ATTRIBUTE},
    {"slice", "slices fill_with?", jinja_sequence_slice, 0},
    {"sort", "reverse? case_sensitive? attribute?", jinja_sequence_sort, 0},
    {"string", "", to_string, 0},
    {"striptags", "", striptags, 0},
    {"sum", "attribute? start?", jinja_sequence_sum, 0},
    {"title", "", title, 0},
    {"tojson", "ensure_ascii? indent? separators? sort_keys?", tojson, 0},
    {"trim", "chars?", trim, 0},
    {"truncate", "length? killwords? end? leeway?", truncate_text, 0},
    {"unique", "case_sensitive? attribute?", jinja_sequence_unique, 0},
    {"upper", "", change_case, UPPER},
    {"urlencode", "", urlencode, 0},
    {"wordcount", "", wordcount, 0},
};

const struct filter *jinja_filter_find(const struct text *name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (jinja_text_is(name, rows[i].name)) return &rows[i];
    return NULL;
}

bool jinja_filter_apply(struct jinja *j, struct value *out, const struct filter *f, const struct value *in,
                        const struct args *args) {
    struct value bound[MAX_PARAMETERS], input = *in;
    struct filter_call c = {j, &input, bound, args, f->variant};
    if (!jinja_enter(j)) return false;
    bool ok = (!f->parameters || jinja_bind(j, bound, f->name, f->parameters, args)) && f->run(out, &c);
    j->depth--;
    return ok;
}
