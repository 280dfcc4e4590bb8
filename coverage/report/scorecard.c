#include "coverage/report/scorecard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FOLD_GAPS = 6, BAR = 26, GAP_COLUMN = 16, NEXT_MENDS = 5, FOLD_STALE = 200 };

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

/* label, then text from outside folded beside it */
static void put_folded(struct str *out, const struct term *term, const char *label, const char *text) {
    struct str safe = {0};
    term_safe(&safe, text);
    str_puts(out, label);
    term_fold(out, term, term_columns(label), str_c(&safe));
    str_free(&safe);
}

/* --- counting ------------------------------------------------------------------------------------ */

bool scorecard_tally(struct scorecard_tally *tally, const struct report *r) {
    *tally = (struct scorecard_tally){.by_op = calloc(r->matrix->n_ops + 1, sizeof *tally->by_op)};
    if (!tally->by_op) return false;
    for (size_t i = 0; i < r->survey->n_files; i++) {
        const struct survey_file *file = &r->survey->files[i];
        for (size_t k = 0; k < file->scan.n_kernels; k++) {
            const struct scan_kernel *kernel = &file->scan.kernels[k];
            if (kernel->kind == SCAN_HELPER) continue;
            const struct op *op = survey_op(file, kernel);
            if (op) tally->by_op[op - r->matrix->ops]++;
            else if (file->n_ops) tally->shared++;
            else tally->uncovered++;
        }
    }
    return true;
}

void scorecard_tally_free(struct scorecard_tally *tally) {
    free(tally->by_op);
    *tally = (struct scorecard_tally){0};
}

/* --- pieces -------------------------------------------------------------------------------------- */

static void heading(struct str *out, const struct term *term, const char *text) {
    str_putc(out, '\n');
    term_put(out, term, TERM_BOLD, text);
    str_putc(out, '\n');
}

static void put_grade(struct str *out, const struct term *term, const struct report *r) {
    const struct debt *debt = r->debt;
    if (!debt->n_kernels) {
        str_puts(out, "No kernel found in this tree.\n");
        return;
    }
    enum { BESIDE = 54 }; /* columns of the rest of the line */
    int room = term->width - BESIDE, bars = room > BAR ? BAR : room > 4 ? room : 4;
    int grade = debt_grade(debt), filled = grade * bars / 100;
    enum term_style style = grade >= 90 ? TERM_GREEN : grade >= 50 ? TERM_YELLOW : TERM_RED;
    struct str bar = {0}, rest = {0}, number = {0};
    for (int i = 0; i < bars; i++) str_puts(i < filled ? &bar : &rest, i < filled ? "█" : "░");
    str_printf(&number, "%3d %%", grade);
    str_puts(out, "grade ");
    term_put(out, term, style, str_c(&number));
    str_puts(out, "  ");
    if (bar.n) term_put(out, term, style, str_c(&bar));
    if (rest.n) term_put(out, term, TERM_DIM, str_c(&rest));
    str_printf(out, "  %zu of %zu kernels without a gap\n", debt->n_clean, debt->n_kernels);
    str_free(&bar);
    str_free(&rest);
    str_free(&number);
}

static void put_tally_row(struct str *out, const struct term *term, const char *name, size_t n,
                          const char *note, enum term_style style) {
    str_puts(out, "  ");
    term_cell(out, term, TERM_PLAIN, 28, name);
    str_printf(out, "%5zu  ", n);
    term_put(out, term, style, note);
    str_putc(out, '\n');
}

static void put_operations(struct str *out, const struct term *term, const struct report *r) {
    struct scorecard_tally tally;
    if (!scorecard_tally(&tally, r)) {
        out->failed = true;
        return;
    }
    heading(out, term, "Kernels by operation");
    size_t without = 0;
    for (size_t i = 0; i < r->matrix->n_ops; i++) {
        const struct op *op = &r->matrix->ops[i];
        bool clean = r->debt->clean[i];
        if (tally.by_op[i])
            put_tally_row(out, term, op->slug, tally.by_op[i], clean ? "no gap" : op_status_name(op->status),
                          clean ? TERM_GREEN : TERM_YELLOW);
        else without++;
    }
    if (tally.shared)
        put_tally_row(out, term, "(several operations)", tally.shared, "name them in op_symbol", TERM_DIM);
    if (tally.uncovered) put_tally_row(out, term, "(no row)", tally.uncovered, "uncovered", TERM_RED);
    if (without) str_printf(out, "  %zu operation%s without a kernel of ours\n", without, plural(without));
    scorecard_tally_free(&tally);
}

/* What a gap is about, in few words: its operation, and the path or lane that is meant. */
static void put_subject(struct str *out, const struct debt_gap *gap) {
    if (gap->kind == DEBT_RUNG) term_safe(out, gap->detail);
    else if (gap->kind == DEBT_UNCOVERED) term_safe(out, gap->path);
    else if (gap->kind == DEBT_SEVERAL || gap->kind == DEBT_SUPPRESSION) {
        term_safe(out, gap->path[0] ? gap->path : gap->op);
        str_puts(out, ": ");
        term_safe(out, gap->detail);
        return;
    } else term_safe(out, gap->op);
    bool whole = gap->kind == DEBT_UNCOVERED || gap->kind == DEBT_RUNG;
    bool lane = gap->kind == DEBT_NO_TEST || gap->kind == DEBT_NO_FLOOR || gap->kind == DEBT_NO_ACCEPTANCE ||
                !gap->path[0];
    const char *more = whole ? "" : lane ? gap->detail : gap->path;
    if (more[0]) {
        str_puts(out, ": ");
        term_safe(out, more);
    }
}

/* "10-gemm.sql:49": of a seed file, its place below the matrix that the head of the scorecard names. */
static void put_where(struct str *out, const struct report *r, const struct debt_gap *gap) {
    struct origin origin = origin_of(&r->origins, gap);
    if (!origin.line) return;
    if (gap->line) {
        str_printf(out, "line %d", origin.line);
        return;
    }
    size_t n = strlen(r->matrix->source);
    bool below = strncmp(origin.path, r->matrix->source, n) == 0 && origin.path[n] == '/';
    term_safe(out, below ? origin.path + n + 1 : origin.path);
    str_printf(out, ":%d", origin.line);
}

static int subject_width(const struct debt_gap *gaps, size_t n) {
    int widest = 0;
    for (size_t i = 0; i < n; i++) {
        struct str subject = {0};
        put_subject(&subject, &gaps[i]);
        int width = term_columns(str_c(&subject));
        if (width > widest) widest = width;
        str_free(&subject);
    }
    return widest;
}

/* fingerprint, subject, where: the last on a line of its own when the terminal is too narrow */
static void put_gap(struct str *out, const struct term *term, const struct report *r,
                    const struct debt_gap *gap, int width) {
    struct str subject = {0}, where = {0};
    put_subject(&subject, gap);
    put_where(&where, r, gap);
    str_puts(out, "  ");
    term_put(out, term, TERM_DIM, gap->fingerprint);
    str_puts(out, "  ");
    int room = term->width - GAP_COLUMN - 2 - term_columns(str_c(&where));
    if (width > room) width = room;
    term_cell(out, term, TERM_PLAIN, where.n ? width : 0, str_c(&subject));
    if (where.n) {
        if (term_columns(str_c(&subject)) > room) str_printf(out, "\n%*s", GAP_COLUMN, "");
        else str_puts(out, "  ");
        term_put(out, term, TERM_DIM, str_c(&where));
    }
    str_putc(out, '\n');
    str_free(&subject);
    str_free(&where);
}

static void put_class(struct str *out, const struct term *term, const struct report *r, size_t first,
                      size_t n, bool all) {
    const struct debt_gap *gaps = &r->debt->gaps[first];
    struct str text = {0};
    str_printf(&text, "%s: %zu", debt_class_title(gaps[0].kind), n);
    if (text.n) text.at[0] = (char)toupper((unsigned char)text.at[0]);
    if (first) str_putc(out, '\n');
    term_put(out, term, gaps[0].kind < DEBT_SELECTED ? TERM_RED : TERM_YELLOW, str_c(&text));
    str_putc(out, '\n');
    str_free(&text);
    size_t shown = all || n <= FOLD_GAPS + 1 ? n : FOLD_GAPS;
    int width = subject_width(gaps, shown);
    for (size_t i = 0; i < shown; i++) put_gap(out, term, r, &gaps[i], width);
    if (shown < n) str_printf(out, "  and %zu more (--all)\n", n - shown);
    put_folded(out, term, "  mend: ", n == 1 ? gaps[0].mend : debt_class_mend(gaps[0].kind));
}

static void put_gaps(struct str *out, const struct term *term, const struct report *r, bool all) {
    heading(out, term, "Gaps");
    if (!r->debt->n) str_puts(out, "  none\n");
    for (size_t i = 0, n; i < r->debt->n; i += n) {
        for (n = 1; i + n < r->debt->n && r->debt->gaps[i + n].kind == r->debt->gaps[i].kind;) n++;
        put_class(out, term, r, i, n, all);
    }
}

/* The mends that free most, each with the gap's fingerprint and the kernels that wait for it. */
static void put_mends(struct str *out, const struct term *term, const struct report *r) {
    struct scorecard_mend mends[NEXT_MENDS];
    size_t n = scorecard_mends(mends, NEXT_MENDS, r);
    if (!n) return;
    heading(out, term, "Next mends");
    for (size_t i = 0; i < n; i++) {
        struct str text = {0}, label = {0};
        const struct debt_gap *gap = mends[i].gap;
        /* What is selected is told at length elsewhere; its mend is to do it. */
        if (gap->kind != DEBT_SELECTED) str_printf(&text, "%s ", gap->what);
        str_puts(&text, gap->mend);
        if (mends[i].kernels)
            str_printf(&text, " (%zu kernel%s)", mends[i].kernels, mends[i].kernels == 1 ? "" : "s");
        str_printf(&label, "  %zu. ", i + 1);
        put_folded(out, term, str_c(&label), str_c(&text));
        str_free(&text);
        str_free(&label);
    }
}

static void put_changed(struct str *out, const struct term *term, const struct report *r, const char *sign,
                        enum term_style style, const struct debt_gap *const *gaps, size_t n, bool all) {
    size_t shown = all || n <= FOLD_GAPS + 1 ? n : FOLD_GAPS;
    for (size_t i = 0; i < shown; i++) {
        struct str subject = {0};
        put_subject(&subject, gaps[i]);
        str_puts(out, "  ");
        term_put(out, term, style, sign);
        str_putc(out, ' ');
        term_put(out, term, TERM_DIM, gaps[i]->fingerprint);
        str_printf(out, "  %-12s ", debt_class_name(gaps[i]->kind));
        term_put(out, term, TERM_PLAIN, str_c(&subject));
        if (style == TERM_RED) {
            struct str where = {0};
            put_where(&where, r, gaps[i]);
            if (where.n) str_puts(out, "  ");
            term_put(out, term, TERM_DIM, str_c(&where));
            str_free(&where);
        }
        str_putc(out, '\n');
        str_free(&subject);
    }
    if (shown < n) str_printf(out, "  and %zu more (--all)\n", n - shown);
}

static void put_delta(struct str *out, const struct term *term, const struct report *r, bool all) {
    const struct delta *d = r->delta;
    struct str title = {0};
    if (!d) return;
    str_puts(&title, "Since ");
    term_safe(&title, d->since);
    str_printf(&title, " (%.12s): debt %zu, then %zu; %zu added, %zu removed", d->base, d->before, r->debt->n,
               d->n_added, d->n_removed);
    heading(out, term, str_c(&title));
    if (!d->own_matrix) str_puts(out, "  that commit has no matrix of its own and was held to this one\n");
    put_changed(out, term, r, "+", TERM_RED, d->added, d->n_added, all);
    put_changed(out, term, r, "-", TERM_GREEN, d->removed, d->n_removed, all);
    str_free(&title);
}

static void put_accepted(struct str *out, const struct term *term, const struct report *r) {
    if (!r->debt->n_accepted) return;
    heading(out, term, "Accepted, and not counted");
    for (size_t i = 0; i < r->debt->n_accepted; i++) {
        const struct debt_accepted *a = &r->debt->accepted[i];
        struct str label = {0};
        str_printf(&label, "  %s  %s ", a->gap.fingerprint, debt_class_name(a->gap.kind));
        put_subject(&label, &a->gap);
        str_puts(out, str_c(&label));
        str_putc(out, '\n');
        put_folded(out, term, "                ", a->reason);
        str_free(&label);
    }
}

static void put_stale(struct str *out, const struct term *term, const struct report *r, bool all) {
    struct scorecard_stale stale[FOLD_STALE];
    struct str title = {0};
    size_t n = scorecard_stale(stale, FOLD_STALE, r), known = n < FOLD_STALE ? n : FOLD_STALE;
    size_t shown = all || n <= FOLD_GAPS + 1 ? known : FOLD_GAPS;
    if (!r->today) return;
    str_printf(&title, "Links not read again within %d days of %s (no gap): %zu", r->window, r->today, n);
    heading(out, term, str_c(&title));
    for (size_t i = 0; i < shown; i++) {
        str_puts(out, "  ");
        term_cell(out, term, TERM_PLAIN, 22, stale[i].reference->op);
        if (stale[i].days < 0) str_puts(out, "      never  ");
        else str_printf(out, "%6ld days  ", stale[i].days);
        term_safe(out, stale[i].reference->url);
        str_putc(out, '\n');
    }
    if (shown < n) str_printf(out, "  and %zu more%s\n", n - shown, all ? "" : " (--all)");
    str_free(&title);
}

static void put_ladders(struct str *out, const struct term *term, const struct report *r) {
    const struct matrix *m = r->matrix;
    if (!m->n_ladders) return;
    heading(out, term, "Ladders");
    for (size_t i = 0; i < m->n_ladders; i++) {
        const struct ladder *ladder = &m->ladders[i];
        const struct op *op = ladder->op[0] ? matrix_op(m, ladder->op) : NULL;
        struct str text = {0};
        str_puts(out, "  ");
        term_cell(out, term, TERM_PLAIN, 22, ladder->axis);
        bool backed = op && op->status == OP_SHIPPED;
        if (ladder->fak_rung < 0) {
            term_put(out, term, TERM_DIM, "none claimed");
        } else {
            unsigned rung = (unsigned)ladder->fak_rung;
            str_printf(&text, "level %u of %u", rung, ladder->rungs.n ? ladder->rungs.n - 1 : 0);
            if (rung < ladder->rungs.n)
                str_printf(&text, ", %s", m->rungs[ladder->rungs.first + rung].technique);
            term_put(out, term, backed ? TERM_GREEN : TERM_RED, str_c(&text));
            str_puts(out, backed ? "" : ", unwitnessed");
        }
        str_putc(out, '\n');
        str_free(&text);
    }
}

static void put_floors(struct str *out, const struct term *term, const struct report *r) {
    const struct matrix *m = r->matrix;
    struct str text = {0};
    size_t n = 0;
    for (size_t i = 0; i < m->n_floors; i++)
        if (m->floors[i].state == FLOOR_RECORDED)
            str_printf(&text, "%s%s %g", n++ ? ", " : "", m->floors[i].name, m->floors[i].value);
    if (n) {
        heading(out, term, "Floors that are recorded, not measured yet (no gap)");
        str_puts(out, "  ");
        term_fold(out, term, 2, str_c(&text));
    }
    str_free(&text);
}

static void put_refused(struct str *out, const struct term *term, const struct report *r, bool all) {
    size_t n = r->survey->n_refused, shown = all || n <= FOLD_GAPS + 1 ? n : FOLD_GAPS;
    if (!n) return;
    heading(out, term, "Not analysed");
    for (size_t i = 0; i < shown; i++) {
        str_puts(out, "  ");
        term_safe(out, r->survey->refused[i].path);
        str_printf(out, ": %s\n", r->survey->refused[i].not_analysed);
    }
    if (shown < n) str_printf(out, "  and %zu more (--all)\n", n - shown);
}

/* What is not there cannot be read, and may be why a row has no file. */
static void put_absent(struct str *out, const struct term *term, size_t n) {
    struct str text = {0};
    if (n == 0) return;
    str_printf(&text, "%zu tracked file%s not in this working tree and %s not read", n,
               n == 1 ? " is" : "s are", n == 1 ? "was" : "were");
    term_put(out, term, TERM_YELLOW, str_c(&text));
    str_putc(out, '\n');
    str_free(&text);
}

void scorecard_text(struct str *out, const struct term *term, const struct report *r, bool all) {
    term_put(out, term, TERM_BOLD, "sota-coverage");
    str_puts(out, "  ");
    term_safe(out, r->tree->folder);
    str_puts(out, "  ");
    term_safe(out, r->tree->name);
    if (r->tree->commit[0]) str_printf(out, " (%.12s)", r->tree->commit);
    str_printf(out, "\n%zu files read, %zu with kernels; %zu operations in ", r->survey->n_scanned,
               r->survey->n_files, r->matrix->n_ops);
    term_safe(out, r->matrix->source);
    str_putc(out, '\n');
    put_absent(out, term, r->tree->n_absent);
    str_putc(out, '\n');
    put_grade(out, term, r);
    put_mends(out, term, r);
    put_delta(out, term, r, all);
    if (r->debt->n_kernels) put_operations(out, term, r);
    put_gaps(out, term, r, all);
    put_ladders(out, term, r);
    put_floors(out, term, r);
    put_accepted(out, term, r);
    put_stale(out, term, r, all);
    put_refused(out, term, r, all);
    if (r->debt->n) str_puts(out, "\nOne gap explained: sota-coverage --explain FINGERPRINT\n");
    str_printf(out, "\nsota_debt=%zu\n", r->debt->n);
}

/* The glob or name pattern that the gap is about. */
static void put_pattern(struct str *out, const struct debt_gap *gap) {
    switch (gap->kind) {
    case DEBT_UNCOVERED: str_puts(out, "none: no glob of op_path matches the file"); break;
    case DEBT_SEVERAL: str_printf(out, "none of op_symbol matches %s", gap->detail); break;
    case DEBT_RUNG: str_printf(out, "ladder %s", gap->detail); break;
    case DEBT_NO_TEST: str_puts(out, gap->path[0] ? gap->path : "none"); break;
    default: str_puts(out, gap->path[0] ? gap->path : gap->op); break;
    }
}

/* Which part of the whole the gap is in, and has to be mended in. */
static void put_layer(struct str *out, const struct report *r, const struct debt_gap *gap) {
    switch (gap->kind) {
    case DEBT_UNCOVERED:
    case DEBT_SEVERAL:
        str_printf(out, "kernel file (%s)", scan_language_name(scan_language_of(gap->path)));
        return;
    case DEBT_NO_FLOOR:
    case DEBT_NO_TEST:
    case DEBT_NO_ACCEPTANCE: str_printf(out, "witness on %s", gap->detail); return;
    case DEBT_RUNG: str_puts(out, "ladder"); return;
    case DEBT_SUPPRESSION: str_puts(out, gap->line ? "comment" : "suppression row"); return;
    default: break;
    }
    for (size_t i = 0; gap->path[0] && i < r->matrix->n_paths; i++) {
        const struct op_path *row = &r->matrix->paths[i];
        if (strcmp(row->op, gap->op) != 0 || strcmp(row->glob, gap->path) != 0) continue;
        str_printf(out, "%s path", path_role_name(row->role));
        return;
    }
    str_puts(out, gap->detail[0] ? "witness on " : "operation");
    str_puts(out, gap->detail);
}

/* What to write when the gap is meant to stay. */
static void put_acceptance(struct str *out, const struct debt_gap *gap) {
    if (gap->kind == DEBT_SUPPRESSION) return;
    if (gap->kind == DEBT_UNCOVERED || gap->kind == DEBT_SEVERAL)
        str_printf(out, "a comment in the file, `sota-coverage: suppress %s%s%s: REASON`, or ",
                   debt_class_name(gap->kind), gap->detail[0] ? " " : "", gap->detail);
    str_printf(out,
               "INSERT INTO suppression (class, op, path, detail, reason) VALUES ('%s', '%s', '%s', '%s', "
               "'REASON');",
               debt_class_name(gap->kind), gap->op, gap->path, gap->detail);
}

void scorecard_explain(struct str *out, const struct term *term, const struct report *r,
                       const struct debt_gap *gap) {
    struct origin origin = origin_of(&r->origins, gap);
    struct str where = {0}, pattern = {0}, layer = {0}, accept = {0};
    str_puts(&where, origin.line ? origin.path : r->matrix->source);
    if (origin.line) str_printf(&where, ":%d", origin.line);
    put_pattern(&pattern, gap);
    put_layer(&layer, r, gap);
    put_acceptance(&accept, gap);
    term_put(out, term, TERM_BOLD, gap->fingerprint);
    str_printf(out, "  %s\n\n", debt_class_title(gap->kind));
    put_folded(out, term, "", gap->what);
    str_putc(out, '\n');
    put_folded(out, term, "class    ", debt_class_name(gap->kind));
    put_folded(out, term, "why      ", debt_class_meaning(gap->kind));
    put_folded(out, term, "pattern  ", str_c(&pattern));
    put_folded(out, term, "layer    ", str_c(&layer));
    put_folded(out, term, "where    ", str_c(&where));
    put_folded(out, term, "mend     ", gap->mend);
    if (accept.n) put_folded(out, term, "or keep  ", str_c(&accept));
    str_free(&where);
    str_free(&pattern);
    str_free(&layer);
    str_free(&accept);
}
