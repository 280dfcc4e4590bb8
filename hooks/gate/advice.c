#include "hooks/gate/advice.h"

#include "base/shellword.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 8, FULL_BLOCKS = 3, NOTE_LIMIT = 230, NOTE_LIMIT_OF_MANY = 110 };

/* --- small pieces --- */

/* A path with control characters, quotes or ill-formed UTF-8 is quoted as git quotes it. */
static bool is_plain_path(const char *path) {
    size_t n = strlen(path);
    for (size_t i = 0, length; i < n; i += length) {
        length = utf8_valid_length(path + i, n - i);
        unsigned char c = (unsigned char)path[i];
        bool c1 = length == 2 && c == 0xC2 && (unsigned char)path[i + 1] < 0xA0;
        if (length == 0 || c < 0x20 || c == 0x7F || c == '"' || c == '\\' || c1) return false;
    }
    return true;
}

static void put_path(struct str *out, const char *path) {
    if (is_plain_path(path)) {
        str_puts(out, path);
        return;
    }
    str_putc(out, '"');
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        if (c == '"' || c == '\\') str_printf(out, "\\%c", c);
        else if (c == '\n') str_puts(out, "\\n");
        else if (c == '\t') str_puts(out, "\\t");
        else if (c < 0x20 || c >= 0x7F) str_printf(out, "\\%03o", c);
        else str_putc(out, (char)c);
    }
    str_putc(out, '"');
}

/* Notes of the matrix may be long; the advice shows their beginning, `fak sota` all of it. */
static void put_shortened(struct str *out, const char *text, size_t limit) {
    size_t n = strlen(text);
    if (n <= limit) {
        str_puts(out, text);
        return;
    }
    n = limit;
    while (n > 0 && text[n] != ' ') n--;
    while (n > 0 && strchr(" ,;:", text[n - 1])) n--;
    str_add(out, text, n);
    str_puts(out, " ...");
}

static void put_label(struct str *out, const struct term *term, const char *label) {
    char padded[LABEL + 1];
    snprintf(padded, sizeof padded, "%-*s", LABEL, label);
    str_puts(out, "  ");
    term_put(out, term, TERM_DIM, padded);
}

static void put_row(struct str *out, const struct term *term, const char *label, struct str *text) {
    if (text->n) {
        put_label(out, term, label);
        term_fold(out, term, LABEL + 2, str_c(text));
    }
    str_clear(text);
}

/* --- one operation --- */

/* Name and link, on one line where they fit behind `column` characters. */
static void put_reference(struct str *out, const struct term *term, const struct reference *reference,
                          int column) {
    if (reference) {
        size_t wide = (size_t)column + strlen(reference->name) + 2 + strlen(reference->url);
        term_put(out, term, TERM_CYAN, reference->name);
        if (wide <= (size_t)term->width) str_puts(out, "  ");
        else str_printf(out, "\n%*s", LABEL + 2, "");
        term_link(out, term, reference->url, reference->url);
    }
    str_putc(out, '\n');
}

/* "cuda cudaAWQCosineMin 0.995 (recorded)" of every device that has a floor. */
static void put_floors(struct str *out, const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *witness = &m->witnesses[op->witnesses.first + i];
        if (witness->state == FLOOR_NONE) continue;
        str_printf(out, "%s%s %s %g (%s)", out->n ? ", " : "", witness->device,
                   witness->floor_name[0] ? witness->floor_name : witness->metric, witness->floor,
                   floor_state_name(witness->state));
    }
}

static void put_hits(struct str *out, const struct finding *finding) {
    const struct hit *hit = &finding->hits[0];
    put_path(out, hit->change->path);
    if (hit->row) str_printf(out, " matches %s", hit->row->glob);
    if (finding->n_hits > 1) str_printf(out, ", and %zu more", finding->n_hits - 1);
}

/* The kernels of all files of the finding, the first few by name. */
static void put_kernels(struct str *out, const struct finding *finding) {
    enum { SHOWN = 4 };
    size_t n = 0;
    for (size_t i = 0; i < finding->n_hits; i++)
        for (size_t k = 0; k < finding->hits[i].touched.n; k++, n++)
            if (n < SHOWN) {
                if (n) str_puts(out, ", ");
                term_safe(out, finding->hits[i].touched.names[k]);
            }
    if (n > SHOWN) str_printf(out, " and %zu more", n - SHOWN);
}

static void put_block(struct str *out, const struct term *term, const struct matrix *m,
                      const struct finding *finding, bool alone) {
    const struct op *op = finding->op;
    size_t limit = alone ? NOTE_LIMIT : NOTE_LIMIT_OF_MANY;
    struct str text = {0};
    str_puts(out, "  ");
    term_put(out, term, TERM_BOLD, op->slug);
    str_printf(out, "  %s\n", op->title);
    if (finding->reference) {
        put_label(out, term, "read");
        put_reference(out, term, finding->reference, LABEL + 2);
    }
    str_printf(&text, "%s%s", route_name(op->route), op->route_note[0] ? ": " : "");
    put_shortened(&text, op->route_note, limit);
    put_row(out, term, "route", &text);
    put_shortened(&text, op->oracle, limit);
    put_row(out, term, "prove", &text);
    put_floors(&text, m, op);
    put_row(out, term, "floor", &text);
    put_shortened(&text, op->bottleneck, limit);
    put_row(out, term, "bound", &text);
    put_kernels(&text, finding);
    put_row(out, term, "kernel", &text);
    put_hits(&text, finding);
    put_row(out, term, "why", &text);
    out->failed |= text.failed;
    str_free(&text);
}

static void put_short(struct str *out, const struct term *term, const struct finding *finding) {
    char slug[40];
    snprintf(slug, sizeof slug, "%-22s", finding->op->slug);
    str_puts(out, "  ");
    term_put(out, term, TERM_BOLD, slug);
    str_printf(out, " %-12s ", route_name(finding->op->route));
    put_reference(out, term, finding->reference, 2 + 22 + 14);
}

/* --- the whole --- */

static void put_head(struct str *out, const struct term *term, const struct gate_report *report) {
    struct str text = {0}, folded = {0};
    str_printf(&text, "fak: this commit touches %s that others have solved; read first:",
               report->n == 1 ? "a kernel" : "kernels");
    term_fold(&folded, term, 0, str_c(&text));
    if (folded.n) folded.at[--folded.n] = '\0'; /* the colour ends before the line does */
    term_put(out, term, TERM_YELLOW, str_c(&folded));
    str_putc(out, '\n');
    out->failed |= text.failed | folded.failed;
    str_free(&text);
    str_free(&folded);
}

static void put_command(struct str *out, const struct gate_report *report, enum advice_moment moment) {
    if (moment == ADVICE_MESSAGE) {
        str_puts(out, report->trailer);
        return;
    }
    str_puts(out, moment == ADVICE_COMMITTED ? "git commit --amend --no-edit --trailer "
                                             : "git commit --trailer ");
    shellword_put(out, report->trailer);
}

static void put_last(struct str *out, const struct term *term, const struct gate_report *report,
                     enum advice_moment moment) {
    struct str text = {0};
    put_command(&text, report, moment);
    term_put(out, term, TERM_GREEN, str_c(&text));
    str_putc(out, '\n');
    out->failed |= text.failed;
    str_free(&text);
}

void advice_text(struct str *out, const struct term *term, const struct matrix *m,
                 const struct gate_report *report, enum advice_moment moment) {
    if (report->n == 0) return;
    put_head(out, term, report);
    for (size_t i = 0; i < report->n; i++) {
        str_puts(out, report->n <= FULL_BLOCKS || i == 0 ? "\n" : "");
        if (report->n > FULL_BLOCKS) {
            put_short(out, term, &report->findings[i]);
            continue;
        }
        put_block(out, term, m, &report->findings[i], report->n == 1);
        if (report->n > 1) {
            put_label(out, term, "stamp");
            str_printf(out, "%s\n", report->findings[i].trailer);
        }
    }
    if (report->n > FULL_BLOCKS)
        str_puts(out, "\n  `fak sota NAME` tells route, oracle and floor of each.\n");
    str_putc(out, '\n');
    if (report->stamp.state == STAMP_NEAR) {
        term_put(out, term, TERM_YELLOW, "The message: ");
        term_fold(out, term, 13, report->stamp.problem);
    }
    if (moment != ADVICE_MESSAGE) str_puts(out, "When you have read it, stamp the commit:\n");
    else str_puts(out, "When you have read it, end the message with:\n");
    put_last(out, term, report, moment);
}

void advice_line(struct str *out, const struct gate_report *report, enum advice_moment moment) {
    if (report->n == 0) return;
    const struct finding *first = &report->findings[0];
    str_printf(out, "fak: this touches %s", first->op->slug);
    if (report->n > 1) str_printf(out, " and %zu more", report->n - 1);
    if (first->reference) str_printf(out, "; read %s %s", first->reference->name, first->reference->url);
    str_puts(out, ", then ");
    put_command(out, report, moment);
    str_putc(out, '\n');
}

void advice_comment(struct str *out, const struct gate_report *report, const char *comment) {
    for (size_t i = 0; i < report->n; i++) {
        const struct finding *finding = &report->findings[i];
        str_printf(out, "%s fak: ", comment);
        put_path(out, finding->hits[0].change->path);
        str_printf(out, " is %s (%s)", finding->op->slug, route_name(finding->op->route));
        if (finding->reference)
            str_printf(out, "; read %s %s", finding->reference->name, finding->reference->url);
        str_putc(out, '\n');
    }
    str_printf(out, "%s When you have read it, uncomment:\n%s %s\n%s\n", comment, comment, report->trailer,
               comment);
}

/* --- JSON --- */

static void json_floors(struct jsonout *json, const struct matrix *m, const struct op *op) {
    jsonout_key(json, "witnesses");
    jsonout_begin_array(json);
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *witness = &m->witnesses[op->witnesses.first + i];
        jsonout_begin_object(json);
        jsonout_pair_string(json, "device", witness->device);
        jsonout_pair_string(json, "metric", witness->metric);
        jsonout_pair_string(json, "floor_name", witness->floor_name);
        jsonout_pair_string(json, "state", floor_state_name(witness->state));
        if (witness->state != FLOOR_NONE) jsonout_pair_double(json, "floor", witness->floor);
        jsonout_end_object(json);
    }
    jsonout_end_array(json);
}

static void json_hits(struct jsonout *json, const struct finding *finding) {
    jsonout_key(json, "matched");
    jsonout_begin_array(json);
    for (size_t i = 0; i < finding->n_hits; i++) {
        const struct hit *hit = &finding->hits[i];
        char status[2] = {hit->change->status, '\0'};
        jsonout_begin_object(json);
        jsonout_pair_string(json, "path", hit->change->path);
        jsonout_pair_string(json, "status", status);
        if (hit->row) jsonout_pair_string(json, "glob", hit->row->glob);
        jsonout_key(json, "kernels");
        jsonout_begin_array(json);
        for (size_t k = 0; k < hit->touched.n; k++) jsonout_string(json, hit->touched.names[k]);
        jsonout_end_array(json);
        jsonout_end_object(json);
    }
    jsonout_end_array(json);
}

static void json_finding(struct jsonout *json, const struct matrix *m, const struct finding *finding) {
    const struct op *op = finding->op;
    jsonout_begin_object(json);
    jsonout_pair_string(json, "op", op->slug);
    jsonout_pair_string(json, "title", op->title);
    jsonout_pair_string(json, "status", op_status_name(op->status));
    jsonout_key(json, "reference");
    if (finding->reference) {
        jsonout_begin_object(json);
        jsonout_pair_string(json, "name", finding->reference->name);
        jsonout_pair_string(json, "url", finding->reference->url);
        jsonout_end_object(json);
    } else {
        jsonout_null(json);
    }
    jsonout_pair_string(json, "route", route_name(op->route));
    jsonout_pair_string(json, "route_note", op->route_note);
    jsonout_pair_string(json, "oracle", op->oracle);
    jsonout_pair_string(json, "bottleneck", op->bottleneck);
    json_floors(json, m, op);
    jsonout_pair_string(json, "trailer", finding->trailer);
    json_hits(json, finding);
    jsonout_end_object(json);
}

void advice_json(struct jsonout *json, const struct matrix *m, const struct gate_report *report) {
    static const char *const states[] = {
        [STAMP_ABSENT] = "absent", [STAMP_NEAR] = "near-miss", [STAMP_VALID] = "valid"};
    jsonout_key(json, "findings");
    jsonout_begin_array(json);
    for (size_t i = 0; i < report->n; i++) json_finding(json, m, &report->findings[i]);
    jsonout_end_array(json);
    jsonout_key(json, "stamp");
    jsonout_begin_object(json);
    jsonout_pair_string(json, "state", states[report->stamp.state]);
    if (report->stamp.line) jsonout_pair_int(json, "line", report->stamp.line);
    if (report->stamp.state == STAMP_NEAR) jsonout_pair_string(json, "problem", report->stamp.problem);
    jsonout_end_object(json);
    jsonout_pair_string(json, "trailer", report->trailer);
}
