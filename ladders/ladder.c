#include "ladders/ladder.h"

#include "base/markdown.h"

#include <string.h>

static const struct rung *rung_at(const struct matrix *m, const struct ladder *ladder, int level) {
    if (level < 0 || (unsigned)level >= ladder->rungs.n) return NULL;
    return &m->rungs[ladder->rungs.first + (unsigned)level];
}

const struct rung *ladder_current(const struct matrix *m, const struct ladder *ladder) {
    return rung_at(m, ladder, ladder->fak_rung);
}

const struct rung *ladder_next(const struct matrix *m, const struct ladder *ladder) {
    return rung_at(m, ladder, ladder->fak_rung + 1);
}

void ladder_put_rung(struct str *out, const struct rung *rung, const char *otherwise) {
    if (rung) str_printf(out, "L%d %s (%d)", rung->level, rung->technique, rung->year);
    else str_puts(out, otherwise);
}

/* --- text --- */

static void put_arrow(struct str *out, const struct term *term, const struct ladder *ladder, int level) {
    if (level == ladder->fak_rung) term_put(out, term, TERM_GREEN, "  => ");
    else if (level == ladder->fak_rung + 1) term_put(out, term, TERM_YELLOW, "  -> ");
    else str_puts(out, "     ");
}

/* On the same line where it fits. */
static void put_url(struct str *out, const struct term *term, const char *url, int column, int indent) {
    struct str dim = {0};
    term_put(&dim, term, TERM_DIM, url);
    if (column + term_columns(url) <= term->width) str_puts(out, "  ");
    else str_printf(out, "\n%*s", indent, "");
    term_link(out, term, url, str_c(&dim));
    str_free(&dim);
}

static void put_rung(struct str *out, const struct term *term, const struct ladder *ladder,
                     const struct rung *rung) {
    enum { INDENT = 10 };
    struct str title = {0};
    str_printf(&title, "%s (%d)", rung->technique, rung->year);
    put_arrow(out, term, ladder, rung->level);
    str_printf(out, "L%-3d ", rung->level);
    bool near = rung->level == ladder->fak_rung || rung->level == ladder->fak_rung + 1;
    term_put(out, term, near ? TERM_BOLD : TERM_PLAIN, str_c(&title));
    int column = INDENT + term_columns(str_c(&title)) + 2;
    if (*rung->url) put_url(out, term, rung->url, column, INDENT);
    str_printf(out, "\n%*s", INDENT, "");
    term_fold(out, term, INDENT, rung->change);
    str_free(&title);
}

static void put_position(struct str *out, const struct term *term, const struct matrix *m,
                         const struct ladder *ladder) {
    enum { INDENT = 10 };
    struct str text = {0};
    ladder_put_rung(&text, ladder_current(m, ladder), "no rung yet");
    if (*ladder->position) str_printf(&text, ". %s", ladder->position);
    str_puts(out, "  fak     ");
    term_fold(out, term, INDENT, str_c(&text));
    str_clear(&text);
    ladder_put_rung(&text, ladder_next(m, ladder), "none: this is the top of the ladder");
    str_puts(out, "  next    ");
    term_fold(out, term, INDENT, str_c(&text));
    if (*ladder->op) str_printf(out, "  witness fak sota %s\n", ladder->op);
    str_free(&text);
}

/* What grew beside a rung: one fold each. */
static void put_branches(struct str *out, const struct term *term, const struct matrix *m,
                         const struct ladder *ladder, int level) {
    enum { INDENT = 12 };
    for (unsigned i = 0; i < ladder->branches.n; i++) {
        const struct rung *branch = &m->branches[ladder->branches.first + i];
        struct str text = {0};
        if (branch->level != level) continue;
        str_printf(&text, "%s (%d): %s", branch->technique, branch->year, branch->change);
        term_put(out, term, TERM_DIM, "          + ");
        term_fold(out, term, INDENT, str_c(&text));
        str_free(&text);
    }
}

void ladder_text(struct str *out, const struct term *term, const struct matrix *m,
                 const struct ladder *ladder) {
    term_put(out, term, TERM_BOLD, ladder->axis);
    if (strcmp(ladder->axis, ladder->title) != 0) str_printf(out, "  %s", ladder->title);
    str_putc(out, '\n');
    put_position(out, term, m, ladder);
    str_putc(out, '\n');
    for (unsigned i = 0; i < ladder->rungs.n; i++) {
        put_rung(out, term, ladder, &m->rungs[ladder->rungs.first + i]);
        put_branches(out, term, m, ladder, (int)i);
    }
}

void ladder_overview_text(struct str *out, const struct term *term, const struct matrix *m) {
    enum { INDENT = 5 };
    struct str text = {0};
    for (size_t i = 0; i < m->n_ladders; i++) {
        const struct ladder *ladder = &m->ladders[i];
        if (i) str_putc(out, '\n');
        term_put(out, term, TERM_BOLD, ladder->axis);
        str_printf(out, "  %u rungs\n", ladder->rungs.n);
        term_put(out, term, TERM_GREEN, "  => ");
        str_clear(&text);
        ladder_put_rung(&text, ladder_current(m, ladder), "no rung yet");
        term_fold(out, term, INDENT, str_c(&text));
        term_put(out, term, TERM_YELLOW, "  -> ");
        str_clear(&text);
        ladder_put_rung(&text, ladder_next(m, ladder), "none: this is the top of the ladder");
        term_fold(out, term, INDENT, str_c(&text));
    }
    str_free(&text);
}

/* --- Markdown --- */

static void put_table_row(struct str *out, const char *arrow, const char *level, const struct rung *rung) {
    str_printf(out, "| %s | %s | ", arrow, level);
    markdown_link(out, rung->technique, rung->url);
    str_printf(out, " | %d | ", rung->year);
    markdown_text(out, rung->change);
    str_puts(out, " |\n");
}

void ladder_markdown(struct str *out, const struct matrix *m, const struct ladder *ladder) {
    str_printf(out, "## %s\n\n%s. fak stands on **", ladder->axis, ladder->title);
    ladder_put_rung(out, ladder_current(m, ladder), "no rung yet");
    str_puts(out, "**");
    if (*ladder->position) str_printf(out, ": %s", ladder->position);
    str_puts(out, ". Next milestone: **");
    ladder_put_rung(out, ladder_next(m, ladder), "none, this is the top");
    str_puts(out, "**.");
    if (*ladder->op) str_printf(out, " Backed by the witness of `%s`.", ladder->op);
    str_puts(out, "\n\n| | Rung | Technique | Year | What it changed |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < ladder->rungs.n; i++) {
        const char *arrow = (int)i == ladder->fak_rung       ? "`=>`"
                            : (int)i == ladder->fak_rung + 1 ? "`->`"
                                                             : "";
        struct str level = {0};
        str_printf(&level, "L%u", i);
        put_table_row(out, arrow, str_c(&level), &m->rungs[ladder->rungs.first + i]);
        str_free(&level);
        for (unsigned k = 0; k < ladder->branches.n; k++) {
            const struct rung *branch = &m->branches[ladder->branches.first + k];
            if (branch->level == (int)i) put_table_row(out, "", "+", branch);
        }
    }
}

void ladder_overview_markdown(struct str *out, const struct matrix *m) {
    str_puts(out, "| Axis | fak rung today | Next milestone |\n|---|---|---|\n");
    for (size_t i = 0; i < m->n_ladders; i++) {
        struct str cell = {0};
        str_printf(out, "| %s | ", m->ladders[i].axis);
        ladder_put_rung(&cell, ladder_current(m, &m->ladders[i]), "no rung yet");
        markdown_text(out, str_c(&cell));
        str_puts(out, " | ");
        str_clear(&cell);
        ladder_put_rung(&cell, ladder_next(m, &m->ladders[i]), "none: the top");
        markdown_text(out, str_c(&cell));
        str_puts(out, " |\n");
        str_free(&cell);
    }
}

/* --- JSON --- */

static void put_rung_json(struct jsonout *j, const struct rung *rung) {
    jsonout_begin_object(j);
    jsonout_pair_int(j, "level", rung->level);
    jsonout_pair_string(j, "technique", rung->technique);
    jsonout_pair_int(j, "year", rung->year);
    jsonout_pair_int(j, "month", rung->month);
    jsonout_pair_string(j, "change", rung->change);
    jsonout_pair_string(j, "url", rung->url);
    jsonout_end_object(j);
}

static void put_rungs_json(struct jsonout *j, const char *key, const struct rung *rungs, struct range range) {
    jsonout_key(j, key);
    jsonout_begin_array(j);
    for (unsigned i = 0; i < range.n; i++) put_rung_json(j, &rungs[range.first + i]);
    jsonout_end_array(j);
}

void ladder_json(struct jsonout *j, const struct matrix *m, const struct ladder *ladder) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "axis", ladder->axis);
    jsonout_pair_string(j, "title", ladder->title);
    jsonout_pair_int(j, "fak_rung", ladder->fak_rung);
    jsonout_pair_string(j, "op", ladder->op);
    jsonout_pair_string(j, "position", ladder->position);
    put_rungs_json(j, "rungs", m->rungs, ladder->rungs);
    put_rungs_json(j, "branches", m->branches, ladder->branches);
    jsonout_end_object(j);
}
