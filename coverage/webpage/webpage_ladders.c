#include "base/html.h"
#include "coverage/webpage/webpage.h"

static void put_technique(struct str *out, const struct rung *rung) {
    html_link(out, rung->technique, rung->url);
    str_printf(out, " <span class=\"muted\">%d</span><br>", rung->year);
    html_text(out, rung->change);
}

static void put_rung(struct str *out, const struct matrix *m, const struct ladder *ladder,
                     const struct rung *rung) {
    bool here = rung->level == ladder->fak_rung, next = rung->level == ladder->fak_rung + 1;
    str_printf(out, "<li value=\"%d\"%s>", rung->level,
               here   ? " class=\"here\" aria-current=\"step\""
               : next ? " class=\"next\""
                      : "");
    if (here || next)
        str_printf(out, "<span class=\"badge %s\">%s</span> ", here ? "shipped" : "selected",
                   here ? "we stand here" : "next");
    put_technique(out, rung);
    for (unsigned i = 0; i < ladder->branches.n; i++) {
        const struct rung *branch = &m->branches[ladder->branches.first + i];
        if (branch->level != rung->level) continue;
        str_puts(out, "<p class=\"branch\">beside it: ");
        put_technique(out, branch);
        str_puts(out, "</p>");
    }
    str_puts(out, "</li>\n");
}

static void put_ladder(struct str *out, const struct matrix *m, const struct ladder *ladder) {
    str_puts(out, "<article class=\"ladder\">\n");
    html_element(out, "h3", "", ladder->title);
    str_puts(out, "\n<p>");
    html_text(out, *ladder->position ? ladder->position : "No rung yet.");
    str_puts(out, "</p>\n");
    if (*ladder->op) {
        str_puts(out, "<p class=\"muted\">Backed by the witness of ");
        webpage_op_link(out, ladder->op);
        str_puts(out, "</p>\n");
    }
    str_puts(out, "<ol>\n");
    for (unsigned i = 0; i < ladder->rungs.n; i++)
        put_rung(out, m, ladder, &m->rungs[ladder->rungs.first + i]);
    str_puts(out, "</ol>\n</article>\n");
}

void webpage_ladders(struct str *out, const struct matrix *m) {
    webpage_section(out, "ladders", "Ladders", m->n_ladders);
    if (!m->n_ladders) str_puts(out, "<p>This matrix has no ladder.</p>\n");
    str_puts(out, "<div class=\"ladders\">\n");
    for (size_t i = 0; i < m->n_ladders; i++) put_ladder(out, m, &m->ladders[i]);
    str_puts(out, "</div>\n</section>\n");
}
