#include "coverage/report/account.h"

#include <string.h>
#include <time.h>

enum { FOLD = 12, SPARK = 60 };

const char *account_date(char out[ACCOUNT_DATE], int64_t time) {
    time_t t = (time_t)time;
    struct tm day;
    if (!gmtime_r(&t, &day) || !strftime(out, ACCOUNT_DATE, "%Y-%m-%d", &day)) strcpy(out, "?");
    return out;
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

static void heading(struct str *out, const struct term *term, const char *text) {
    str_putc(out, '\n');
    term_put(out, term, TERM_BOLD, text);
    str_putc(out, '\n');
}

/* The first commit of the mainline that has a matrix; n_mainline when there is none. */
static size_t first_known(const struct ledger *l) {
    size_t i = 0;
    while (i < l->n_mainline && !l->entries[l->mainline[i]].sheet->known) i++;
    return i;
}

static int percent(const struct ledger_sheet *s) {
    return s->n_kernels ? (int)((uint64_t)s->n_clean * 100 / s->n_kernels) : 100;
}

/* The debt along the mainline, by commits, in SPARK columns. */
static void put_spark(struct str *out, const struct term *term, const struct ledger *l, size_t first) {
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t n = l->n_mainline - first;
    int room = term->width - 4 < SPARK ? term->width - 4 : SPARK;
    uint32_t most = 1;
    struct str line = {0};
    for (size_t i = first; i < l->n_mainline; i++)
        if (l->entries[l->mainline[i]].sheet->n_gaps > most) most = l->entries[l->mainline[i]].sheet->n_gaps;
    for (int c = 0; c < room && n > 1; c++) {
        size_t at = first + (n - 1) * (size_t)c / (size_t)(room - 1 ? room - 1 : 1);
        const struct ledger_sheet *s = l->entries[l->mainline[at]].sheet;
        str_puts(&line, s->known ? bars[(uint64_t)s->n_gaps * 7 / most] : " ");
    }
    if (!line.n) return;
    str_puts(out, "  ");
    term_put(out, term, TERM_YELLOW, str_c(&line));
    str_putc(out, '\n');
    str_free(&line);
}

static void put_head(struct str *out, const struct term *term, const struct ledger *l,
                     const struct tree *tree) {
    char from[ACCOUNT_DATE], to[ACCOUNT_DATE];
    size_t first = first_known(l);
    const struct ledger_sheet *then = l->entries[l->mainline[first < l->n_mainline ? first : 0]].sheet;
    const struct ledger_sheet *now = l->entries[0].sheet;
    term_put(out, term, TERM_BOLD, "sota-coverage history");
    str_puts(out, "  ");
    term_safe(out, tree->folder);
    str_puts(out, "  ");
    term_safe(out, tree->name);
    str_printf(out, "\n%zu commit%s, %s to %s; %s\n\n", l->log.n, plural(l->log.n),
               account_date(from, l->log.commits[l->mainline[0]].time),
               account_date(to, l->log.commits[0].time),
               l->own_matrices ? "each held to the matrix that it holds" : "all held to one matrix");
    if (l->own_matrices && first < l->n_mainline && first)
        str_printf(out, "  the first matrix: %s, %.12s\n",
                   account_date(from, l->log.commits[l->mainline[first]].time),
                   l->log.commits[l->mainline[first]].oid);
    str_printf(out, "  debt     %5u, now %5u\n  kernels  %5u, now %5u\n  grade    %3d %%, now %3d %%\n",
               then->n_gaps, now->n_gaps, then->n_kernels, now->n_kernels, percent(then), percent(now));
    if (first < l->n_mainline) put_spark(out, term, l, first);
}

static void put_commit(struct str *out, const struct term *term, const struct ledger *l, size_t at) {
    const struct gitlog_commit *c = &l->log.commits[at];
    const struct ledger_entry *e = &l->entries[at];
    struct str change = {0}, text = {0};
    char date[ACCOUNT_DATE];
    str_printf(out, "  %s  ", account_date(date, c->time));
    str_printf(out, "%.10s  %5u  ", c->oid, e->sheet->n_gaps);
    if (e->n_added) str_printf(&change, "+%u", e->n_added);
    if (e->n_paid) str_printf(&change, "%s-%u", change.n ? " " : "", e->n_paid);
    term_cell(out, term, e->n_added > e->n_paid ? TERM_RED : TERM_GREEN, 10, str_c(&change));
    str_puts(out, "  ");
    term_safe(&text, c->author);
    str_puts(&text, ": ");
    term_safe(&text, c->subject);
    term_fold(out, term, 43, str_c(&text));
    str_free(&change);
    str_free(&text);
}

static void put_commits(struct str *out, const struct term *term, const struct ledger *l, bool all) {
    size_t n = 0, shown = 0;
    struct str title = {0};
    for (size_t i = 0; i < l->log.n; i++)
        n += !l->entries[i].begins && (l->entries[i].n_added || l->entries[i].n_paid);
    str_printf(&title, "Commits that changed the debt: %zu%s", n,
               n > FOLD && !all ? ", the latest first" : "");
    heading(out, term, str_c(&title));
    str_free(&title);
    for (size_t i = 0; i < l->log.n && (all || shown < FOLD); i++) {
        const struct ledger_entry *e = &l->entries[i];
        if (e->begins || (!e->n_added && !e->n_paid)) continue;
        put_commit(out, term, l, i);
        shown++;
    }
    if (shown < n) str_printf(out, "  and %zu more (--all)\n", n - shown);
}

static void put_people(struct str *out, const struct term *term, const struct ledger *l, bool all) {
    if (!l->n_people) return;
    heading(out, term, "Who paid what");
    str_puts(out, "   paid  added  commits\n");
    size_t shown = all || l->n_people <= FOLD ? l->n_people : FOLD;
    for (size_t i = 0; i < shown; i++) {
        const struct ledger_person *p = &l->people[i];
        str_printf(out, "  %5u  %5u  %7u  ", p->paid, p->added, p->n_commits);
        term_safe(out, p->name);
        str_putc(out, '\n');
    }
    if (shown < l->n_people) str_printf(out, "  and %zu more (--all)\n", l->n_people - shown);
}

/* Open gaps, oldest first: commits count down towards the present. */
static void put_open(struct str *out, const struct term *term, const struct ledger *l, bool all) {
    size_t n = 0, shown = 0;
    for (size_t i = 0; i < l->n_gaps; i++) n += l->gaps[i].open;
    if (!n) return;
    heading(out, term, "Open for longest");
    for (size_t at = l->log.n; at > 0 && (all || shown < FOLD); at--) {
        const struct ledger_entry *e = &l->entries[at - 1];
        for (uint32_t k = 0; k < e->n_added && (all || shown < FOLD); k++) {
            const struct ledger_gap *gap = &l->gaps[e->added[k]];
            char date[ACCOUNT_DATE];
            if (!gap->open || gap->first != at - 1) continue;
            str_printf(out, "  %s  %.10s  ", account_date(date, l->log.commits[at - 1].time),
                       l->log.commits[at - 1].oid);
            term_put(out, term, TERM_DIM, gap->fingerprint);
            str_printf(out, "  %s ", gap->class);
            term_safe(out, gap->path[0] ? gap->path : gap->op);
            if (gap->detail[0]) str_puts(out, ": ");
            term_safe(out, gap->detail);
            str_putc(out, '\n');
            shown++;
        }
    }
    if (shown < n) str_printf(out, "  and %zu more (--all)\n", n - shown);
}

void account_text(struct str *out, const struct term *term, const struct ledger *l, const struct tree *tree,
                  bool all) {
    put_head(out, term, l, tree);
    put_commits(out, term, l, all);
    put_people(out, term, l, all);
    put_open(out, term, l, all);
    str_printf(out, "\nsota_debt=%u\n", l->entries[0].sheet->n_gaps);
}
