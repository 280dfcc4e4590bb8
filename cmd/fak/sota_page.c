#include "cmd/fak/sota_page.h"

#include "base/markdown.h"
#include "ladders/ladder.h"
#include "sotadb/credit.h"

enum { LABEL = 12 };

static enum term_style status_style(enum op_status status) {
    return status == OP_SHIPPED ? TERM_GREEN : status == OP_SELECTED ? TERM_YELLOW : TERM_DIM;
}

/* "label       text": nothing when there is no text. */
static void put_field(struct str *out, const struct term *term, const char *label, const char *text) {
    if (!*text) return;
    term_cell(out, term, TERM_CYAN, LABEL, label);
    term_fold(out, term, LABEL, text);
}

static void put_url(struct str *out, const struct term *term, const char *url) {
    struct str dim = {0};
    if (!*url) return;
    term_put(&dim, term, TERM_DIM, url);
    bool fits = LABEL + term_columns(url) <= term->width;
    str_printf(out, "%*s", fits ? LABEL : 2, "");
    term_link(out, term, url, str_c(&dim));
    str_putc(out, '\n');
    str_free(&dim);
}

/* A line to be copied is not folded. */
static void put_stamp(struct str *out, const struct term *term, const char *trailer) {
    bool fits = LABEL + term_columns(trailer) <= term->width;
    if (fits) term_cell(out, term, TERM_CYAN, LABEL, "stamp");
    else term_put(out, term, TERM_CYAN, "stamp");
    str_printf(out, "%s%s\n", fits ? "" : "\n  ", trailer);
}

static void put_reference(struct str *out, const struct term *term, const struct reference *row) {
    struct str text = {0};
    bool primary = row->kind == REFERENCE_PRIMARY;
    str_puts(&text, row->name);
    if (*row->note) str_printf(&text, ": %s", row->note);
    if (*row->checked_on) str_printf(&text, " (checked %s)", row->checked_on);
    put_field(out, term,
              primary                       ? "read first"
              : row->kind == REFERENCE_REPO ? "then"
                                            : "docs",
              str_c(&text));
    put_url(out, term, row->url);
    str_free(&text);
}

static void put_paper(struct str *out, const struct term *term, const struct paper *row) {
    struct str text = {0};
    str_printf(&text, "%s (%d), %s", row->title, row->year, row->id);
    put_field(out, term, "paper", str_c(&text));
    put_url(out, term, row->url);
    str_free(&text);
}

static void put_names(struct str *out, const char *before, const char *text) {
    if (out->n) str_puts(out, before);
    str_puts(out, text);
}

void sota_page_floor(struct str *out, const struct witness *lane) {
    if (*lane->floor_name) str_puts(out, lane->floor_name);
    if (*lane->floor_name && lane->state != FLOOR_NONE)
        str_printf(out, " >= %g, %s", lane->floor, floor_state_name(lane->state));
    if (*lane->floor_name && lane->state == FLOOR_NONE) str_puts(out, " has no value yet");
    str_printf(out, "%s%s", *lane->floor_name ? "; " : "", lane->metric);
}

static void put_witness(struct str *out, const struct term *term, const struct witness *lane) {
    struct str text = {0};
    str_printf(&text, "%s: ", lane->device);
    sota_page_floor(&text, lane);
    str_printf(&text, "; %s%s", *lane->test ? "test " : "no test yet", lane->test);
    if (*lane->acceptance) str_printf(&text, "; acceptance %s", lane->acceptance);
    put_field(out, term, "witness", str_c(&text));
    str_free(&text);
}

static void put_files(struct str *out, const struct term *term, const struct matrix *m, const struct op *op) {
    struct str text = {0};
    for (unsigned i = 0; i < op->paths.n; i++) {
        const struct op_path *row = &m->paths[op->paths.first + i];
        str_clear(&text);
        str_printf(&text, "%s (%s%s)", row->glob, path_role_name(row->role), row->planned ? ", planned" : "");
        if (*row->generates) str_printf(&text, ", generates %s", row->generates);
        put_field(out, term, i == 0 ? "files" : "", str_c(&text));
    }
    str_clear(&text);
    for (unsigned i = 0; i < op->symbols.n; i++)
        put_names(&text, ", ", m->symbols[op->symbols.first + i].pattern);
    put_field(out, term, "kernels", str_c(&text));
    str_free(&text);
}

static void put_aliases(struct str *out, const struct term *term, const struct op *op) {
    struct str text = {0};
    struct view alias, rest = view_of(op->aliases);
    while (matrix_next_alias(&alias, &rest))
        str_printf(&text, "%s%.*s", text.n ? ", " : "", (int)alias.n, alias.at);
    put_field(out, term, "also", str_c(&text));
    str_free(&text);
}

/* A command to copy: never folded. */
static void put_command(struct str *out, const char *command, const char *argument) {
    str_printf(out, "%*s%s %s\n", LABEL, "", command, argument);
}

static void put_pointers(struct str *out, const struct term *term, const struct matrix *m,
                         const struct op *op) {
    const struct ladder *ladder = *op->axis ? matrix_ladder(m, op->axis) : NULL;
    struct str text = {0};
    if (op->benches.n) {
        str_printf(&text, "%u row%s", op->benches.n, op->benches.n == 1 ? "" : "s");
        put_field(out, term, "bench", str_c(&text));
        put_command(out, "fak sota bench", op->slug);
    }
    str_clear(&text);
    if (ladder) {
        str_printf(&text, "%s: ", ladder->axis);
        ladder_put_rung(&text, ladder_current(m, ladder), "no rung yet");
        str_puts(&text, "; next ");
        ladder_put_rung(&text, ladder_next(m, ladder), "none, this is the top");
        put_field(out, term, "ladder", str_c(&text));
        put_command(out, "fak sota milestones", ladder->axis);
    }
    str_clear(&text);
    sota_page_trailer(&text, m, op);
    put_stamp(out, term, str_c(&text));
    str_free(&text);
}

void sota_page_trailer(struct str *out, const struct matrix *m, const struct op *op) {
    credit_line(out, op, matrix_primary(m, op));
}

void sota_page_head(struct str *out, const struct term *term, const struct op *op, const char *why) {
    term_put(out, term, TERM_BOLD, op->slug);
    str_puts(out, "  ");
    term_put(out, term, status_style(op->status), op_status_name(op->status));
    str_puts(out, "\n");
    term_fold(out, term, 0, op->title);
    if (!*why) return;
    str_puts(out, "matched by ");
    term_fold(out, term, 11, why);
}

static void put_route(struct str *out, const struct term *term, const struct op *op) {
    struct str text = {0};
    str_puts(&text, route_name(op->route));
    if (*op->route_note) str_printf(&text, ": %s", op->route_note);
    put_field(out, term, "route", str_c(&text));
    str_free(&text);
}

void sota_page_text(struct str *out, const struct term *term, const struct matrix *m, const struct op *op,
                    const char *why) {
    sota_page_head(out, term, op, why);
    str_putc(out, '\n');
    put_field(out, term, "does", op->summary);
    for (unsigned i = 0; i < op->references.n; i++)
        put_reference(out, term, &m->references[op->references.first + i]);
    for (unsigned i = 0; i < op->papers.n; i++) put_paper(out, term, &m->papers[op->papers.first + i]);
    put_route(out, term, op);
    put_field(out, term, "oracle", op->oracle);
    for (unsigned i = 0; i < op->witnesses.n; i++)
        put_witness(out, term, &m->witnesses[op->witnesses.first + i]);
    if (op->witnesses.n == 0)
        put_field(out, term, "witness", "none yet: nothing may be borrowed before it exists");
    put_field(out, term, "bottleneck", op->bottleneck);
    put_field(out, term, "kind",
              op->kind == OP_FORMAT ? "format and load prerequisite" : "kernel prerequisite");
    put_files(out, term, m, op);
    put_field(out, term, "selected", op->selection);
    put_field(out, term, "plan", op->plan);
    put_aliases(out, term, op);
    put_pointers(out, term, m, op);
}

void sota_page_brief(struct str *out, const struct term *term, const struct matrix *m, const struct op *op,
                     const char *why) {
    const struct reference *primary = matrix_primary(m, op);
    sota_page_head(out, term, op, why);
    if (primary) put_reference(out, term, primary);
    put_route(out, term, op);
    put_field(out, term, "oracle", op->oracle);
}

/* --- Markdown --- */

static void md_field(struct str *out, const char *label, const char *text) {
    if (!*text) return;
    str_printf(out, "**%s.** ", label);
    markdown_paragraphs(out, text);
}

void sota_page_markdown_references(struct str *out, const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->references.n; i++) {
        const struct reference *row = &m->references[op->references.first + i];
        str_puts(out, row->kind == REFERENCE_PRIMARY ? "* **Read first:** " : "* ");
        markdown_link(out, row->name, row->url);
        if (*row->note) str_puts(out, ": ");
        markdown_text(out, row->note);
        if (*row->checked_on) str_printf(out, " (checked %s)", row->checked_on);
        str_putc(out, '\n');
    }
    for (unsigned i = 0; i < op->papers.n; i++) {
        const struct paper *row = &m->papers[op->papers.first + i];
        str_puts(out, "* ");
        markdown_link(out, row->title, row->url);
        str_printf(out, " (%d), %s\n", row->year, row->id);
    }
    if (op->references.n + op->papers.n) str_putc(out, '\n');
}

void sota_page_markdown_witnesses(struct str *out, const struct matrix *m, const struct op *op) {
    if (op->witnesses.n == 0) {
        str_puts(out, "No witness yet: nothing may be borrowed before it exists.\n\n");
        return;
    }
    str_puts(out, "| Device | Floor | Test | Acceptance |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *lane = &m->witnesses[op->witnesses.first + i];
        struct str floor = {0};
        sota_page_floor(&floor, lane);
        str_printf(out, "| %s | ", lane->device);
        markdown_text(out, str_c(&floor));
        str_puts(out, " | ");
        if (*lane->test) markdown_code(out, lane->test);
        else str_puts(out, "none yet");
        str_puts(out, " | ");
        if (*lane->acceptance) markdown_code(out, lane->acceptance);
        str_puts(out, " |\n");
        str_free(&floor);
    }
    str_putc(out, '\n');
}

static void md_files(struct str *out, const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->paths.n; i++) {
        const struct op_path *row = &m->paths[op->paths.first + i];
        str_puts(out, "* ");
        markdown_code(out, row->glob);
        str_printf(out, " (%s%s)\n", path_role_name(row->role), row->planned ? ", planned" : "");
    }
    if (op->paths.n) str_putc(out, '\n');
}

void sota_page_markdown(struct str *out, const struct matrix *m, const struct op *op, const char *why) {
    const struct ladder *ladder = *op->axis ? matrix_ladder(m, op->axis) : NULL;
    str_puts(out, "## ");
    markdown_text(out, op->title);
    str_printf(out, " (`%s`, %s)\n\n", op->slug, op_status_name(op->status));
    md_field(out, "Matched by", why);
    md_field(out, "Does", op->summary);
    sota_page_markdown_references(out, m, op);
    str_printf(out, "**Route.** `%s`", route_name(op->route));
    if (*op->route_note) str_puts(out, ": ");
    markdown_text(out, op->route_note);
    str_puts(out, "\n\n");
    md_field(out, "Oracle", op->oracle);
    sota_page_markdown_witnesses(out, m, op);
    md_field(out, "Bottleneck", op->bottleneck);
    md_files(out, m, op);
    md_field(out, "Selected, not shipped", op->selection);
    md_field(out, "Plan", op->plan);
    if (ladder) str_printf(out, "Ladder: `fak sota milestones %s`\n", ladder->axis);
}
