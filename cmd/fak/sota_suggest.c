/* sota_suggest: names that were meant, for names that are not there. */
#include "cmd/fak/sota.h"

#include "sotadb/name.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 3, NAME_MAX_BYTES = 64, FAR = 1000 };

struct nearest {
    char name[SHOWN][NAME_MAX_BYTES];
    int distance[SHOWN];
    size_t n;
};

static void fold_name(char out[NAME_MAX_BYTES], struct view text) {
    size_t n = text.n < NAME_MAX_BYTES - 1 ? text.n : NAME_MAX_BYTES - 1;
    for (size_t i = 0; i < n; i++) out[i] = name_fold(text.at[i]);
    out[n] = '\0';
}

/* How far a typed name is from a known one: a typing error in every three letters is forgiven, and one that
 * is a part of the other (three letters or more) counts as two. */
static int distance_of(const char *typed, struct view known) {
    char a[NAME_MAX_BYTES], b[NAME_MAX_BYTES];
    fold_name(a, view_of(typed));
    fold_name(b, known);
    int distance = cli_distance(a, b), reach = (int)strlen(a) < 4 ? 1 : (int)(strlen(a) + 2) / 3;
    if (distance <= reach) return distance;
    if (strlen(a) >= 3 && strlen(b) >= 3 && (strstr(b, a) || strstr(a, b))) return reach + 1;
    return FAR;
}

static void offer(struct nearest *near, const char *name, int distance) {
    if (distance == FAR) return;
    for (size_t i = 0; i < near->n; i++)
        if (strcmp(near->name[i], name) == 0 && near->distance[i] <= distance) return;
    size_t at = near->n < SHOWN ? near->n++ : SHOWN;
    while (at > 0 && near->distance[at - 1] > distance) {
        if (at < SHOWN) {
            near->distance[at] = near->distance[at - 1];
            memcpy(near->name[at], near->name[at - 1], NAME_MAX_BYTES);
        }
        at--;
    }
    if (at == SHOWN) return;
    near->distance[at] = distance;
    snprintf(near->name[at], NAME_MAX_BYTES, "%s", name);
}

/* An operation is offered once, by its slug, whichever of its names is near. */
static void offer_op(struct nearest *near, const struct op *op, const char *typed) {
    int best = distance_of(typed, view_of(op->slug));
    struct view alias, rest = view_of(op->aliases);
    while (matrix_next_alias(&alias, &rest)) {
        int distance = distance_of(typed, alias);
        if (distance < best) best = distance;
    }
    int title = distance_of(typed, view_of(op->title));
    offer(near, op->slug, title < best ? title : best);
}

static void offer_commands(struct nearest *near, const char *typed) {
    const struct cli_command *sota = fak_command("sota");
    for (const struct cli_command *row = fak_command_table; row->name; row++)
        if (cli_is_within(row, sota)) {
            const char *word = row->name + strlen(sota->name) + 1;
            int distance = distance_of(typed, view_of(word));
            if (distance <= 2) offer(near, word, distance);
        }
}

static bool say(const char *what, const char *name, const struct nearest *near, const char *otherwise,
                struct status *st) {
    struct str text = {0};
    str_printf(&text, "there is no %s '%s'", what, name);
    for (size_t i = 0; i < near->n; i++)
        str_printf(&text, "%s'%s'",
                   i == 0             ? "; did you mean "
                   : i + 1 == near->n ? " or "
                                      : ", ",
                   near->name[i]);
    if (near->n) str_putc(&text, '?');
    else str_printf(&text, "; %s", otherwise);
    status_fail(st, STATUS_USAGE, "%s", str_c(&text));
    str_free(&text);
    return false;
}

bool sota_unknown(const struct matrix *m, const char *what, const char *name, bool commands,
                  struct status *st) {
    struct nearest near = {0};
    if (commands) offer_commands(&near, name);
    for (size_t i = 0; i < m->n_ops; i++) offer_op(&near, &m->ops[i], name);
    if (commands && matrix_ladder(m, name)) {
        struct str ladder = {0};
        str_printf(&ladder, "milestones %s", name);
        offer(&near, str_c(&ladder), 0);
        str_free(&ladder);
    }
    return say(what, name, &near, "`fak sota list` shows all, `fak sota search WORDS` looks into the texts",
               st);
}

bool sota_find_op(const struct op **op, const struct matrix *m, const char *name, struct status *st) {
    *op = matrix_op(m, name);
    return *op ? true : sota_unknown(m, "operation", name, false, st);
}

bool sota_find_ladder(const struct ladder **ladder, const struct matrix *m, const char *axis,
                      struct status *st) {
    *ladder = matrix_ladder(m, axis);
    if (*ladder) return true;
    struct nearest near = {0};
    for (size_t i = 0; i < m->n_ladders; i++)
        offer(&near, m->ladders[i].axis, distance_of(axis, view_of(m->ladders[i].axis)));
    return say("ladder", axis, &near, "`fak sota milestones` shows all", st);
}
