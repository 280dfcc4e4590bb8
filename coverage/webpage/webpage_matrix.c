#include "base/html.h"
#include "coverage/webpage/webpage.h"

#include <string.h>

/* The filter works by webpage.js, which shows it; without scripts the whole table stands there. */
static void put_filter(struct str *out) {
    str_puts(
        out,
        "<form id=\"filter\" role=\"search\" hidden>\n"
        "<label>Find <input type=\"search\" name=\"q\" autocomplete=\"off\" "
        "placeholder=\"attention, awq, marlin …\"></label>\n"
        "<label>Status <select name=\"status\"><option value=\"\">any</option><option>shipped</option>"
        "<option>selected</option><option>planned</option></select></label>\n"
        "<label>Route <select name=\"route\"><option value=\"\">any</option><option>stay-minimal</option>"
        "<option>bind</option><option>borrow</option></select></label>\n"
        "<label class=\"tick\"><input type=\"checkbox\" name=\"gaps\" value=\"1\"> with gaps only</label>\n"
        "<output name=\"found\" aria-live=\"polite\"></output>\n</form>\n");
}

static size_t gaps_of(const struct debt *debt, const struct op *op) {
    size_t n = 0;
    for (size_t i = 0; i < debt->n; i++) n += strcmp(debt->gaps[i].op, op->slug) == 0;
    return n;
}

static void put_fact(struct str *out, const char *label, const char *text) {
    if (!*text) return;
    html_element(out, "dt", "", label);
    str_puts(out, "<dd>");
    html_lines(out, text);
    str_puts(out, "</dd>\n");
}

static void put_references(struct str *out, const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->references.n; i++) {
        const struct reference *row = &m->references[op->references.first + i];
        html_element(out, "dt", "", row->kind == REFERENCE_PRIMARY ? "Read first" : "Then");
        str_puts(out, "<dd>");
        html_link(out, row->name, row->url);
        if (*row->note) str_puts(out, ": ");
        html_text(out, row->note);
        str_puts(out, "</dd>\n");
    }
    for (unsigned i = 0; i < op->papers.n; i++) {
        const struct paper *row = &m->papers[op->papers.first + i];
        str_puts(out, "<dt>Paper</dt><dd>");
        html_link(out, row->title, row->url);
        str_printf(out, " (%d)</dd>\n", row->year);
    }
}

static void put_files(struct str *out, const struct matrix *m, const struct op *op) {
    if (!op->paths.n) return;
    str_puts(out, "<dt>Files</dt><dd>");
    for (unsigned i = 0; i < op->paths.n; i++) {
        const struct op_path *row = &m->paths[op->paths.first + i];
        if (i) str_puts(out, "<br>");
        html_element(out, "code", "", row->glob);
        if (row->planned) str_puts(out, " <span class=\"muted\">planned</span>");
    }
    str_puts(out, "</dd>\n");
}

static void put_details(struct str *out, const struct matrix *m, const struct op *op) {
    str_puts(out, "<details><summary><code>");
    html_text(out, op->slug);
    str_puts(out, "</code> <span class=\"title\">");
    html_text(out, op->title);
    str_puts(out, "</span></summary>\n");
    html_element(out, "p", "", op->summary);
    str_puts(out, "\n<dl class=\"facts\">\n");
    put_fact(out, "Why this route", op->route_note);
    put_fact(out, "Bottleneck", op->bottleneck);
    put_fact(out, "Oracle", op->oracle);
    put_fact(out, "Selected", op->selection);
    put_fact(out, "Plan", op->plan);
    put_references(out, m, op);
    put_files(out, m, op);
    str_puts(out, "</dl></details>");
}

static void put_witnesses(struct str *out, const struct matrix *m, const struct op *op) {
    str_puts(out, "<td data-label=\"Proof\"><div>");
    if (!op->witnesses.n) str_puts(out, "<span class=\"bad\">none</span>");
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *row = &m->witnesses[op->witnesses.first + i];
        str_puts(out, "<span class=\"lane\">");
        html_text(out, row->device);
        str_puts(out, " <span class=\"muted\">");
        html_text(out, row->metric);
        if (row->state != FLOOR_NONE) str_printf(out, " %g %s", row->floor, floor_state_name(row->state));
        if (row->planned) str_puts(out, ", planned");
        str_puts(out, "</span></span> ");
    }
    str_puts(out, "</div></td>\n");
}

static void put_row(struct str *out, const struct report *r, const struct op *op, size_t n_kernels) {
    const struct reference *primary = matrix_primary(r->matrix, op);
    size_t n_gaps = gaps_of(r->debt, op);
    str_puts(out, "<tr id=\"op-");
    html_text(out, op->slug);
    str_printf(out, "\" data-status=\"%s\" data-route=\"%s\" data-gaps=\"%zu\">\n<th scope=\"row\">",
               op_status_name(op->status), route_name(op->route), n_gaps);
    put_details(out, r->matrix, op);
    str_printf(out, "</th>\n<td data-label=\"Status\"><span class=\"badge %s\">%s</span></td>\n",
               op_status_name(op->status), op_status_name(op->status));
    str_printf(out, "<td data-label=\"Route\">%s</td>\n<td data-label=\"Read first\">",
               route_name(op->route));
    if (primary) html_link(out, primary->name, primary->url);
    else str_puts(out, "<span class=\"bad\">none</span>");
    str_puts(out, "</td>\n");
    put_witnesses(out, r->matrix, op);
    str_printf(out,
               "<td data-label=\"Kernels\" class=\"n\">%zu</td>\n<td data-label=\"Gaps\" "
               "class=\"n%s\">%zu</td>\n</tr>\n",
               n_kernels, n_gaps ? " warn" : "", n_gaps);
}

void webpage_matrix(struct str *out, const struct report *r, const struct scorecard_tally *tally) {
    webpage_section(out, "matrix", "Matrix", r->matrix->n_ops);
    put_filter(out);
    str_puts(out,
             "<table id=\"ops\">\n<caption class=\"muted\">One row an operation; open it for references, "
             "papers and files.</caption>\n<thead><tr>");
    static const char *const columns[] = {"Operation", "Status",  "Route", "Read first",
                                          "Proof",     "Kernels", "Gaps"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        str_printf(out, "<th scope=\"col\"%s>%s</th>", i >= 5 ? " class=\"n\"" : "", columns[i]);
    str_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < r->matrix->n_ops; i++) put_row(out, r, &r->matrix->ops[i], tally->by_op[i]);
    str_puts(out, "</tbody>\n</table>\n</section>\n");
}
