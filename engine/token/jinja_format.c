/* jinja_format: "%s and %5.2f" % (a, b), and "{0} and {x:>5}".format(a, x=b). */
#include "engine/token/jinja.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WIDTH = 4096, MAX_PRECISION = 300 };

struct spec {
    char fill, align, sign, type; /* 0: not given */
    bool alternate, comma;
    int width, precision; /* -1: not given */
};

static bool read_count(struct jinja *j, int *out, const struct text *f, size_t *i, int limit) {
    int n = 0;
    for (; *i < f->n && f->at[*i] >= '0' && f->at[*i] <= '9'; ++*i) {
        n = 10 * n + f->at[*i] - '0';
        if (n > limit) return jinja_fail(j, TEMPLATE_LIMIT, "a width or precision of more than %d", limit);
    }
    *out = n;
    return true;
}

/* --- putting a value by a spec ------------------------------------------------------------------------- */

static void pad(struct jinja_builder *out, const struct text *body, const struct spec *s, char align) {
    size_t n = jinja_text_length(body), width = s->width > 0 ? (size_t)s->width : 0;
    size_t space = width > n ? width - n : 0, signs = 0;
    char fill = s->fill ? s->fill : ' ';
    if (align == '=' && body->n && strchr("+- ", body->at[0])) signs = 1;
    size_t before = align == '<' ? 0 : align == '^' ? space / 2 : space;
    jinja_add_part(out, body, 0, signs);
    jinja_put_repeated(out, fill, before);
    jinja_add_part(out, body, signs, body->n);
    jinja_put_repeated(out, fill, space - before);
}

static void put_sign(struct jinja_builder *b, bool negative, char sign) {
    if (negative) jinja_puts(b, "-");
    else if (sign == '+' || sign == ' ') jinja_add(b, &sign, NULL, 1);
}

static void put_grouped(struct jinja_builder *b, const char *digits, size_t whole, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i && i < whole && (whole - i) % 3 == 0) jinja_puts(b, ",");
        jinja_add(b, digits + i, NULL, 1);
    }
}

static bool put_int(struct jinja *j, struct jinja_builder *b, jinja_int i, const struct spec *s) {
    char digits[140], *end = digits + sizeof digits, *at = end;
    unsigned base = s->type == 'x' || s->type == 'X' ? 16 : s->type == 'o' ? 8 : s->type == 'b' ? 2 : 10;
    __extension__ unsigned __int128 u = i < 0 ? -(unsigned __int128)i : (unsigned __int128)i;
    do *--at = (s->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[(unsigned)(u % base)];
    while (u /= base);
    put_sign(b, i < 0, s->sign);
    if (s->alternate && base != 10) jinja_printf(b, "0%c", s->type);
    if (s->precision > end - at) jinja_put_repeated(b, '0', (size_t)(s->precision - (end - at)));
    if (s->comma) put_grouped(b, at, (size_t)(end - at), (size_t)(end - at));
    else jinja_add(b, at, NULL, (size_t)(end - at));
    return !b->failed || !j;
}

static void put_float(struct jinja_builder *b, double f, const struct spec *s, char type) {
    char format[16], digits[700];
    double scaled = type == '%' ? 100 * f : f;
    snprintf(format, sizeof format, "%%%s.*%c", s->alternate ? "#" : "", type == '%' ? 'f' : type);
    put_sign(b, signbit(f) && !isnan(f), s->sign);
    snprintf(digits, sizeof digits, format, s->precision < 0 ? 6 : s->precision, fabs(scaled));
    size_t n = strlen(digits), whole = strspn(digits, "0123456789");
    if (s->comma) put_grouped(b, digits, whole, n);
    else jinja_add(b, digits, NULL, n);
    if (type == '%') jinja_puts(b, "%");
}

static void put_cut(struct jinja_builder *b, const struct text *text, int precision) {
    size_t end = 0, n;
    for (int k = 0; end < text->n && (precision < 0 || k < precision); k++, end += n)
        jinja_text_char(text, end, &n);
    jinja_add_part(b, text, 0, end);
}

/* --- % ------------------------------------------------------------------------------------------------- */

struct percent {
    struct jinja *j;
    const struct text *format;
    size_t i;
    const struct value *values; /* a tuple's items or the one value */
    size_t n_values, used;
    const struct dict *map;
    bool safe;
};

static bool next_value(struct percent *p, const struct value **out) {
    if (p->used >= p->n_values)
        return jinja_fail(p->j, TEMPLATE_TYPE, "not enough arguments for format string");
    *out = &p->values[p->used++];
    return true;
}

/* %(name)s */
static bool named_value(struct percent *p, const struct value **out) {
    const struct text *f = p->format;
    const char *close = memchr(f->at + p->i, ')', f->n - p->i);
    if (!p->map) return jinja_fail(p->j, TEMPLATE_TYPE, "format requires a mapping");
    if (!close) return jinja_fail(p->j, TEMPLATE_VALUE, "incomplete format key");
    struct text name = {.at = f->at + p->i + 1, .n = (size_t)(close - f->at) - p->i - 1};
    struct value key = {.kind = VALUE_TEXT, .text = &name};
    p->i = (size_t)(close - f->at) + 1;
    p->used = p->n_values;
    if (!jinja_dict_get(p->j, out, p->map, &key)) return false;
    return *out || jinja_fail(p->j, TEMPLATE_VALUE, "the mapping has no such key");
}

static bool whole_of(struct jinja *j, jinja_int *out, const struct value *v, char type) {
    if (!jinja_is_number(v) || (v->kind == VALUE_FLOAT && strchr("xXo", type)))
        return jinja_fail(j, TEMPLATE_TYPE, "%%%c format: a real number is required, not %s", type,
                          jinja_type(v));
    if (v->kind == VALUE_FLOAT && !(fabs(v->f) < 1e38))
        return jinja_fail(j, TEMPLATE_OVERFLOW, "cannot convert float to integer");
    *out = v->kind == VALUE_FLOAT ? (jinja_int)v->f : jinja_as_int(v);
    return true;
}

static bool percent_body(struct percent *p, struct jinja_builder *b, const struct value *v, struct spec *s) {
    struct jinja *j = p->j;
    const struct text *text;
    jinja_int i = 0;
    switch (s->type) {
    case 's':
    case 'r':
    case 'a':
        if (s->type == 's') {
            if (!jinja_string(j, &text, v) || (p->safe && !jinja_escape(j, &text, text))) return false;
        } else {
            struct jinja_builder r = {.j = j};
            jinja_repr(&r, v);
            if (!jinja_built_text(&text, &r, false)) return false;
        }
        put_cut(b, text, s->precision);
        return true;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        if (!whole_of(j, &i, v, s->type)) return false;
        return put_int(j, b, i, s);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (!jinja_is_number(v))
            return jinja_fail(j, TEMPLATE_TYPE, "must be real number, not %s", jinja_type(v));
        put_float(b, jinja_as_float(v), s, s->type);
        return true;
    case 'c':
        if (v->kind == VALUE_TEXT && jinja_text_length(v->text) == 1) return jinja_add_text(b, v->text), true;
        return jinja_fail(j, TEMPLATE_TYPE, "%%c requires a character");
    default:
        return jinja_fail(j, TEMPLATE_VALUE, "unsupported format character '%c'", s->type ? s->type : '?');
    }
}

static bool percent_flags(struct percent *p, struct spec *s) {
    const struct text *f = p->format;
    const struct value *star = NULL;
    for (; p->i < f->n && strchr("-+ #0", f->at[p->i]) && f->at[p->i]; p->i++) {
        char c = f->at[p->i];
        if (c == '-') s->align = '<';
        else if (c == '#') s->alternate = true;
        else if (c == '0') s->fill = '0';
        else if (s->sign != '+') s->sign = c;
    }
    if (p->i < f->n && f->at[p->i] == '*') {
        p->i++;
        if (!next_value(p, &star)) return false;
        if (star->kind != VALUE_INT || star->i > MAX_WIDTH || star->i < -MAX_WIDTH)
            return jinja_fail(p->j, TEMPLATE_TYPE, "* wants an int of at most %d", MAX_WIDTH);
        s->width = (int)(star->i < 0 ? -star->i : star->i);
        if (star->i < 0) s->align = '<';
    } else if (!read_count(p->j, &s->width, f, &p->i, MAX_WIDTH)) return false;
    if (p->i < f->n && f->at[p->i] == '.') {
        p->i++;
        if (!read_count(p->j, &s->precision, f, &p->i, MAX_PRECISION)) return false;
    }
    while (p->i < f->n && strchr("hlL", f->at[p->i]) && f->at[p->i]) p->i++;
    s->type = 0;
    if (p->i >= f->n) return jinja_fail(p->j, TEMPLATE_VALUE, "incomplete format");
    s->type = f->at[p->i++];
    return true;
}

static bool percent_one(struct percent *p, struct jinja_builder *out) {
    struct spec s = {.precision = -1};
    const struct value *v = NULL;
    const struct text *body;
    if (p->i < p->format->n && p->format->at[p->i] == '(' && !named_value(p, &v)) return false;
    if (!percent_flags(p, &s)) return false;
    if (s.type == '%') return jinja_puts(out, "%"), true;
    if (!v && !next_value(p, &v)) return false;
    struct jinja_builder b = {.j = p->j};
    if (!percent_body(p, &b, v, &s) || !jinja_built_text(&body, &b, false)) return false;
    bool number = !strchr("srac", s.type);
    if (s.align == '<' || !number) s.fill = ' ';
    pad(out, body, &s, s.align == '<' ? '<' : s.fill == '0' ? '=' : '>');
    return true;
}

bool jinja_percent(struct jinja *j, struct value *out, const struct text *format, const struct value *v) {
    struct percent p = {.j = j, .format = format, .values = v, .n_values = 1, .safe = format->safe};
    struct jinja_builder b = {.j = j};
    if (v->kind == VALUE_TUPLE) {
        p.values = v->list->items;
        p.n_values = v->list->n;
    }
    if (v->kind == VALUE_DICT) p.map = v->dict;
    while (p.i < format->n) {
        const char *sign = memchr(format->at + p.i, '%', format->n - p.i);
        size_t end = sign ? (size_t)(sign - format->at) : format->n;
        jinja_add_part(&b, format, p.i, end);
        p.i = end + 1;
        if (sign && (!jinja_work(j, 0) || !percent_one(&p, &b))) return false;
    }
    if (p.used < p.n_values && !p.map && v->kind != VALUE_LIST)
        return jinja_fail(j, TEMPLATE_TYPE, "not all arguments converted during string formatting");
    return jinja_built(out, &b, format->safe);
}

/* --- {} ------------------------------------------------------------------------------------------------ */

struct braces {
    struct jinja *j;
    const struct args *args;
    size_t next; /* for {} */
    bool safe;
};

static bool parse_spec(struct jinja *j, struct spec *s, const struct text *f) {
    size_t i = 0;
    *s = (struct spec){.precision = -1};
    if (f->n > 1 && strchr("<>^=", f->at[1]) && f->at[1]) s->fill = f->at[0], s->align = f->at[1], i = 2;
    else if (f->n && strchr("<>^=", f->at[0]) && f->at[0]) s->align = f->at[0], i = 1;
    if (i < f->n && strchr("+- ", f->at[i]) && f->at[i]) s->sign = f->at[i++];
    if (i < f->n && f->at[i] == '#') s->alternate = true, i++;
    if (i < f->n && f->at[i] == '0') {
        if (!s->align) s->align = '=', s->fill = '0';
        i++;
    }
    if (!read_count(j, &s->width, f, &i, MAX_WIDTH)) return false;
    if (i < f->n && f->at[i] == ',') s->comma = true, i++;
    if (i < f->n && f->at[i] == '.') {
        i++;
        if (!read_count(j, &s->precision, f, &i, MAX_PRECISION)) return false;
    }
    if (i < f->n) s->type = f->at[i++];
    return i == f->n || jinja_fail(j, TEMPLATE_VALUE, "Invalid format specifier");
}

static bool spec_body(struct braces *f, struct jinja_builder *b, const struct value *v, struct spec *s) {
    struct jinja *j = f->j;
    const struct text *text;
    bool whole = v->kind == VALUE_INT || v->kind == VALUE_BOOL;
    if (jinja_is_number(v) && s->type && strchr("eEfFgG%", s->type))
        return put_float(b, jinja_as_float(v), s, s->type), true;
    if (whole && (!s->type ? v->kind == VALUE_INT : strchr("dxXob", s->type) != NULL))
        return put_int(j, b, jinja_as_int(v), s);
    if (v->kind == VALUE_FLOAT && !s->type) {
        if (s->precision >= 0) put_float(b, v->f, s, 'g');
        else {
            put_sign(b, false, signbit(v->f) ? 0 : s->sign);
            jinja_print_float(b, v->f);
        }
        return true;
    }
    if (s->type && s->type != 's')
        return jinja_fail(j, TEMPLATE_VALUE, "Unknown format code '%c' for object of type '%s'", s->type,
                          jinja_type(v));
    if (!jinja_string(j, &text, v) || (f->safe && !jinja_escape(j, &text, text))) return false;
    put_cut(b, text, s->precision);
    return true;
}

static bool first_part(struct braces *f, struct value *out, const struct text *name) {
    jinja_int i = 0;
    for (size_t k = 0; k < f->args->n_named; k++)
        if (jinja_text_equal(f->args->named[k].name, name)) return *out = f->args->named[k].value, true;
    if (name->n == 0) i = (jinja_int)f->next++;
    else if (!jinja_parse_int(&i, (struct view){name->at, name->n}, 10) || i < 0)
        return jinja_fail(f->j, TEMPLATE_VALUE, "there is no argument of that name");
    if (i >= (jinja_int)f->args->n)
        return jinja_fail(f->j, TEMPLATE_VALUE, "Replacement index out of range for positional args tuple");
    *out = f->args->items[(size_t)i];
    return true;
}

/* a.b[c]: every step goes through the same sandbox as in expressions. */
static bool field(struct braces *f, struct value *out, const struct text *path) {
    size_t end = 0;
    while (end < path->n && path->at[end] != '.' && path->at[end] != '[') end++;
    if (!first_part(f, out, &(struct text){.at = path->at, .n = end})) return false;
    while (end < path->n) {
        bool bracket = path->at[end++] == '[';
        size_t from = end;
        while (end < path->n &&
               (bracket ? path->at[end] != ']' : path->at[end] != '.' && path->at[end] != '['))
            end++;
        struct value from_value = *out, key;
        if (!jinja_text_part(f->j, &key, path, from, end)) return false;
        if (bracket) {
            jinja_int i;
            end++;
            if (jinja_parse_int(&i, (struct view){key.text->at, key.text->n}, 10)) key = jinja_integer(i);
            if (!jinja_item(f->j, out, &from_value, &key)) return false;
        } else if (!jinja_attribute(f->j, out, &from_value, key.text)) return false;
    }
    return true;
}

static bool replace(struct braces *f, struct jinja_builder *out, const struct text *inner) {
    size_t end = 0;
    while (end < inner->n && inner->at[end] != '!' && inner->at[end] != ':') end++;
    struct value v, path, rest;
    struct spec s;
    bool repr = end + 1 < inner->n && inner->at[end] == '!' && inner->at[end + 1] == 'r';
    size_t after = end < inner->n && inner->at[end] == '!' ? end + 2 : end;
    if (after < inner->n && inner->at[after] == ':') after++;
    if (!jinja_text_part(f->j, &path, inner, 0, end) || !field(f, &v, path.text) ||
        !jinja_text_part(f->j, &rest, inner, after < inner->n ? after : inner->n, inner->n) ||
        !parse_spec(f->j, &s, rest.text))
        return false;
    struct jinja_builder b = {.j = f->j};
    const struct text *body;
    if (repr) jinja_repr(&b, &v);
    else if (!spec_body(f, &b, &v, &s)) return false;
    if (!jinja_built_text(&body, &b, false)) return false;
    pad(out, body, &s, s.align ? s.align : jinja_is_number(&v) && !repr ? '>' : '<');
    return true;
}

bool jinja_braces(struct jinja *j, struct value *out, const struct text *format, const struct args *args) {
    struct braces f = {.j = j, .args = args, .safe = format->safe};
    struct jinja_builder b = {.j = j};
    for (size_t i = 0; i < format->n;) {
        char c = format->at[i];
        size_t end = i + 1;
        struct value inner;
        if (c != '{' && c != '}') {
            while (end < format->n && format->at[end] != '{' && format->at[end] != '}') end++;
            jinja_add_part(&b, format, i, end);
        } else if (end < format->n && format->at[end] == c) jinja_add_part(&b, format, i, end++);
        else {
            for (; end < format->n && format->at[end] != '}'; end++)
                if (format->at[end] == '{')
                    return jinja_fail(j, TEMPLATE_VALUE, "fields inside of a format are not supported");
            if (c == '}' || end == format->n)
                return jinja_fail(j, TEMPLATE_VALUE, "Single '%c' encountered in format string", c);
            if (!jinja_work(j, 0) || !jinja_text_part(j, &inner, format, i + 1, end) ||
                !replace(&f, &b, inner.text))
                return false;
            end++;
        }
        i = end;
    }
    return jinja_built(out, &b, format->safe);
}

/* --- dates --------------------------------------------------------------------------------------------- */

/* One directive at a time: the C library's own names of days and months are English as long as nobody calls
 * setlocale, and nobody here does. */
bool jinja_strftime(struct jinja *j, struct value *out, const struct text *format) {
    static const char letters[] = "aAbBcCdDeFgGhHIjklmMnpPrRStTuUVwWxXyY%";
    struct jinja_builder b = {.j = j};
    for (size_t i = 0; i < format->n; i++) {
        char spec[4] = "%", text[64];
        size_t n = 1, k = i + 1;
        if (format->at[i] == '%' && k < format->n && strchr("-_0^#", format->at[k]) && format->at[k])
            spec[n++] = format->at[k++];
        char c = format->at[i] == '%' && k < format->n ? format->at[k] : 0;
        if (!c || (!strchr(letters, c) && !strchr("fzZ", c))) {
            jinja_add_part(&b, format, i, i + 1);
            continue;
        }
        spec[n++] = c;
        spec[n] = 0;
        if (c == 'f') jinja_puts(&b, "000000");
        else if (c != 'z' && c != 'Z') jinja_add(&b, text, NULL, strftime(text, sizeof text, spec, &j->now));
        i = k;
    }
    return jinja_built(out, &b, false);
}
