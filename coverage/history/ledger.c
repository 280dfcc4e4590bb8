#include "coverage/history/ledger.h"

#include "coverage/history/sheets.h"

#include <stdlib.h>
#include <string.h>

/* --- sets of gaps: ascending numbers -------------------------------------------------------------------- */

static bool has(const struct ledger_sheet *sheet, uint32_t gap) {
    size_t low = 0, high = sheet->n_gaps;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sheet->gaps[middle] < gap) low = middle + 1;
        else high = middle;
    }
    return low < sheet->n_gaps && sheet->gaps[low] == gap;
}

struct parents {
    const struct ledger_sheet *known[64]; /* those that had a matrix */
    uint32_t n;
};

static struct parents parents_of(const struct ledger *l, uint32_t at) {
    const struct gitlog_commit *c = &l->log.commits[at];
    struct parents p = {.n = 0};
    for (uint32_t i = 0; i < c->n_parents && p.n < 64; i++) {
        const struct ledger_sheet *sheet = l->entries[c->parents[i]].sheet;
        if (sheet->known) p.known[p.n++] = sheet;
    }
    return p;
}

static bool all_have(const struct parents *p, uint32_t gap) {
    for (uint32_t i = 0; i < p->n; i++)
        if (!has(p->known[i], gap)) return false;
    return p->n > 0;
}

static bool one_has(const struct parents *p, uint32_t gap) {
    for (uint32_t i = 0; i < p->n; i++)
        if (has(p->known[i], gap)) return true;
    return false;
}

/* Which numbers pass; NULL when memory is out. */
static uint32_t *choose(uint32_t *n, struct ledger *l, const struct ledger_sheet *from,
                        const struct parents *p, const struct ledger_sheet *own, struct status *st) {
    uint32_t *list = arena_alloc(&l->arena, from->n_gaps, sizeof *list, st);
    *n = 0;
    for (uint32_t i = 0; list && i < from->n_gaps; i++) {
        uint32_t gap = from->gaps[i];
        bool passes = own ? !has(own, gap) && all_have(p, gap) : !one_has(p, gap);
        if (passes) list[(*n)++] = gap;
    }
    return list;
}

/* A first commit is charged for what it brought; one whose parents had no matrix is not. */
static bool charge(struct ledger *l, uint32_t at, struct status *st) {
    struct ledger_entry *e = &l->entries[at];
    struct parents p = parents_of(l, at);
    if (!e->sheet->known) return true;
    e->begins = p.n == 0 && l->own_matrices;
    bool unchanged = p.n > 0;
    for (uint32_t i = 0; i < p.n; i++) unchanged = unchanged && p.known[i] == e->sheet;
    if (unchanged) return true;
    e->added = choose(&e->n_added, l, e->sheet, &p, NULL, st);
    if (!e->added) return false;
    if (!p.n) return true;
    e->paid = choose(&e->n_paid, l, p.known[0], &p, e->sheet, st);
    return e->paid != NULL;
}

/* --- gaps and people --------------------------------------------------------------------------------------
 */

static void date_gaps(struct ledger *l) {
    for (size_t i = l->log.n; i > 0; i--) { /* parents before children */
        const struct ledger_entry *e = &l->entries[i - 1];
        for (uint32_t k = 0; k < e->n_added; k++)
            if (l->gaps[e->added[k]].first == GITLOG_NONE) l->gaps[e->added[k]].first = (uint32_t)i - 1;
    }
    const struct ledger_sheet *last = l->log.n ? l->entries[0].sheet : NULL;
    for (uint32_t k = 0; last && k < last->n_gaps; k++) l->gaps[last->gaps[k]].open = true;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct ledger_person *)a)->name, ((const struct ledger_person *)b)->name);
}

static int by_merit(const void *a, const void *b) {
    const struct ledger_person *x = a, *y = b;
    if (x->paid != y->paid) return x->paid > y->paid ? -1 : 1;
    if (x->added != y->added) return x->added < y->added ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool sum_people(struct ledger *l, struct status *st) {
    size_t n = 0, used = 0;
    struct ledger_person *all = arena_alloc(&l->arena, l->log.n, sizeof *all, st);
    if (!all) return false;
    for (size_t i = 0; i < l->log.n; i++) {
        const struct ledger_entry *e = &l->entries[i];
        if (e->begins || (!e->n_added && !e->n_paid)) continue;
        all[n++] = (struct ledger_person){l->log.commits[i].author, 1, e->n_added, e->n_paid};
    }
    if (n) qsort(all, n, sizeof *all, by_name);
    for (size_t i = 0; i < n; i++) {
        if (used && strcmp(all[used - 1].name, all[i].name) == 0) {
            all[used - 1].n_commits++;
            all[used - 1].added += all[i].added;
            all[used - 1].paid += all[i].paid;
        } else {
            all[used++] = all[i];
        }
    }
    if (used) qsort(all, used, sizeof *all, by_merit);
    l->people = all;
    l->n_people = used;
    return true;
}

static bool find_mainline(struct ledger *l, struct status *st) {
    uint32_t *line = arena_alloc(&l->arena, l->log.n, sizeof *line, st);
    size_t n = 0;
    if (!line) return false;
    for (uint32_t at = l->log.n ? 0 : GITLOG_NONE; at != GITLOG_NONE;) {
        line[n++] = at;
        at = l->log.commits[at].n_parents ? l->log.commits[at].parents[0] : GITLOG_NONE;
    }
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t other = line[i];
        line[i] = line[n - 1 - i];
        line[n - 1 - i] = other;
    }
    l->mainline = line;
    l->n_mainline = n;
    return true;
}

/* --- opening --- */

bool ledger_open(struct ledger *ledger, const struct tree *tree, const struct ledger_options *options,
                 struct str *complaints, struct status *st) {
    *ledger = (struct ledger){0};
    bool ok = gitlog_read(&ledger->log, tree, &ledger->arena, st);
    if (ok) ledger->entries = arena_alloc(&ledger->arena, ledger->log.n, sizeof *ledger->entries, st);
    ok = ok && ledger->entries && sheets_fill(ledger, tree, options, complaints, st);
    for (size_t i = 0; ok && i < ledger->log.n; i++) ok = charge(ledger, (uint32_t)i, st);
    if (ok) date_gaps(ledger);
    return ok && sum_people(ledger, st) && find_mainline(ledger, st);
}

void ledger_close(struct ledger *ledger) {
    free(ledger->gaps);
    arena_release(&ledger->arena);
    *ledger = (struct ledger){0};
}
