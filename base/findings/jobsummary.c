#include "base/findings/jobsummary.h"

#include "base/markdown.h"

enum { TAIL_BYTES = 64 * 1024, NOTES = 20 };

/* Text from outside, for a cell or a line. */
static void put_text(struct str *out, const char *text) {
    struct str plain = {0};
    diagnostic_text(&plain, text, JOBSUMMARY_CELL);
    markdown_text(out, str_c(&plain));
    out->failed |= plain.failed;
    str_free(&plain);
}

static void put_place(struct str *out, const struct diagnostic *d) {
    struct str place = {0}, plain = {0};
    str_puts(&place, d->path);
    if (d->line > 0) str_printf(&place, ":%d", d->line);
    diagnostic_text(&plain, str_c(&place), JOBSUMMARY_CELL);
    if (plain.n) markdown_code(out, str_c(&plain));
    out->failed |= place.failed || plain.failed;
    str_free(&place);
    str_free(&plain);
}

static void put_row(struct str *out, const struct diagnostic *d) {
    static const char *const marks[DIAGNOSTIC_LEVELS] = {"note", "**warning**", "**error**"};
    str_printf(out, "| %s | ", marks[d->level]);
    put_place(out, d);
    str_puts(out, " | ");
    put_text(out, d->message);
    str_puts(out, " | ");
    put_text(out, d->mend);
    if (*d->url) {
        if (*d->mend) str_putc(out, ' ');
        markdown_link(out, "Read first.", d->url);
    }
    str_puts(out, " |\n");
}

static void put_table(struct str *out, const struct diagnostic_report *report, size_t start) {
    if (!report->n) return;
    str_puts(out, "| | Where | What | Mend |\n|---|---|---|---|\n");
    size_t i = 0;
    while (i < report->n && out->n - start < JOBSUMMARY_BYTES - TAIL_BYTES) put_row(out, &report->at[i++]);
    if (i < report->n)
        str_printf(out, "\n%zu more findings are left out: a summary holds at most 1 MiB.\n", report->n - i);
    str_putc(out, '\n');
}

void jobsummary_write(struct str *out, const struct diagnostic_report *report) {
    size_t start = out->n;
    str_puts(out, "## ");
    put_text(out, report->title);
    str_puts(out, "\n\n");
    if (*report->result) {
        put_text(out, report->result);
        str_puts(out, "\n\n");
    }
    put_table(out, report, start);
    for (size_t i = 0; i < report->n_notes && i < NOTES; i++) {
        str_puts(out, "- ");
        put_text(out, report->notes[i]);
        str_putc(out, '\n');
    }
    if (report->n_notes > NOTES) str_printf(out, "- and %zu more\n", report->n_notes - NOTES);
}
