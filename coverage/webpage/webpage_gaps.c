#include "base/html.h"
#include "coverage/webpage/webpage.h"

/* What a gap is about: its operation, and what of it. */
static void put_subject(struct str *out, const struct debt_gap *gap) {
    const char *parts[] = {gap->op, gap->path, gap->detail};
    bool any = false;
    for (size_t i = 0; i < 3; i++) {
        if (!*parts[i]) continue;
        if (any) str_puts(out, " · ");
        html_text(out, parts[i]);
        any = true;
    }
}

static void put_gap(struct str *out, const struct report *r, const struct debt_gap *gap) {
    struct origin origin = origin_of(&r->origins, gap);
    str_printf(out, "<li><details id=\"gap-%s\"><summary><span class=\"subject\">", gap->fingerprint);
    put_subject(out, gap);
    str_printf(out, "</span> <code class=\"muted\">%s</code></summary>\n<p>", gap->fingerprint);
    html_text(out, gap->what);
    str_puts(out, "</p>\n<p><strong>Mend:</strong> ");
    html_text(out, gap->mend);
    str_puts(out, "</p>\n");
    if (origin.line) {
        str_puts(out, "<p class=\"muted\">Written in <code>");
        html_text(out, origin.path);
        str_printf(out, ":%d</code></p>\n", origin.line);
    }
    str_puts(out, "</details></li>\n");
}

static void put_class(struct str *out, const struct report *r, size_t first, size_t n) {
    enum debt_class kind = r->debt->gaps[first].kind;
    str_printf(out, "<article class=\"gaps %s\">\n<h3>", kind < DEBT_SELECTED ? "bad" : "warn");
    html_text(out, debt_class_title(kind));
    str_printf(out, " <span class=\"count\">%zu</span></h3>\n", n);
    html_element(out, "p", "muted", debt_class_meaning(kind));
    str_puts(out, "\n<ul class=\"plain\">\n");
    for (size_t i = 0; i < n; i++) put_gap(out, r, &r->debt->gaps[first + i]);
    str_puts(out, "</ul>\n</article>\n");
}

static void put_accepted(struct str *out, const struct debt *debt) {
    if (!debt->n_accepted) return;
    str_printf(out,
               "<details class=\"gaps\"><summary>Accepted, with a reason <span "
               "class=\"count\">%zu</span></summary>\n<ul>\n",
               debt->n_accepted);
    for (size_t i = 0; i < debt->n_accepted; i++) {
        str_puts(out, "<li>");
        html_text(out, debt->accepted[i].gap.what);
        str_puts(out, "<br><span class=\"muted\">");
        html_text(out, debt->accepted[i].reason);
        str_puts(out, "</span></li>\n");
    }
    str_puts(out, "</ul></details>\n");
}

void webpage_gaps(struct str *out, const struct report *r) {
    webpage_section(out, "gaps", "Gaps", r->debt->n);
    if (!r->debt->n) str_puts(out, "<p>None: every kernel has its row, every row its proof.</p>\n");
    for (size_t i = 0, n; i < r->debt->n; i += n) {
        for (n = 1; i + n < r->debt->n && r->debt->gaps[i + n].kind == r->debt->gaps[i].kind;) n++;
        put_class(out, r, i, n);
    }
    put_accepted(out, r->debt);
    str_puts(out, "</section>\n");
}
