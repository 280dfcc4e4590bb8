#include "hooks/gate/stamp.h"

#include "sotadb/credit.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- names in a value --- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_name_char(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

/* The part of a value that may name operations: up to the first of ; : ( or a dash between blanks. */
static struct view head_of(struct view value) {
    for (size_t i = 0; i < value.n; i++) {
        struct view rest = {value.at + i, value.n - i};
        if (strchr(";:(", value.at[i]) || view_starts(rest, " - ") || view_starts(rest, " \xe2\x80\x93 ") ||
            view_starts(rest, " \xe2\x80\x94 "))
            return (struct view){value.at, i};
    }
    return value;
}

static bool next_item(struct view *item, struct view *rest) {
    if (rest->n == 0) return false;
    const char *comma = memchr(rest->at, ',', rest->n);
    size_t n = comma ? (size_t)(comma - rest->at) : rest->n;
    *item = view_trim((struct view){rest->at, n});
    n += comma != NULL;
    *rest = (struct view){rest->at + n, rest->n - n};
    return true;
}

/* One word of letters, digits and dashes, as a NUL-terminated text. */
static bool as_name(char out[64], struct view item) {
    if (item.n == 0 || item.n >= 64) return false;
    for (size_t i = 0; i < item.n; i++)
        if (!is_name_char(item.at[i])) return false;
    memcpy(out, item.at, item.n);
    out[item.n] = '\0';
    return true;
}

/* --- slips of the pen --- */

/* Are the letters of `a` in `b`, in order ("fused-attn", "fused-attention")? */
static bool is_abbreviation(const char *a, const char *b) {
    if (a[0] != b[0] || strlen(a) * 2 < strlen(b)) return false;
    for (; *a && *b; b++) a += *a == *b;
    return !*a;
}

/* At most one letter too many, missing or wrong, or two neighbours swapped? */
static bool is_one_edit(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return strcmp(a, b) == 0 || (*a && strcmp(a + 1, b) == 0) || (*b && strcmp(a, b + 1) == 0) ||
           (*a && *b && strcmp(a + 1, b + 1) == 0) ||
           (*a && *b && a[0] == b[1] && a[1] == b[0] && strcmp(a + 2, b + 2) == 0);
}

/* The operation that a name without one probably means; only names of two words or five letters are judged,
 * so that "awq" or "triton" stay what they are: free text. */
static const struct op *meant(const struct matrix *m, const char *name) {
    bool compound = strchr(name, '-') || strchr(name, '_');
    if (!compound && strlen(name) < 5) return NULL;
    char lower[64];
    size_t n = strlen(name);
    for (size_t i = 0; i <= n; i++) lower[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < m->n_ops; i++)
        if (is_one_edit(lower, m->ops[i].slug)) return &m->ops[i];
    for (size_t i = 0; compound && i < m->n_ops; i++)
        if (is_abbreviation(lower, m->ops[i].slug) || is_abbreviation(m->ops[i].slug, lower))
            return &m->ops[i];
    return NULL;
}

/* --- the verdict --- */

/* Two texts may meet in one sentence: where it stands, and what is wrong. */
static bool say(struct stamp *out, enum stamp_state state, int line, struct arena *arena, struct status *st,
                const char *format, ...) STATUS_PRINTF(6, 7);
static bool say(struct stamp *out, enum stamp_state state, int line, struct arena *arena, struct status *st,
                const char *format, ...) {
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    *out = (struct stamp){.state = state, .line = line};
    out->problem = str_ok(&text, st) ? arena_copy(arena, str_c(&text), text.n, st) : NULL;
    str_free(&text);
    return out->problem != NULL;
}

static bool is_touched(const struct finding *findings, size_t n, const struct op *op) {
    for (size_t i = 0; i < n; i++)
        if (findings[i].op == op) return true;
    return false;
}

static bool judge_value(struct stamp *out, const struct matrix *m, const struct finding *findings, size_t n,
                        const struct trailer *trailer, struct arena *arena, struct status *st) {
    struct view item, rest = head_of(trailer->value);
    char name[64], slip[64] = "";
    const struct op *wrong = NULL, *near = NULL;
    *out = (struct stamp){.state = STAMP_VALID, .line = trailer->line, .problem = ""};
    if (trailer->value.n == 0)
        return say(out, STAMP_NEAR, trailer->line, arena, st, "line %d: the trailer is empty", trailer->line);
    while (next_item(&item, &rest)) {
        if (!as_name(name, item)) continue;
        const struct op *op = matrix_op(m, name);
        if (op && (n == 0 || is_touched(findings, n, op))) return true;
        if (op) wrong = op;
        else if (!near && (near = meant(m, name))) memcpy(slip, name, sizeof slip);
    }
    if (wrong && n)
        return say(out, STAMP_NEAR, trailer->line, arena, st,
                   "line %d names `%s`, which this change does not touch; it touches `%s`", trailer->line,
                   wrong->slug, findings[0].op->slug);
    if (near)
        return say(out, STAMP_NEAR, trailer->line, arena, st,
                   "line %d: `%s` is not a row of the matrix: `%s`?", trailer->line, slip, near->slug);
    return true;
}

/* --- near misses in the body --- */

/* Does the line mean to be the trailer, however it is spelt: "Prior_art: x", " prior art = x"? */
static bool looks_meant(struct view line) {
    static const char key[] = "priorart";
    size_t i = 0, k = 0;
    while (i < line.n && (line.at[i] == ' ' || line.at[i] == '\t')) i++;
    for (; i < line.n && key[k]; i++) {
        char c = line.at[i];
        if (tolower((unsigned char)c) == key[k]) k++;
        else if (!(k == 5 && (c == ' ' || c == '-' || c == '_'))) return false;
    }
    while (i < line.n && line.at[i] == ' ') i++;
    return !key[k] && i < line.n && (line.at[i] == ':' || line.at[i] == '=');
}

static bool well_spelt(struct view line, const struct trailer_rules *rules) {
    size_t n = trailer_separator(line, rules->separators);
    struct view key = view_trim((struct view){line.at, n});
    return key.n == strlen(CREDIT_KEY) && strncasecmp(key.at, CREDIT_KEY, key.n) == 0;
}

/* Where a line stands among the paragraphs of a message. */
struct place {
    struct view line;
    int number;
    bool in_subject, in_last;
};

static bool find_meant(struct place *out, struct view body, const struct trailer_rules *rules) {
    struct view line, rest = body;
    bool found = false, text_seen = false, subject = true, blank_after = false;
    for (int number = 1; view_line(&line, &rest); number++) {
        if (*rules->comment && view_starts(line, rules->comment)) continue;
        if (view_trim(line).n == 0) {
            if (text_seen) subject = false;
            blank_after = true;
            continue;
        }
        if (found && blank_after) out->in_last = false;
        text_seen = true;
        blank_after = false;
        if (!looks_meant(line)) continue;
        *out = (struct place){line, number, subject, true};
        found = true;
    }
    return found;
}

static bool judge_body(struct stamp *out, const struct trailer_list *list, const struct trailer_rules *rules,
                       struct arena *arena, struct status *st) {
    struct place place;
    *out = (struct stamp){.state = STAMP_ABSENT, .problem = ""};
    if (!find_meant(&place, list->body, rules)) return true;
    const char *mend = "it shares its paragraph with other text; put a blank line before it";
    if (!well_spelt(place.line, rules))
        mend = "a trailer is written `" CREDIT_KEY ": ...`, from the first column";
    else if (place.in_subject) mend = "it belongs to the subject; put a blank line before it";
    else if (!place.in_last) mend = "trailers stand in the last paragraph; move it to the end";
    return say(out, STAMP_NEAR, place.number, arena, st, "line %d is no trailer: %s", place.number, mend);
}

bool stamp_judge(struct stamp *out, const struct matrix *m, const struct finding *findings, size_t n,
                 struct view message, const struct trailer_rules *rules, struct arena *arena,
                 struct status *st) {
    struct trailer_list list;
    if (!trailer_parse(&list, message, rules, arena, st)) return false;
    struct stamp first_problem = {0};
    for (size_t i = 0; i < list.n; i++) {
        const struct trailer *trailer = &list.at[i];
        if (trailer->key.n != strlen(CREDIT_KEY) ||
            strncasecmp(trailer->key.at, CREDIT_KEY, trailer->key.n) != 0)
            continue;
        if (!judge_value(out, m, findings, n, trailer, arena, st)) return false;
        if (out->state == STAMP_VALID) return true;
        if (!first_problem.problem) first_problem = *out;
    }
    if (first_problem.problem) {
        *out = first_problem;
        return true;
    }
    return judge_body(out, &list, rules, arena, st);
}
