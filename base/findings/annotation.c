#include "base/findings/annotation.h"

#include <string.h>

/* `special` are the bytes that end a property or a command. */
static void put_encoded(struct str *out, const char *text, size_t limit, const char *special) {
    struct str plain = {0};
    diagnostic_text(&plain, text, limit);
    for (size_t i = 0; i < plain.n; i++) {
        char c = plain.at[i];
        if (strchr(special, c)) str_printf(out, "%%%02X", (unsigned char)c);
        else str_putc(out, c);
    }
    out->failed |= plain.failed;
    str_free(&plain);
}

static void put_property(struct str *out, const char *text, size_t limit) {
    put_encoded(out, text, limit, "%\r\n:,");
}

static const char *type_of(enum diagnostic_level level) {
    return level == DIAGNOSTIC_NOTE ? "notice" : diagnostic_level_name(level);
}

static void put_title(struct str *out, const struct diagnostic_report *report, const char *rule) {
    struct str title = {0};
    str_printf(&title, "%s: %s", report->tool, rule);
    str_puts(out, "title=");
    put_property(out, str_c(&title), ANNOTATION_TITLE);
    str_free(&title);
}

static void put_finding(struct str *out, const struct diagnostic_report *report, const struct diagnostic *d) {
    struct str text = {0};
    str_puts(&text, d->message);
    if (*d->mend) str_printf(&text, "\n%s", d->mend);
    if (*d->url) str_printf(&text, "\nRead first: %s", d->url);
    str_printf(out, "::%s ", type_of(d->level));
    if (*d->path) {
        str_puts(out, "file=");
        put_property(out, d->path, ANNOTATION_MESSAGE);
        str_printf(out, ",line=%d,", d->line > 0 ? d->line : 1);
        if (d->line > 0 && d->end_line > d->line) str_printf(out, "endLine=%d,", d->end_line);
    }
    put_title(out, report, d->rule->id);
    str_puts(out, "::");
    put_encoded(out, str_c(&text), ANNOTATION_MESSAGE, "%\r\n");
    str_putc(out, '\n');
    out->failed |= text.failed;
    str_free(&text);
}

static void put_note(struct str *out, const struct diagnostic_report *report, const char *note) {
    str_puts(out, "::notice ");
    put_title(out, report, "note");
    str_puts(out, "::");
    put_encoded(out, note, ANNOTATION_MESSAGE, "%\r\n");
    str_putc(out, '\n');
}

static void put_rest(struct str *out, const struct diagnostic_report *report, enum diagnostic_level level,
                     size_t n) {
    str_printf(out, "::%s ", type_of(level));
    put_title(out, report, "more");
    str_printf(out, "::and %zu more; GitHub shows %d of a type a step\n", n, ANNOTATIONS);
}

static void put_level(struct str *out, const struct diagnostic_report *report, enum diagnostic_level level) {
    size_t n_notes = level == DIAGNOSTIC_NOTE ? report->n_notes : 0, written = 0;
    size_t n = diagnostic_count(report, level) + n_notes, room = n > ANNOTATIONS ? ANNOTATIONS - 1 : n;
    for (size_t i = 0; i < n_notes && written < room; i++, written++) put_note(out, report, report->notes[i]);
    for (size_t i = 0; i < report->n && written < room; i++) {
        if (report->at[i].level != level) continue;
        put_finding(out, report, &report->at[i]);
        written++;
    }
    if (n > room) put_rest(out, report, level, n - room);
}

void annotation_write(struct str *out, const struct diagnostic_report *report) {
    for (int level = DIAGNOSTIC_LEVELS - 1; level >= 0; level--)
        put_level(out, report, (enum diagnostic_level)level);
    if (!*report->result) return;
    put_encoded(out, report->result, ANNOTATION_MESSAGE, "\r\n");
    str_putc(out, '\n');
}
