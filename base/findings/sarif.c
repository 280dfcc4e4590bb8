#include "base/findings/sarif.h"

#include "base/jsonout.h"

#include <string.h>

enum { TAIL_BYTES = 256 * 1024, NOTIFICATIONS = 20, INDENT = 1 };

void sarif_uri(struct str *out, const char *path) {
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c);
        if (plain) str_putc(out, (char)c);
        else str_printf(out, "%%%02X", c);
    }
}

/* A message is text in which "[a](b)" would be a link: it is broken up. */
static void put_unlinked(struct str *out, const char *text) {
    for (; *text; text++) {
        str_putc(out, *text);
        if (text[0] == ']' && text[1] == '(') str_putc(out, ' ');
    }
}

/* {"text": first second}, cut to what is shown */
static void put_message(struct jsonout *j, const char *key, const char *first, const char *second) {
    struct str joined = {0}, unlinked = {0}, text = {0};
    str_printf(&joined, "%s%s%s", first, *first && *second ? " " : "", second);
    put_unlinked(&unlinked, str_c(&joined));
    diagnostic_text(&text, str_c(&unlinked), SARIF_CHARACTERS);
    jsonout_key(j, key);
    jsonout_begin_object(j);
    jsonout_pair_string(j, "text", str_c(&text));
    jsonout_end_object(j);
    j->out->failed |= joined.failed || unlinked.failed || text.failed;
    str_free(&joined);
    str_free(&unlinked);
    str_free(&text);
}

static void put_rule(struct jsonout *j, const struct diagnostic_rule *rule) {
    static const char *const severity[] = {"recommendation", "warning", "error"};
    jsonout_begin_object(j);
    jsonout_pair_string(j, "id", rule->id);
    put_message(j, "shortDescription", rule->summary, "");
    struct str summary = {0}; /* a heading, which becomes a sentence before the help */
    str_printf(&summary, "%s%s", rule->summary, *rule->help ? "." : "");
    put_message(j, "fullDescription", str_c(&summary), rule->help);
    j->out->failed |= summary.failed;
    str_free(&summary);
    put_message(j, "help", rule->help, "");
    if (*rule->url) jsonout_pair_string(j, "helpUri", rule->url);
    jsonout_key(j, "defaultConfiguration");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "level", diagnostic_level_name(rule->level));
    jsonout_end_object(j);
    jsonout_key(j, "properties");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "problem.severity", severity[rule->level]);
    jsonout_end_object(j);
    jsonout_end_object(j);
}

static size_t rules_written(const struct diagnostic_report *report) {
    return report->n_rules < SARIF_RULES ? report->n_rules : SARIF_RULES;
}

static void put_tool(struct jsonout *j, const struct diagnostic_report *report) {
    jsonout_key(j, "tool");
    jsonout_begin_object(j);
    jsonout_key(j, "driver");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "name", report->tool);
    if (*report->version) jsonout_pair_string(j, "version", report->version);
    if (*report->url) jsonout_pair_string(j, "informationUri", report->url);
    jsonout_key(j, "rules");
    jsonout_begin_array(j);
    for (size_t i = 0; i < rules_written(report); i++) put_rule(j, &report->rules[i]);
    jsonout_end_array(j);
    jsonout_end_object(j);
    jsonout_end_object(j);
}

static void put_location(struct jsonout *j, const struct diagnostic *d) {
    struct str uri = {0};
    sarif_uri(&uri, d->path);
    jsonout_key(j, "locations");
    jsonout_begin_array(j);
    jsonout_begin_object(j);
    jsonout_key(j, "physicalLocation");
    jsonout_begin_object(j);
    jsonout_key(j, "artifactLocation");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "uri", str_c(&uri));
    jsonout_pair_string(j, "uriBaseId", "%SRCROOT%");
    jsonout_end_object(j);
    jsonout_key(j, "region");
    jsonout_begin_object(j);
    jsonout_pair_int(j, "startLine", d->line > 0 ? d->line : 1);
    if (d->line > 0 && d->end_line > d->line) jsonout_pair_int(j, "endLine", d->end_line);
    jsonout_end_object(j);
    jsonout_end_object(j);
    jsonout_end_object(j);
    jsonout_end_array(j);
    j->out->failed |= uri.failed;
    str_free(&uri);
}

static void put_result(struct jsonout *j, const struct diagnostic_report *report,
                       const struct diagnostic *d) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "ruleId", d->rule->id);
    jsonout_pair_int(j, "ruleIndex", d->rule - report->rules);
    jsonout_pair_string(j, "level", diagnostic_level_name(d->level));
    struct str mend = {0};
    str_puts(&mend, d->mend);
    if (*d->url) str_printf(&mend, "%sRead first: %s", mend.n ? " " : "", d->url);
    put_message(j, "message", d->message, str_c(&mend));
    str_free(&mend);
    put_location(j, d);
    jsonout_key(j, "partialFingerprints");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "primaryLocationLineHash", d->fingerprint);
    jsonout_pair_string(j, "fakFingerprint/v1", d->fingerprint);
    jsonout_end_object(j);
    jsonout_end_object(j);
}

/* Errors first; returns how many did not fit. */
static size_t put_results(struct jsonout *j, const struct diagnostic_report *report, size_t start) {
    size_t written = 0, left_out = 0;
    jsonout_key(j, "results");
    jsonout_begin_array(j);
    for (int level = DIAGNOSTIC_LEVELS - 1; level >= 0; level--)
        for (size_t i = 0; i < report->n; i++) {
            const struct diagnostic *d = &report->at[i];
            if ((int)d->level != level || !*d->path) continue;
            bool fits = written < SARIF_RESULTS && j->out->n - start < SARIF_BYTES - TAIL_BYTES &&
                        (size_t)(d->rule - report->rules) < rules_written(report);
            if (fits) put_result(j, report, d);
            written += fits;
            left_out += !fits;
        }
    jsonout_end_array(j);
    return left_out;
}

static void put_notification(struct jsonout *j, enum diagnostic_level level, const char *first,
                             const char *second) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "level", diagnostic_level_name(level));
    put_message(j, "message", first, second);
    jsonout_end_object(j);
}

/* What the results cannot say: the notes, findings about no file, and what was cut. */
static void put_invocation(struct jsonout *j, const struct diagnostic_report *report, size_t left_out) {
    size_t n = 0, more = 0;
    jsonout_key(j, "invocations");
    jsonout_begin_array(j);
    jsonout_begin_object(j);
    jsonout_pair_bool(j, "executionSuccessful", true);
    jsonout_key(j, "toolExecutionNotifications");
    jsonout_begin_array(j);
    for (size_t i = 0; i < report->n_notes; i++, n++)
        if (n < NOTIFICATIONS) put_notification(j, DIAGNOSTIC_NOTE, report->notes[i], "");
    for (size_t i = 0; i < report->n; i++) {
        const struct diagnostic *d = &report->at[i];
        if (*d->path) continue;
        if (n++ < NOTIFICATIONS) put_notification(j, d->level, d->message, d->mend);
    }
    more = n > NOTIFICATIONS ? n - NOTIFICATIONS : 0;
    struct str cut = {0};
    if (more) str_printf(&cut, "%zu more findings about no file are not listed. ", more);
    if (left_out)
        str_printf(&cut,
                   "%zu results are left out, the least severe first: a file for code scanning holds at most "
                   "%d results and %d MB.",
                   left_out, SARIF_RESULTS, SARIF_BYTES / 1000000);
    if (cut.n) put_notification(j, DIAGNOSTIC_WARNING, str_c(&cut), "");
    str_free(&cut);
    jsonout_end_array(j);
    jsonout_end_object(j);
    jsonout_end_array(j);
}

static void put_root(struct jsonout *j) {
    jsonout_key(j, "originalUriBaseIds");
    jsonout_begin_object(j);
    jsonout_key(j, "%SRCROOT%");
    jsonout_begin_object(j);
    put_message(j, "description", "the root of the repository", "");
    jsonout_end_object(j);
    jsonout_end_object(j);
}

void sarif_write(struct str *out, const struct diagnostic_report *report) {
    struct jsonout j;
    size_t start = out->n;
    jsonout_init(&j, out, INDENT);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    jsonout_pair_string(&j, "version", "2.1.0");
    jsonout_key(&j, "runs");
    jsonout_begin_array(&j);
    jsonout_begin_object(&j);
    put_tool(&j, report);
    struct str category = {0};
    str_printf(&category, "%s/", report->category); /* GitHub takes what stands before the last slash */
    jsonout_key(&j, "automationDetails");
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "id", str_c(&category));
    jsonout_end_object(&j);
    str_free(&category);
    put_root(&j);
    jsonout_pair_string(&j, "columnKind", "unicodeCodePoints");
    size_t left_out = put_results(&j, report, start);
    put_invocation(&j, report, left_out);
    jsonout_end_object(&j);
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}
