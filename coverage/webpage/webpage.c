#include "coverage/webpage/webpage.h"

#include "base/html.h"

void webpage_section(struct str *out, const char *id, const char *title, size_t n) {
    str_printf(out, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">", id, id, id);
    html_text(out, title);
    str_printf(out, " <span class=\"count\">%zu</span></h2>\n", n);
}

void webpage_op_link(struct str *out, const char *slug) {
    str_puts(out, "<a href=\"#op-");
    html_text(out, slug);
    str_puts(out, "\"><code>");
    html_text(out, slug);
    str_puts(out, "</code></a>");
}

static void put_head(struct str *out, const struct report *r, const struct webpage_about *about) {
    str_puts(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    html_text(out, about->name);
    str_printf(out, ": sota_debt %zu</title>\n<style>\n", r->debt->n);
    str_add(out, about->style.at, about->style.n);
    str_puts(out, "</style>\n</head>\n");
}

static void put_top(struct str *out, const struct report *r, const struct webpage_about *about) {
    str_puts(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>\n"
                  "<h1>Prior art of <span class=\"name\">");
    html_text(out, about->name);
    str_puts(out, "</span></h1>\n<p class=\"muted\">");
    html_text(out, about->revision);
    str_puts(out, " · matrix: ");
    html_text(out, r->matrix->source);
    str_printf(out, " · %zu files read, %zu with kernels</p>\n", r->survey->n_scanned, r->survey->n_files);
    str_puts(out, "<nav aria-label=\"Sections\"><ul>");
    if (*about->plot || *about->no_plot) str_puts(out, "<li><a href=\"#history\">History</a></li>");
    str_puts(out, "<li><a href=\"#gaps\">Gaps</a></li><li><a href=\"#matrix\">Matrix</a></li><li><a "
                  "href=\"#kernels\">Kernels</a></li>"
                  "<li><a href=\"#ladders\">Ladders</a></li></ul></nav>\n</header>\n<main id=\"main\" "
                  "tabindex=\"-1\">\n");
}

static void put_card(struct str *out, const char *class, const char *label, const char *value,
                     const char *note) {
    str_printf(out, "<div class=\"card %s\">", class);
    html_element(out, "dt", "", label);
    html_element(out, "dd", "big", value);
    html_element(out, "dd", "muted", note);
    str_puts(out, "</div>\n");
}

static size_t n_shipped(const struct matrix *m) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_ops; i++) n += m->ops[i].status == OP_SHIPPED;
    return n;
}

static void put_score(struct str *out, const struct report *r) {
    const struct debt *debt = r->debt;
    struct str value = {0}, note = {0};
    str_puts(out, "<dl class=\"score\">\n");
    str_printf(&value, "%zu", debt->n);
    put_card(out, debt->n ? "warn" : "good", "sota_debt", str_c(&value),
             debt->n ? "gaps, each with its smallest mend below" : "no gap");
    str_clear(&value);
    if (debt->n_kernels) {
        str_printf(&value, "%d %%", debt_grade(debt));
        str_printf(&note, "%zu of %zu kernels without a gap", debt->n_clean, debt->n_kernels);
    } else {
        str_puts(&value, "–");
        str_puts(&note, "no kernel found in this tree");
    }
    put_card(out, "", "grade", str_c(&value), str_c(&note));
    str_clear(&value);
    str_printf(&value, "%zu / %zu", n_shipped(r->matrix), r->matrix->n_ops);
    put_card(out, "", "operations shipped", str_c(&value), "with a witness that runs");
    str_puts(out, "</dl>\n");
    out->failed |= value.failed | note.failed;
    str_free(&value);
    str_free(&note);
}

static void put_history(struct str *out, const struct webpage_about *about) {
    if (!*about->plot && !*about->no_plot) return;
    str_puts(out,
             "<section id=\"history\" aria-labelledby=\"h-history\">\n<h2 id=\"h-history\">History</h2>\n");
    if (*about->plot) {
        str_puts(out, "<figure class=\"plot\" tabindex=\"0\" aria-label=\"The debt over time\">\n");
        str_puts(out, about->plot);
        str_puts(out, "</figure>\n<p class=\"muted\">Who added and who paid what: <code>sota-coverage "
                      "history</code></p>\n");
    } else {
        str_puts(out, "<p class=\"muted\">No plot: ");
        html_text(out, about->no_plot);
        str_puts(out, "</p>\n");
    }
    str_puts(out, "</section>\n");
}

static void put_refused(struct str *out, const struct survey *survey) {
    if (!survey->n_refused) return;
    webpage_section(out, "not-analysed", "Not analysed", survey->n_refused);
    str_puts(out, "<ul>\n");
    for (size_t i = 0; i < survey->n_refused; i++) {
        str_puts(out, "<li>");
        html_element(out, "code", "", survey->refused[i].path);
        str_puts(out, ": ");
        html_text(out, survey->refused[i].not_analysed);
        str_puts(out, "</li>\n");
    }
    str_puts(out, "</ul>\n</section>\n");
}

void webpage_html(struct str *out, const struct report *r, const struct webpage_about *about) {
    struct scorecard_tally tally;
    if (!scorecard_tally(&tally, r)) {
        out->failed = true;
        return;
    }
    put_head(out, r, about);
    put_top(out, r, about);
    put_score(out, r);
    put_history(out, about);
    webpage_gaps(out, r);
    webpage_matrix(out, r, &tally);
    webpage_kernels(out, r, &tally);
    webpage_ladders(out, r->matrix);
    put_refused(out, r->survey);
    str_puts(out, "</main>\n<script>\n");
    str_add(out, about->script.at, about->script.n);
    str_puts(out, "</script>\n</body>\n</html>\n");
    scorecard_tally_free(&tally);
}
