/* jinja_math: + - * / // % ** on numbers, and what + * % mean for texts and lists. */
#include "engine/token/jinja.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reading numbers ----------------------------------------------------------------------------------- */

static struct view trimmed(struct view text) {
    struct text all = {.at = text.at, .n = text.n};
    size_t start, end;
    jinja_text_strip(&all, NULL, true, true, &start, &end);
    return (struct view){text.at + start, end - start};
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

bool jinja_parse_int(jinja_int *out, struct view given, int base) {
    struct view text = trimmed(given);
    size_t i = 0;
    bool negative = text.n && text.at[0] == '-', any = false;
    if (text.n && (text.at[0] == '-' || text.at[0] == '+')) i++;
    char prefix = base == 16 ? 'x' : base == 8 ? 'o' : base == 2 ? 'b' : 0;
    if (prefix && i + 1 < text.n && text.at[i] == '0' && (text.at[i + 1] | 32) == prefix) i += 2;
    *out = 0;
    for (; i < text.n; i++) {
        if (text.at[i] == '_' && any && i + 1 < text.n && text.at[i + 1] != '_') continue;
        int digit = digit_of(text.at[i]);
        if (digit >= base || __builtin_mul_overflow(*out, base, out) ||
            __builtin_sub_overflow(*out, digit,
                                   out)) /* counted below zero, where there is room for one more */
            return false;
        any = true;
    }
    return any && (negative || !__builtin_sub_overflow((jinja_int)0, *out, out));
}

bool jinja_parse_float(double *out, struct view given) {
    struct view text = trimmed(given);
    char plain[400], *end;
    size_t n = 0;
    if (text.n == 0 || text.n >= sizeof plain || memchr(text.at, 'x', text.n) ||
        memchr(text.at, 'X', text.n) || memchr(text.at, '(', text.n))
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.at[i] != '_') plain[n++] = text.at[i];
    plain[n] = 0;
    if (memchr(plain, ' ', n)) return false;
    *out = strtod(plain, &end);
    return n > 0 && *end == 0 && end == plain + n;
}

/* --- integers ------------------------------------------------------------------------------------------ */

static bool too_big(struct jinja *j) {
    return jinja_fail(j, TEMPLATE_OVERFLOW, "an integer of more than 127 bits");
}

static bool power(struct jinja *j, struct value *out, jinja_int base, jinja_int exponent) {
    jinja_int result = 1;
    if (exponent < 0) {
        if (base == 0)
            return jinja_fail(j, TEMPLATE_ZERO_DIVISION, "0.0 cannot be raised to a negative power");
        *out = jinja_float(pow((double)base, (double)exponent));
        return true;
    }
    if (base == 0 || base == 1 || base == -1) {
        *out = jinja_integer(exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base);
        return true;
    }
    if (exponent > 127) return too_big(j);
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(result, base, &result)) return too_big(j);
    *out = jinja_integer(result);
    return true;
}

static bool integers(struct jinja *j, struct value *out, jinja_int a, jinja_int b, char op) {
    jinja_int r = 0;
    bool over = false;
    if ((op == '/' || op == 'd' || op == '%') && b == 0)
        return jinja_fail(j, TEMPLATE_ZERO_DIVISION, "%s by zero",
                          op == '/'   ? "division"
                          : op == 'd' ? "integer division"
                                      : "integer modulo");
    switch (op) {
    case '+': over = __builtin_add_overflow(a, b, &r); break;
    case '-': over = __builtin_sub_overflow(a, b, &r); break;
    case '*': over = __builtin_mul_overflow(a, b, &r); break;
    case '/': *out = jinja_float((double)a / (double)b); return true;
    case 'p': return power(j, out, a, b);
    default:
        if (b == -1) { /* the smallest integer has no counterpart */
            over = __builtin_sub_overflow((jinja_int)0, a, &r);
            if (op == '%') r = 0;
            break;
        }
        r = a % b;
        if (r != 0 && (r < 0) != (b < 0)) r += b;
        if (op == 'd') r = (a - r) / b;
    }
    *out = jinja_integer(r);
    return !over || too_big(j);
}

static bool floats(struct jinja *j, struct value *out, double a, double b, char op) {
    double r = 0;
    if ((op == '/' || op == 'd' || op == '%') && b == 0)
        return jinja_fail(j, TEMPLATE_ZERO_DIVISION, "float division by zero");
    switch (op) {
    case '+': r = a + b; break;
    case '-': r = a - b; break;
    case '*': r = a * b; break;
    case '/': r = a / b; break;
    case 'p':
        if (a == 0 && b < 0)
            return jinja_fail(j, TEMPLATE_ZERO_DIVISION, "0.0 cannot be raised to a negative power");
        r = pow(a, b);
        if (isfinite(a) && isfinite(b) && !isfinite(r))
            return jinja_fail(j, isnan(r) ? TEMPLATE_TYPE : TEMPLATE_OVERFLOW, "the power is no real number");
        break;
    default: {
        double rest = fmod(a, b);
        if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
        if (rest == 0) rest = copysign(0, b);
        r = op == '%' ? rest : floor((a - rest) / b + 0.5);
    }
    }
    *out = jinja_float(r);
    return true;
}

/* --- sequences ----------------------------------------------------------------------------------------- */

static bool join_texts(struct jinja *j, struct value *out, const struct text *a, const struct text *b) {
    struct jinja_builder built = {.j = j};
    bool safe = a->safe || b->safe;
    if (safe && (!jinja_escape(j, &a, a) || !jinja_escape(j, &b, b))) return false;
    jinja_add_text(&built, a);
    jinja_add_text(&built, b);
    return jinja_built(out, &built, safe);
}

static bool join_lists(struct jinja *j, struct value *out, const struct value *a, const struct value *b) {
    struct list *list;
    if (!jinja_list_new(j, &list, a->list->n + b->list->n)) return false;
    for (size_t i = 0; i < a->list->n; i++) list->items[i] = a->list->items[i];
    for (size_t i = 0; i < b->list->n; i++) list->items[a->list->n + i] = b->list->items[i];
    *out = (struct value){.kind = a->kind, .list = list};
    return true;
}

static bool repeat(struct jinja *j, struct value *out, const struct value *v, jinja_int times) {
    size_t n = v->kind == VALUE_TEXT ? v->text->n : v->list->n;
    if (times < 0 || n == 0) times = 0;
    if (times > TEMPLATE_OUTPUT || (times && (size_t)times > TEMPLATE_OUTPUT / n))
        return jinja_fail(j, TEMPLATE_LIMIT, "a repetition of more than %d MiB", TEMPLATE_OUTPUT >> 20);
    if (v->kind == VALUE_TEXT) {
        struct jinja_builder b = {.j = j};
        for (jinja_int i = 0; i < times && !b.failed; i++) jinja_add_text(&b, v->text);
        return jinja_built(out, &b, v->text->safe);
    }
    struct list *list;
    if (!jinja_list_new(j, &list, n * (size_t)times)) return false;
    for (size_t i = 0; i < list->n; i++) list->items[i] = v->list->items[i % n];
    *out = (struct value){.kind = v->kind, .list = list};
    return true;
}

static bool is_sequence(const struct value *v) {
    return v->kind == VALUE_TEXT || v->kind == VALUE_LIST || v->kind == VALUE_TUPLE;
}
static bool is_whole(const struct value *v) { return v->kind == VALUE_INT || v->kind == VALUE_BOOL; }

bool jinja_math(struct jinja *j, struct value *out, const struct value *a, const struct value *b, char op) {
    if (a->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, a);
    if (a->kind == VALUE_TEXT && op == '%') return jinja_percent(j, out, a->text, b);
    if (b->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, b);
    if (jinja_is_number(a) && jinja_is_number(b)) {
        if (is_whole(a) && is_whole(b)) return integers(j, out, jinja_as_int(a), jinja_as_int(b), op);
        return floats(j, out, jinja_as_float(a), jinja_as_float(b), op);
    }
    if (op == '+' && a->kind == b->kind && a->kind == VALUE_TEXT) return join_texts(j, out, a->text, b->text);
    if (op == '+' && a->kind == b->kind && is_sequence(a)) return join_lists(j, out, a, b);
    if (op == '*' && is_sequence(a) && is_whole(b)) return repeat(j, out, a, jinja_as_int(b));
    if (op == '*' && is_whole(a) && is_sequence(b)) return repeat(j, out, b, jinja_as_int(a));
    if (op == '+' && a->kind == VALUE_TEXT)
        return jinja_fail(j, TEMPLATE_TYPE, "can only concatenate str (not \"%s\") to str", jinja_type(b));
    const char *shown = op == 'd' ? "//" : op == 'p' ? "**" : (const char[]){op, 0};
    return jinja_fail(j, TEMPLATE_TYPE, "unsupported operand type(s) for %s: '%s' and '%s'", shown,
                      jinja_type(a), jinja_type(b));
}

bool jinja_negate(struct jinja *j, struct value *out, const struct value *v, bool negative) {
    struct value zero = jinja_integer(0);
    if (v->kind == VALUE_UNDEFINED) return jinja_fail_undefined(j, v);
    if (!jinja_is_number(v))
        return jinja_fail(j, TEMPLATE_TYPE, "bad operand type for unary %c: '%s'", negative ? '-' : '+',
                          jinja_type(v));
    if (v->kind == VALUE_FLOAT) *out = jinja_float(negative ? -v->f : v->f);
    else return jinja_math(j, out, &zero, v, negative ? '-' : '+');
    return true;
}
