/* findings: one report in each format a CI reads, and hostile text in all of them. */
#include "base/findings/annotation.h"
#include "base/findings/diagnostic.h"
#include "base/findings/jobsummary.h"
#include "base/findings/junit.h"
#include "base/findings/sarif.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static const struct diagnostic_rule rules[] = {
    {"first", "A first rule.", "How it is mended.", "https://example.org/first", DIAGNOSTIC_WARNING},
    {"second", "A second rule.", "Not at all.", "", DIAGNOSTIC_ERROR},
};

/* Everything that means something to one of the formats, and bytes that none of them can carry. */
#define HOSTILE "a\x1b[2Jb\r\n::error::c%0A]]>d<e>&\"'|`[x](y)\xff\xc3\x28\xef\xbf\xbf\x7f\xc2\x85,:"

static struct diagnostic diagnostic_at(const char *path, int line) {
    return (struct diagnostic){.rule = &rules[0],
                               .level = DIAGNOSTIC_WARNING,
                               .message = "what is wrong",
                               .mend = "how to mend it",
                               .url = "https://example.org/read",
                               .path = path,
                               .line = line,
                               .fingerprint = "0123456789ab"};
}

static struct diagnostic_report report_of(const struct diagnostic *at, size_t n) {
    return (struct diagnostic_report){.tool = "fak",
                                      .version = "0.1",
                                      .url = "https://example.org",
                                      .category = "fak-gate",
                                      .title = "Prior art",
                                      .result = "1 of 2",
                                      .rules = rules,
                                      .n_rules = 2,
                                      .at = at,
                                      .n = n};
}

static json_t *read_sarif(struct str *out, const struct diagnostic_report *report) {
    json_error_t error;
    diagnostic_write(out, DIAGNOSTIC_SARIF, report);
    assert_false(out->failed);
    json_t *root = json_loadb(out->at, out->n, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("%s at %d", error.text, error.position);
    return root;
}

static json_t *run_of(json_t *root) { return json_array_get(json_object_get(root, "runs"), 0); }

static json_t *at(json_t *value, const char *path) {
    char copy[200];
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part = strtok(copy, "/"); part && value; part = strtok(NULL, "/"))
        value =
            json_is_array(value) ? json_array_get(value, (size_t)atoi(part)) : json_object_get(value, part);
    return value;
}

static const char *text_at(json_t *value, const char *path) {
    const char *text = json_string_value(at(value, path));
    return text ? text : "(none)";
}

/* --- text ----------------------------------------------------------------------------------------------- */

static void text_is_cut_at_characters_and_says_so(void **state) {
    (void)state;
    struct str out = {0};
    diagnostic_text(&out, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4);
    assert_string_equal(out.at, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    str_clear(&out);
    diagnostic_text(&out, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4);
    assert_string_equal(out.at, "\xc3\xa9...");
    str_free(&out);
}

static void text_replaces_what_no_format_carries(void **state) {
    (void)state;
    struct str out = {0};
    diagnostic_text(&out, "\x1b\x7f\xc2\x85\xff\xc3\x28\xef\xbf\xbf\t\n", 100);
    assert_string_equal(out.at,
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\t\n");
    str_free(&out);
}

static void formats_are_known_by_name(void **state) {
    (void)state;
    enum diagnostic_format format;
    assert_true(diagnostic_format_of(&format, "junit") && format == DIAGNOSTIC_JUNIT);
    assert_true(diagnostic_format_of(&format, "summary") && format == DIAGNOSTIC_SUMMARY);
    assert_false(diagnostic_format_of(&format, "xml"));
}

/* --- SARIF ---------------------------------------------------------------------------------------------- */

static void sarif_has_what_code_scanning_requires(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic d = diagnostic_at("kernels/a b%.cu", 7);
    d.end_line = 9;
    struct diagnostic_report report = report_of(&d, 1);
    json_t *root = read_sarif(&out, &report), *run = run_of(root);
    assert_string_equal(text_at(root, "version"), "2.1.0");
    assert_string_equal(text_at(run, "tool/driver/name"), "fak");
    assert_string_equal(text_at(run, "tool/driver/rules/1/id"), "second");
    assert_string_equal(text_at(run, "automationDetails/id"), "fak-gate/");
    assert_string_equal(text_at(run, "results/0/ruleId"), "first");
    assert_int_equal(json_integer_value(at(run, "results/0/ruleIndex")), 0);
    assert_string_equal(text_at(run, "results/0/level"), "warning");
    assert_string_equal(text_at(run, "results/0/message/text"),
                        "what is wrong how to mend it Read first: https://example.org/read");
    json_t *place = at(run, "results/0/locations/0/physicalLocation");
    assert_string_equal(text_at(place, "artifactLocation/uri"), "kernels/a%20b%25.cu");
    assert_string_equal(text_at(place, "artifactLocation/uriBaseId"), "%SRCROOT%");
    assert_int_equal(json_integer_value(at(place, "region/startLine")), 7);
    assert_int_equal(json_integer_value(at(place, "region/endLine")), 9);
    assert_string_equal(text_at(run, "results/0/partialFingerprints/primaryLocationLineHash"),
                        "0123456789ab");
    json_decref(root);
    str_free(&out);
}

static void sarif_uri_keeps_every_byte(void **state) {
    (void)state;
    struct str out = {0};
    sarif_uri(&out, "a:b/\xe9\t\"\n%20/k\xc3\xa9.cu~-_.");
    assert_string_equal(out.at, "a%3Ab/%E9%09%22%0A%2520/k%C3%A9.cu~-_.");
    str_free(&out);
}

static void sarif_puts_what_is_about_no_file_among_the_notifications(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic both[] = {diagnostic_at("", 0), diagnostic_at("a.cu", 0)};
    const char *notes[] = {"the clone is shallow"};
    struct diagnostic_report report = report_of(both, 2);
    report.notes = notes;
    report.n_notes = 1;
    json_t *root = read_sarif(&out, &report), *run = run_of(root);
    json_t *told = at(run, "invocations/0/toolExecutionNotifications");
    assert_int_equal(json_array_size(at(run, "results")), 1);
    assert_int_equal(json_integer_value(at(run, "results/0/locations/0/physicalLocation/region/startLine")),
                     1);
    assert_int_equal(json_array_size(told), 2);
    assert_string_equal(text_at(told, "0/message/text"), "the clone is shallow");
    assert_string_equal(text_at(told, "1/message/text"), "what is wrong how to mend it");
    json_decref(root);
    str_free(&out);
}

static void sarif_holds_hostile_text_and_no_link_of_it(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic d = diagnostic_at(HOSTILE, 1);
    d.message = d.mend = d.url = HOSTILE;
    struct diagnostic_report report = report_of(&d, 1);
    report.title = report.result = HOSTILE;
    json_t *root = read_sarif(&out, &report);
    assert_null(strstr(text_at(run_of(root), "results/0/message/text"), "]("));
    json_decref(root);
    str_free(&out);
}

static void sarif_stays_within_the_limits_and_keeps_the_errors(void **state) {
    (void)state;
    enum { N = 30000 };
    struct diagnostic *many = calloc(N, sizeof *many);
    char *long_text = calloc(1, 4000);
    assert_non_null(many);
    assert_non_null(long_text);
    memset(long_text, 'x', 3999);
    for (int i = 0; i < N; i++) {
        many[i] = diagnostic_at("a.cu", i + 1);
        if (i % 2) many[i].message = long_text;
        if (i >= N - 10) many[i].level = DIAGNOSTIC_ERROR;
    }
    struct str out = {0};
    struct diagnostic_report report = report_of(many, N);
    json_t *root = read_sarif(&out, &report), *run = run_of(root);
    size_t kept = json_array_size(at(run, "results"));
    assert_true(out.n <= SARIF_BYTES && kept <= SARIF_RESULTS && kept > 1000);
    for (int i = 0; i < 10; i++)
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(at(run, "results"), (size_t)i), "level")),
            "error");
    assert_true(strlen(text_at(run, "results/1/message/text")) <= SARIF_CHARACTERS);
    char expected[40];
    snprintf(expected, sizeof expected, "%zu results are left out", N - kept);
    assert_non_null(
        strstr(text_at(run, "invocations/0/toolExecutionNotifications/0/message/text"), expected));
    json_decref(root);
    str_free(&out);
    free(many);
    free(long_text);
}

/* --- annotations ---------------------------------------------------------------------------------------- */

static void annotations_name_place_rule_and_mend(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic d = diagnostic_at("kernels/a,b:c%.cu", 7);
    d.end_line = 9;
    struct diagnostic_report report = report_of(&d, 1);
    diagnostic_write(&out, DIAGNOSTIC_GITHUB, &report);
    assert_string_equal(out.at,
                        "::warning file=kernels/a%2Cb%3Ac%25.cu,line=7,endLine=9,title=fak%3A first::what is "
                        "wrong%0Ahow to mend it%0ARead first: https://example.org/read\n1 of 2\n");
    str_free(&out);
}

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

static void annotations_cannot_be_broken_out_of(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic d = diagnostic_at(HOSTILE, 1);
    const char *notes[] = {HOSTILE};
    d.message = d.mend = HOSTILE;
    struct diagnostic_report report = report_of(&d, 1);
    report.result = HOSTILE;
    report.notes = notes;
    report.n_notes = 1;
    diagnostic_write(&out, DIAGNOSTIC_GITHUB, &report);
    assert_int_equal(count(out.at, "\n"), 3); /* one a line: the finding, the note, the result */
    assert_int_equal(count(out.at, "\n::"), 1);
    assert_null(strchr(out.at, '\x1b'));
    str_free(&out);
}

static void annotations_are_ten_of_a_type_and_say_what_is_missing(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic many[23];
    for (int i = 0; i < 23; i++) {
        many[i] = diagnostic_at("a.cu", i + 1);
        if (i < 10) many[i].level = DIAGNOSTIC_ERROR;
    }
    struct diagnostic_report report = report_of(many, 23);
    diagnostic_write(&out, DIAGNOSTIC_GITHUB, &report);
    assert_int_equal(count(out.at, "::error "), 10);
    assert_int_equal(count(out.at, "::warning "), 10);
    assert_non_null(strstr(out.at, "::and 4 more; GitHub shows 10"));
    assert_int_equal(strncmp(out.at, "::error ", 8), 0);
    str_free(&out);
}

/* --- summary -------------------------------------------------------------------------------------------- */

static void summary_is_a_table_that_text_cannot_break(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic d = diagnostic_at("a|b.cu", 3);
    d.message = "a | b\n<img src=x> `c`";
    struct diagnostic_report report = report_of(&d, 1);
    diagnostic_write(&out, DIAGNOSTIC_SUMMARY, &report);
    assert_non_null(strstr(out.at, "## Prior art\n\n1 of 2\n\n"));
    assert_non_null(strstr(out.at,
                           "| **warning** | `a\\|b.cu:3` | a \\| b \\<img src=x\\> \\`c\\` | how to mend it "
                           "[Read first.](https://example.org/read) |\n"));
    str_free(&out);
}

static void summary_stays_below_a_mebibyte_and_says_what_is_missing(void **state) {
    (void)state;
    enum { N = 20000 };
    struct diagnostic *many = calloc(N, sizeof *many);
    assert_non_null(many);
    for (int i = 0; i < N; i++) many[i] = diagnostic_at("a.cu", i + 1);
    struct str out = {0};
    struct diagnostic_report report = report_of(many, N);
    diagnostic_write(&out, DIAGNOSTIC_SUMMARY, &report);
    char expected[60];
    snprintf(expected, sizeof expected, "\n%zu more findings are left out", N - count(out.at, "**warning**"));
    assert_true(out.n < JOBSUMMARY_BYTES);
    assert_non_null(strstr(out.at, expected));
    str_free(&out);
    free(many);
}

/* --- JUnit ---------------------------------------------------------------------------------------------- */

static void junit_counts_failures_skips_and_passes(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic both[] = {diagnostic_at("a.cu", 3), diagnostic_at("", 0)};
    both[1].level = DIAGNOSTIC_NOTE;
    const char *passed[] = {"commit 1", "commit 2"};
    struct diagnostic_report report = report_of(both, 2);
    report.passed = passed;
    report.n_passed = 2;
    diagnostic_write(&out, DIAGNOSTIC_JUNIT, &report);
    assert_int_equal(count(out.at, " tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""), 2);
    assert_non_null(strstr(out.at, "<testcase classname=\"fak-gate.first\" name=\"a.cu:3 (0123456789ab)\" "
                                   "file=\"a.cu\" line=\"3\" time=\"0\">"));
    assert_non_null(strstr(out.at, "<testcase classname=\"fak-gate\" name=\"commit 2\" time=\"0\"/>"));
    str_free(&out);
}

/* What is between quotes and tags holds no character that XML reads as its own. */
static void junit_escapes_every_special_character(void **state) {
    (void)state;
    struct str out = {0};
    struct diagnostic d = diagnostic_at(HOSTILE, 1);
    d.message = d.mend = d.fingerprint = HOSTILE;
    struct diagnostic_report report = report_of(&d, 1);
    report.title = report.result = HOSTILE;
    diagnostic_write(&out, DIAGNOSTIC_JUNIT, &report);
    assert_null(strstr(out.at, "]]>"));
    assert_null(strstr(out.at, "<e>"));
    assert_null(strchr(out.at, '\x1b'));
    assert_null(strchr(out.at, '\r'));
    assert_int_equal(count(out.at, "<"), count(out.at, ">"));
    for (const char *amp = out.at; (amp = strchr(amp, '&')); amp++)
        assert_true(strncmp(amp, "&amp;", 5) == 0 || strncmp(amp, "&lt;", 4) == 0 ||
                    strncmp(amp, "&gt;", 4) == 0 || strncmp(amp, "&quot;", 6) == 0 ||
                    strncmp(amp, "&#10;", 5) == 0);
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_at_characters_and_says_so),
        cmocka_unit_test(text_replaces_what_no_format_carries),
        cmocka_unit_test(formats_are_known_by_name),
        cmocka_unit_test(sarif_has_what_code_scanning_requires),
        cmocka_unit_test(sarif_uri_keeps_every_byte),
        cmocka_unit_test(sarif_puts_what_is_about_no_file_among_the_notifications),
        cmocka_unit_test(sarif_holds_hostile_text_and_no_link_of_it),
        cmocka_unit_test(sarif_stays_within_the_limits_and_keeps_the_errors),
        cmocka_unit_test(annotations_name_place_rule_and_mend),
        cmocka_unit_test(annotations_cannot_be_broken_out_of),
        cmocka_unit_test(annotations_are_ten_of_a_type_and_say_what_is_missing),
        cmocka_unit_test(summary_is_a_table_that_text_cannot_break),
        cmocka_unit_test(summary_stays_below_a_mebibyte_and_says_what_is_missing),
        cmocka_unit_test(junit_counts_failures_skips_and_passes),
        cmocka_unit_test(junit_escapes_every_special_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
