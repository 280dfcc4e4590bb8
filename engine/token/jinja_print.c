/* jinja_print: str() and repr() of values, as Python writes them. */
#include "engine/token/jinja.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

void jinja_print_int(struct jinja_builder *b, jinja_int i) {
    char digits[48], *at = digits + sizeof digits;
    __extension__ unsigned __int128 u = i < 0 ? -(unsigned __int128)i : (unsigned __int128)i;
    do *--at = (char)('0' + (int)(u % 10));
    while (u /= 10);
    if (i < 0) *--at = '-';
    jinja_add(b, at, NULL, (size_t)(digits + sizeof digits - at));
}

/* The shortest digits that read back as f; exponents from 1e16 on and below 1e-4. */
void jinja_print_float(struct jinja_builder *b, double f) {
    char text[40];
    int precision = 0;
    if (isnan(f)) jinja_puts(b, "nan");
    else if (isinf(f)) jinja_puts(b, f < 0 ? "-inf" : "inf");
    if (!isfinite(f)) return;
    do snprintf(text, sizeof text, "%.*e", precision, f);
    while (strtod(text, NULL) != f && ++precision < 17);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 16) {
        *strchr(text, 'e') = 0;
        jinja_printf(b, "%se%c%02d", text, exponent < 0 ? '-' : '+', abs(exponent));
    } else if (precision <= exponent) jinja_printf(b, "%.1f", f);
    else jinja_printf(b, "%.*f", precision - exponent, f);
}

/* Python escapes what has no visible form. */
static bool is_printable(uint32_t c) {
    if (c == ' ') return true;
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS: return false;
    default: return true;
    }
}

static void repr_text(struct jinja_builder *b, const struct text *text) {
    bool single = text->n && memchr(text->at, '\'', text->n),
         twice = text->n && memchr(text->at, '"', text->n);
    char quote = single && !twice ? '"' : '\'', code[16];
    if (text->safe) jinja_puts(b, "Markup(");
    jinja_add(b, &quote, NULL, 1);
    for (size_t i = 0, n; i < text->n; i += n) {
        uint32_t c = jinja_text_char(text, i, &n);
        const char *simple = c == '\n'   ? "\\n"
                             : c == '\r' ? "\\r"
                             : c == '\t' ? "\\t"
                             : c == '\\' ? "\\\\"
                                         : NULL;
        if (c == (uint32_t)quote) simple = "\\'";
        if (!simple && !is_printable(c)) {
            snprintf(code, sizeof code, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
            simple = code;
        }
        if (simple) jinja_add_for(b, text, i, simple, strlen(simple));
        else jinja_add_part(b, text, i, i + n);
    }
    jinja_add(b, &quote, NULL, 1);
    if (text->safe) jinja_puts(b, ")");
}

static void print_items(struct jinja_builder *b, const struct list *list, const char *open,
                        const char *close) {
    jinja_puts(b, open);
    for (size_t i = 0; i < list->n && !b->failed; i++) {
        if (i) jinja_puts(b, ", ");
        jinja_repr(b, &list->items[i]);
    }
    jinja_puts(b, close);
}

static void print_dict(struct jinja_builder *b, const struct dict *d) {
    jinja_puts(b, "{");
    for (size_t i = 0; i < d->n && !b->failed; i++) {
        if (i) jinja_puts(b, ", ");
        jinja_repr(b, &d->entries[i].key);
        jinja_puts(b, ": ");
        jinja_repr(b, &d->entries[i].value);
    }
    jinja_puts(b, "}");
}

static void print_lazy(struct jinja_builder *b, const struct lazy *lazy) {
    if (!lazy->sized) {
        jinja_printf(b, "<%s object>", lazy->type);
        return;
    }
    jinja_printf(b, "%s(", lazy->type);
    print_items(b, &lazy->list, "[", "])");
}

static void print_range(struct jinja_builder *b, const struct range *r) {
    jinja_puts(b, "range(");
    jinja_print_int(b, r->start);
    jinja_puts(b, ", ");
    jinja_print_int(b, r->stop);
    if (r->step != 1) {
        jinja_puts(b, ", ");
        jinja_print_int(b, r->step);
    }
    jinja_puts(b, ")");
}

static void print_deep(struct jinja_builder *b, const struct value *v) {
    switch (v->kind) {
    case VALUE_LIST: print_items(b, v->list, "[", "]"); break;
    case VALUE_TUPLE: print_items(b, v->list, "(", v->list->n == 1 ? ",)" : ")"); break;
    case VALUE_DICT: print_dict(b, v->dict); break;
    case VALUE_LAZY: print_lazy(b, v->lazy); break;
    case VALUE_RANGE: print_range(b, v->range); break;
    case VALUE_NAMESPACE:
        jinja_puts(b, "<Namespace ");
        print_dict(b, v->dict);
        jinja_puts(b, ">");
        break;
    case VALUE_MACRO:
        jinja_puts(b, "<Macro ");
        if (v->macro->name) repr_text(b, v->macro->name);
        else jinja_puts(b, "anonymous");
        jinja_puts(b, ">");
        break;
    case VALUE_LOOP: jinja_printf(b, "<LoopContext %zu/%zu>", v->loop->index + 1, v->loop->items->n); break;
    default: jinja_printf(b, "<%s object>", jinja_type(v)); break;
    }
}

void jinja_repr(struct jinja_builder *b, const struct value *v) {
    switch (v->kind) {
    case VALUE_ABSENT: return;
    case VALUE_UNDEFINED: jinja_puts(b, "Undefined"); return;
    case VALUE_NONE: jinja_puts(b, "None"); return;
    case VALUE_BOOL: jinja_puts(b, v->b ? "True" : "False"); return;
    case VALUE_INT: jinja_print_int(b, v->i); return;
    case VALUE_FLOAT: jinja_print_float(b, v->f); return;
    case VALUE_TEXT: repr_text(b, v->text); return;
    default: break;
    }
    if (b->failed) return;
    if (!jinja_enter(b->j)) {
        b->failed = true;
        return;
    }
    print_deep(b, v);
    b->j->depth--;
}

void jinja_print(struct jinja_builder *b, const struct value *v) {
    if (v->kind == VALUE_TEXT) jinja_add_text(b, v->text);
    else if (v->kind != VALUE_UNDEFINED) jinja_repr(b, v); /* undefined prints as nothing */
}

bool jinja_string(struct jinja *j, const struct text **out, const struct value *v) {
    if (v->kind == VALUE_TEXT) {
        *out = v->text;
        return true;
    }
    struct jinja_builder b = {.j = j};
    jinja_print(&b, v);
    return jinja_built_text(out, &b, false);
}
