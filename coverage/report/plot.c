#include "coverage/report/plot.h"

#include "base/findings/diagnostic.h"
#include "coverage/report/account.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 16:9, in the units of the picture. */
enum {
    WIDTH = 1280,
    HEIGHT = 720,
    LEFT = 96,
    RIGHT = 1120,
    TOP = 140,
    MIDDLE = 404,
    LOW = 460,
    BOTTOM = 644
};

struct point {
    int x;
    uint32_t debt, kernels, clean;
};

struct plot {
    struct str *out;
    const struct ledger *l;
    int64_t from, to; /* seconds */
    struct point *points;
    size_t n;
    uint32_t most_debt, most_kernels; /* the tops of the axes */
};

/* --- points ------------------------------------------------------------------------------------------------
 */

static int x_of(const struct plot *p, int64_t time) {
    if (p->to <= p->from) return RIGHT;
    if (time < p->from) time = p->from;
    if (time > p->to) time = p->to;
    return LEFT + (int)((double)(time - p->from) / (double)(p->to - p->from) * (RIGHT - LEFT));
}

static double y_of(uint32_t value, uint32_t most, int top, int bottom) {
    return bottom - (double)value / most * (bottom - top);
}

/* The axis ends at 1, 2 or 5 times a power of ten divided into whole steps. */
static uint32_t step_of(uint32_t most) {
    uint32_t step = 1, parts = most > 3 ? 4 : 1;
    static const uint32_t times[] = {2, 5, 10};
    for (uint32_t ten = 1; step * parts < most && ten < 100000000; ten *= 10)
        for (int i = 0; i < 3 && step * parts < most; i++) step = ten * times[i];
    return step;
}

static uint32_t top_of(uint32_t most) {
    uint32_t step = step_of(most ? most : 1);
    return (most / step + (most % step != 0 || !most)) * step;
}

/* Clocks may lie: time never runs back along the line. */
static bool read_points(struct plot *p) {
    const struct ledger *l = p->l;
    int64_t now = 0;
    uint32_t debt = 0, kernels = 0;
    p->points = calloc(l->n_mainline + 1, sizeof *p->points);
    if (!p->points) return false;
    for (size_t i = 0; i < l->n_mainline; i++) {
        const struct ledger_sheet *s = l->entries[l->mainline[i]].sheet;
        int64_t time = l->log.commits[l->mainline[i]].time;
        if (!s->known) continue;
        if (!p->n && !p->from) p->from = now = time;
        if (time > now) now = time;
        p->to = now;
    }
    now = p->from;
    for (size_t i = 0; i < l->n_mainline; i++) {
        const struct ledger_sheet *s = l->entries[l->mainline[i]].sheet;
        int64_t time = l->log.commits[l->mainline[i]].time;
        if (!s->known) continue;
        if (time > now) now = time;
        struct point point = {x_of(p, now), s->n_gaps, s->n_kernels, s->n_clean};
        if (p->n && p->points[p->n - 1].x == point.x) p->n--;
        p->points[p->n++] = point;
        if (s->n_gaps > debt) debt = s->n_gaps;
        if (s->n_kernels > kernels) kernels = s->n_kernels;
    }
    p->most_debt = top_of(debt);
    p->most_kernels = top_of(kernels);
    return true;
}

/* --- drawing --- */

static void put_escaped(struct str *out, const char *text, size_t limit) {
    struct str clean = {0};
    diagnostic_text(&clean, text, limit);
    for (const char *c = str_c(&clean); *c; c++) {
        if (*c == '<') str_puts(out, "&lt;");
        else if (*c == '>') str_puts(out, "&gt;");
        else if (*c == '&') str_puts(out, "&amp;");
        else if (*c == '"') str_puts(out, "&quot;");
        else str_putc(out, *c);
    }
    str_free(&clean);
}

/* 12345 as "12,345" */
static void put_number(struct str *out, uint32_t n) {
    char digits[16], grouped[24];
    int length = 0, used = 0;
    do digits[length++] = (char)('0' + n % 10);
    while (n /= 10);
    for (int i = length; i > 0; i--) {
        grouped[used++] = digits[i - 1];
        if (i > 1 && (i - 1) % 3 == 0) grouped[used++] = ',';
    }
    str_add(out, grouped, (size_t)used);
}

static void put_axis(struct plot *p, uint32_t most, int top, int bottom) {
    uint32_t step = step_of(most);
    for (uint32_t v = 0; v <= most; v += step) {
        double y = y_of(v, most, top, bottom);
        str_printf(p->out, "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                   v ? "grid" : "base", LEFT, RIGHT, y, y);
        str_printf(p->out, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 12, y + 5);
        put_number(p->out, v);
        str_puts(p->out, "</text>\n");
    }
}

static uint32_t value_of(const struct point *point, int what) {
    return what == 0 ? point->debt : what == 1 ? point->kernels : point->clean;
}

/* A line of steps: a value holds until the next commit. */
static void put_steps(struct plot *p, int what, uint32_t most, int top, int bottom) {
    for (size_t i = 0; i < p->n; i++) {
        double y = y_of(value_of(&p->points[i], what), most, top, bottom);
        if (i == 0) str_printf(p->out, "M%d %.1f", p->points[i].x, y);
        else str_printf(p->out, "H%dV%.1f", p->points[i].x, y);
    }
    str_printf(p->out, "H%d", RIGHT);
}

static void put_area(struct plot *p, int what, const char *class, uint32_t most, int top, int bottom) {
    str_printf(p->out, "<path class=\"%s-area\" d=\"", class);
    put_steps(p, what, most, top, bottom);
    str_printf(p->out, "V%dH%dZ\"/>\n<path class=\"%s-line\" d=\"", bottom, p->points[0].x, class);
    put_steps(p, what, most, top, bottom);
    str_puts(p->out, "\"/>\n");
}

static void put_end(struct plot *p, int what, const char *class, const char *word, uint32_t most, int top,
                    int bottom, double least) {
    uint32_t value = value_of(&p->points[p->n - 1], what);
    double y = y_of(value, most, top, bottom);
    str_printf(p->out, "<circle class=\"%s-dot\" cx=\"%d\" cy=\"%.1f\" r=\"5\"/>", class, RIGHT, y);
    if (y > least) y = least;
    str_printf(p->out, "<text class=\"%s-text value\" x=\"%d\" y=\"%.1f\">", class, RIGHT + 16, y + 2);
    put_number(p->out, value);
    str_printf(p->out, "</text><text class=\"%s-text word\" x=\"%d\" y=\"%.1f\">%s</text>\n", class,
               RIGHT + 16, y + 22, word);
}

static int64_t seconds_of(int year, int month) {
    struct tm day = {.tm_year = year - 1900, .tm_mon = month, .tm_mday = 1};
    return (int64_t)timegm(&day);
}

/* Years, or where there are less than three of them, months, or days. */
static void put_times(struct plot *p) {
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t from = (time_t)p->from;
    struct tm first;
    if (!gmtime_r(&from, &first)) return;
    int64_t day = 86400, span = p->to - p->from;
    int months = span > 3 * 365 * day ? 12 : span > 365 * day ? 3 : 1;
    int last = -1000, year = first.tm_year + 1900, month = first.tm_mon / months * months, shown = 0;
    for (int i = 0; i < 400; i++, month += months) {
        int64_t at = seconds_of(year + month / 12, month % 12);
        if (at > p->to) break;
        int x = x_of(p, at);
        if (at < p->from || x < last + 56) continue;
        last = x;
        shown++;
        str_printf(p->out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", x, x, TOP,
                   BOTTOM);
        str_printf(p->out, "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">", x, BOTTOM + 26);
        if (months == 12 || month % 12 == 0) str_printf(p->out, "%d</text>\n", year + month / 12);
        else str_printf(p->out, "%s</text>\n", names[month % 12]);
    }
    if (shown > 1) return; /* too short for months: its two ends */
    char date[ACCOUNT_DATE];
    str_printf(p->out, "<text class=\"tick\" x=\"%d\" y=\"%d\">%s</text>", LEFT, BOTTOM + 48,
               account_date(date, p->from));
    str_printf(p->out, "<text class=\"tick\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", RIGHT,
               BOTTOM + 48, account_date(date, p->to));
}

static void put_style(struct str *out) {
    str_puts(
        out,
        "<style>"
        ".debt-plot{font-family:Inter,'Helvetica Neue',Helvetica,Arial,'Liberation Sans','DejaVu "
        "Sans',sans-serif}"
        ".debt-plot .paper{fill:#fff}"
        ".debt-plot .title{font-size:34px;font-weight:600;fill:#111827}"
        ".debt-plot .sub{font-size:19px;fill:#4b5563}"
        ".debt-plot .head{font-size:18px;font-weight:600;fill:#374151}"
        ".debt-plot .tick{font-size:16px;fill:#6b7280}"
        ".debt-plot .grid{stroke:#e5e7eb;stroke-width:1}.debt-plot .base{stroke:#9ca3af;stroke-width:1.5}"
        ".debt-plot .value{font-size:30px;font-weight:600}.debt-plot .word{font-size:16px}"
        ".debt-plot .debt-area{fill:#fde4d8}"
        ".debt-plot .debt-line{fill:none;stroke:#c2410c;stroke-width:3;stroke-linejoin:round}"
        ".debt-plot .debt-dot,.debt-plot .debt-text{fill:#c2410c}"
        ".debt-plot .all-area{fill:#e2e8f0}.debt-plot .all-line{fill:none;stroke:#64748b;stroke-width:2.5}"
        ".debt-plot .all-dot,.debt-plot .all-text{fill:#475569}"
        ".debt-plot .clean-area{fill:#bfe6d3}.debt-plot "
        ".clean-line{fill:none;stroke:#047857;stroke-width:2.5}"
        ".debt-plot .clean-dot,.debt-plot .clean-text{fill:#047857}"
        "</style>\n");
}

static const char *repository_name(const struct tree *tree) {
    const char *slash = strrchr(tree->folder, '/');
    return slash && slash[1] ? slash + 1 : tree->folder;
}

static void put_head(struct plot *p, const struct tree *tree) {
    char from[ACCOUNT_DATE], to[ACCOUNT_DATE];
    const struct ledger_sheet *now = p->l->entries[0].sheet;
    struct str *out = p->out;
    str_printf(out,
               "<svg class=\"debt-plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
               "width=\"%d\" height=\"%d\" "
               "role=\"img\" "
               "aria-labelledby=\"plot-title plot-desc\">\n<title id=\"plot-title\">Prior-art debt of ",
               WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_escaped(out, repository_name(tree), 60);
    str_printf(out,
               "</title>\n<desc id=\"plot-desc\">%zu commits; the debt is now %u, and %u of %u kernels are "
               "without a gap.</desc>\n",
               p->l->log.n, now->n_gaps, now->n_clean, now->n_kernels);
    put_style(out);
    str_printf(out,
               "<rect width=\"%d\" height=\"%d\" class=\"paper\"/>\n<text class=\"title\" x=\"%d\" "
               "y=\"56\">Prior-art debt of ",
               WIDTH, HEIGHT, LEFT - 48);
    put_escaped(out, repository_name(tree), 60);
    str_printf(out, "</text>\n<text class=\"sub\" x=\"%d\" y=\"88\">", LEFT - 48);
    put_number(out, (uint32_t)p->l->log.n);
    str_printf(out, " commits, %s to %s, %s</text>\n", account_date(from, p->from), account_date(to, p->to),
               p->l->own_matrices ? "each held to its own matrix" : "all held to one matrix");
}

static void put_panels(struct plot *p) {
    struct str *out = p->out;
    const struct point *end = &p->points[p->n - 1];
    str_printf(out, "<text class=\"head\" x=\"%d\" y=\"%d\">sota_debt: gaps that nobody has closed</text>\n",
               LEFT, TOP - 14);
    put_axis(p, p->most_debt, TOP, MIDDLE);
    put_times(p);
    put_area(p, 0, "debt", p->most_debt, TOP, MIDDLE);
    put_end(p, 0, "debt", end->debt == 1 ? "gap" : "gaps", p->most_debt, TOP, MIDDLE, MIDDLE - 12);
    str_printf(out, "<text class=\"head\" x=\"%d\" y=\"%d\">kernels, and those without a gap</text>\n", LEFT,
               LOW - 14);
    put_axis(p, p->most_kernels, LOW, BOTTOM);
    put_area(p, 1, "all", p->most_kernels, LOW, BOTTOM);
    put_area(p, 2, "clean", p->most_kernels, LOW, BOTTOM);
    double clean = y_of(end->clean, p->most_kernels, LOW, BOTTOM);
    if (clean > BOTTOM - 12) clean = BOTTOM - 12;
    put_end(p, 2, "clean", "without a gap", p->most_kernels, LOW, BOTTOM, BOTTOM - 12);
    if (end->kernels != end->clean)
        put_end(p, 1, "all", end->kernels == 1 ? "kernel" : "kernels", p->most_kernels, LOW, BOTTOM,
                clean - 54);
}

void plot_svg(struct str *out, const struct ledger *ledger, const struct tree *tree) {
    struct plot p = {.out = out, .l = ledger};
    if (!read_points(&p)) {
        out->failed = true;
        return;
    }
    put_head(&p, tree);
    if (p.n) put_panels(&p);
    else
        str_printf(out,
                   "<text class=\"sub\" x=\"%d\" y=\"%d\">No commit of this history has a matrix.</text>\n",
                   LEFT, TOP);
    str_puts(out, "</svg>\n");
    free(p.points);
}
