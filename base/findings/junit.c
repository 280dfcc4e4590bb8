#include "base/findings/junit.h"

/* For attributes and content alike: in an attribute a line break would be read as a blank, and `>` ends a
 * "]]>". */
static void put_escaped(struct str *out, const char *text) {
    struct str plain = {0};
    diagnostic_text(&plain, text, JUNIT_CHARACTERS);
    for (size_t i = 0; i < plain.n; i++) {
        switch (plain.at[i]) {
        case '&': str_puts(out, "&amp;"); break;
        case '<': str_puts(out, "&lt;"); break;
        case '>': str_puts(out, "&gt;"); break;
        case '"': str_puts(out, "&quot;"); break;
        case '\n': str_puts(out, "&#10;"); break;
        case '\t': str_puts(out, "&#9;"); break;
        default: str_putc(out, plain.at[i]);
        }
    }
    out->failed |= plain.failed;
    str_free(&plain);
}

static void put_attribute(struct str *out, const char *name, const char *text) {
    str_printf(out, " %s=\"", name);
    put_escaped(out, text);
    str_putc(out, '"');
}

/* "kernels/a.cu:12 (1a2b3c4d5e6f)": unlike all others, whatever the message says. */
static void put_name(struct str *out, const struct diagnostic *d) {
    struct str name = {0};
    if (*d->path) str_puts(&name, d->path);
    else str_puts(&name, d->rule->id);
    if (d->line > 0) str_printf(&name, ":%d", d->line);
    str_printf(&name, " (%s)", d->fingerprint);
    put_attribute(out, "name", str_c(&name));
    out->failed |= name.failed;
    str_free(&name);
}

static void put_case(struct str *out, const struct diagnostic_report *report, const struct diagnostic *d) {
    const char *element = d->level == DIAGNOSTIC_NOTE ? "skipped" : "failure";
    struct str class = {0}, body = {0};
    str_printf(&class, "%s.%s", report->category, d->rule->id);
    str_puts(out, "    <testcase");
    put_attribute(out, "classname", str_c(&class));
    put_name(out, d);
    if (*d->path) {
        put_attribute(out, "file", d->path);
        str_printf(out, " line=\"%d\"", d->line > 0 ? d->line : 1);
    }
    str_printf(out, " time=\"0\">\n      <%s", element);
    put_attribute(out, "message", d->message);
    if (d->level != DIAGNOSTIC_NOTE) put_attribute(out, "type", diagnostic_level_name(d->level));
    str_puts(out, ">");
    str_puts(&body, d->mend);
    if (*d->url) str_printf(&body, "%sRead first: %s", body.n ? "\n" : "", d->url);
    put_escaped(out, str_c(&body));
    str_printf(out, "</%s>\n    </testcase>\n", element);
    out->failed |= class.failed || body.failed;
    str_free(&class);
    str_free(&body);
}

static void put_passed(struct str *out, const struct diagnostic_report *report, const char *name) {
    str_puts(out, "    <testcase");
    put_attribute(out, "classname", report->category);
    put_attribute(out, "name", name);
    str_puts(out, " time=\"0\"/>\n");
}

static void put_notes(struct str *out, const struct diagnostic_report *report) {
    struct str notes = {0};
    if (*report->result) str_printf(&notes, "%s\n", report->result);
    for (size_t i = 0; i < report->n_notes; i++) str_printf(&notes, "%s\n", report->notes[i]);
    if (notes.n) {
        str_puts(out, "    <system-out>");
        put_escaped(out, str_c(&notes));
        str_puts(out, "</system-out>\n");
    }
    out->failed |= notes.failed;
    str_free(&notes);
}

void junit_write(struct str *out, const struct diagnostic_report *report) {
    size_t skipped = diagnostic_count(report, DIAGNOSTIC_NOTE), total = report->n + report->n_passed;
    struct str counts = {0};
    str_printf(&counts, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\">\n", total,
               report->n - skipped, skipped);
    str_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_attribute(out, "name", report->tool);
    str_puts(out, str_c(&counts));
    str_puts(out, "  <testsuite");
    put_attribute(out, "name", report->title);
    str_puts(out, str_c(&counts));
    for (size_t i = 0; i < report->n; i++) put_case(out, report, &report->at[i]);
    for (size_t i = 0; i < report->n_passed; i++) put_passed(out, report, report->passed[i]);
    put_notes(out, report);
    str_puts(out, "  </testsuite>\n</testsuites>\n");
    out->failed |= counts.failed;
    str_free(&counts);
}
