#include "hooks/range/priorlog.h"

#include "git/plumbing/process.h"
#include "hooks/trailer/trailer.h"
#include "sotadb/credit.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* git's defaults, whatever is configured here: a laptop and a CI read the same. */
static const struct trailer_rules rules = {"#", ":"};

struct reading {
    struct priorlog *out;
    const struct matrix *m;
    const struct op *only;
    struct arena *arena;
    size_t room;
};

/* --- one trailer -----------------------------------------------------------------------------------------
 */

static bool add(struct reading *r, const struct priorlog_entry *entry, struct status *st) {
    struct priorlog *out = r->out;
    if (out->n == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        struct priorlog_entry *at = arena_alloc(r->arena, room, sizeof *at, st);
        if (!at) return false;
        if (out->n) memcpy(at, out->at, out->n * sizeof *at);
        out->at = at;
        r->room = room;
    }
    out->at[out->n++] = *entry;
    return true;
}

static bool next_name(struct view *name, struct view *rest) {
    if (!rest->n) return false;
    const char *comma = memchr(rest->at, ',', rest->n);
    size_t n = comma ? (size_t)(comma - rest->at) : rest->n;
    *name = view_trim((struct view){rest->at, n});
    n += comma != NULL;
    *rest = (struct view){rest->at + n, rest->n - n};
    return true;
}

static const struct op *op_named(const struct matrix *m, struct view name) {
    char text[80];
    if (!name.n || name.n >= sizeof text) return NULL;
    memcpy(text, name.at, name.n);
    text[name.n] = '\0';
    return matrix_op(m, text);
}

/* "a, b; what was read": an entry for a and one for b. A value that names nothing is free text. */
static bool take_value(struct reading *r, struct priorlog_entry entry, struct view value, struct status *st) {
    const char *end = value.n ? memchr(value.at, ';', value.n) : NULL;
    struct view name, rest = {value.at, end ? (size_t)(end - value.at) : value.n};
    size_t named = 0;
    if (end) entry.consulted = view_trim((struct view){end + 1, value.n - (size_t)(end + 1 - value.at)});
    while (next_name(&name, &rest)) {
        entry.op = op_named(r->m, name);
        if (!entry.op) continue;
        named++;
        if ((!r->only || entry.op == r->only) && !add(r, &entry, st)) return false;
    }
    if (named || r->only) return true;
    entry.op = NULL;
    entry.consulted = value;
    return add(r, &entry, st);
}

/* --- one commit ------------------------------------------------------------------------------------------
 */

static struct view subject_of(struct view message) {
    struct view line, rest = message;
    while (view_line(&line, &rest))
        if (view_trim(line).n) return view_trim(line);
    return (struct view){0};
}

static bool is_credit(const struct trailer *trailer) {
    return trailer->key.n == strlen(CREDIT_KEY) &&
           strncasecmp(trailer->key.at, CREDIT_KEY, trailer->key.n) == 0 && trailer->value.n;
}

/* "OID\nDATE\nMESSAGE" */
static bool take_commit(struct reading *r, struct view record, struct status *st) {
    struct view oid, date, message = record;
    struct trailer_list list;
    if (!view_line(&oid, &message) || !view_line(&date, &message)) return true;
    if (!trailer_parse(&list, message, &rules, r->arena, st)) return false;
    struct priorlog_entry entry = {.subject = subject_of(message)};
    size_t before = r->out->n;
    for (size_t i = 0; i < list.n; i++) {
        if (!is_credit(&list.at[i])) continue;
        if (!entry.oid) entry.oid = arena_copy(r->arena, oid.at, oid.n, st);
        if (!entry.date) entry.date = arena_copy(r->arena, date.at, date.n, st);
        if (!entry.oid || !entry.date) return false;
        entry.line = list.at[i].line;
        if (!take_value(r, entry, list.at[i].value, st)) return false;
    }
    r->out->n_commits += r->out->n > before;
    return true;
}

/* --- all of it -------------------------------------------------------------------------------------------
 */

static bool run(struct process *p, const char *range, struct status *st) {
    const char *const argv[] = {"git",
                                "log",
                                "-z",
                                "--no-show-signature",
                                "--no-color",
                                "--no-notes",
                                "--encoding=UTF-8",
                                "--regexp-ignore-case",
                                "--basic-regexp",
                                "--grep=prior-art",
                                "--date=short",
                                "--format=%H%n%cd%n%B",
                                "--end-of-options",
                                range,
                                "--",
                                NULL};
    if (!process_run(p, argv, st)) return false;
    if (p->exit_code == 0) return true;
    const char *text = str_c(&p->err), *fatal = strstr(text, "fatal: ");
    if (fatal) text = fatal + 7;
    return status_fail(st, STATUS_NOT_FOUND, "git log: %.*s", (int)strcspn(text, "\n"), text);
}

static bool is_shallow(void) {
    struct process p;
    const char *const argv[] = {"git", "rev-parse", "--is-shallow-repository", NULL};
    if (!process_run(&p, argv, NULL)) return false;
    bool shallow = p.exit_code == 0 && view_starts((struct view){str_c(&p.out), p.out.n}, "true");
    process_free(&p);
    return shallow;
}

/* The operations are sorted by slug, so their addresses are; git's order is kept within one. */
static bool group(struct priorlog *out, const struct matrix *m, struct arena *arena, struct status *st) {
    struct priorlog_entry *sorted = arena_alloc(arena, out->n, sizeof *sorted, st);
    size_t *start = arena_alloc(arena, m->n_ops + 2, sizeof *start, st);
    if (!sorted || !start) return false;
    for (size_t i = 0; i < out->n; i++)
        start[(out->at[i].op ? (size_t)(out->at[i].op - m->ops) : m->n_ops) + 1]++;
    for (size_t i = 1; i < m->n_ops + 2; i++) start[i] += start[i - 1];
    for (size_t i = 0; i < out->n; i++)
        sorted[start[out->at[i].op ? (size_t)(out->at[i].op - m->ops) : m->n_ops]++] = out->at[i];
    for (size_t i = 0; i < out->n; i++)
        out->n_ops += sorted[i].op && (i == 0 || sorted[i].op != sorted[i - 1].op);
    out->at = sorted;
    return true;
}

bool priorlog_read(struct priorlog *out, const struct matrix *m, const char *range, const struct op *only,
                   struct arena *arena, struct status *st) {
    struct reading reading = {.out = out, .m = m, .only = only, .arena = arena};
    struct process p;
    *out = (struct priorlog){0};
    bool ok = run(&p, range, st);
    char *text = ok ? arena_copy(arena, str_c(&p.out), p.out.n, st) : NULL;
    size_t n = p.out.n;
    process_free(&p);
    if (!text) return false;
    for (size_t at = 0; at < n;) {
        size_t length = strlen(text + at);
        if (!take_commit(&reading, (struct view){text + at, length}, st)) return false;
        at += length + 1;
    }
    out->shallow = is_shallow();
    return group(out, m, arena, st);
}
