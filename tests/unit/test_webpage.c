/* coverage/webpage: what a tree or a matrix says stays text in the page, and the page says what the report
 * does. */
#include "base/html.h"
#include "coverage/webpage/webpage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_text(const char *given, const char *wanted) {
    struct str out = {0};
    html_text(&out, given);
    assert_string_equal(str_c(&out), wanted);
    str_free(&out);
}

static void markup_is_text(void **state) {
    (void)state;
    expect_text("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
    expect_text("tab\tend", "tab\\x09end");
    expect_text("caf\xe9.cu", "caf\\xe9.cu");
    expect_text("k\xc3\xa9rnel", "k\xc3\xa9rnel");
}

static void lines_are_lines(void **state) {
    (void)state;
    struct str out = {0};
    html_lines(&out, "a<\nb");
    assert_string_equal(str_c(&out), "a&lt;<br>b");
    str_free(&out);
}

static void only_web_links_are_links(void **state) {
    (void)state;
    struct str out = {0};
    html_link(&out, "x", "javascript:alert(1)");
    assert_string_equal(str_c(&out), "x");
    str_clear(&out);
    html_link(&out, "x", "https://example.org/?a=\"1\"&b");
    assert_string_equal(str_c(&out), "<a href=\"https://example.org/?a=&quot;1&quot;&amp;b\">x</a>");
    str_free(&out);
}

/* One operation whose every text is markup, one kernel of it, one gap. */
struct world {
    struct op op;
    struct reference reference;
    struct matrix matrix;
    struct scan_kernel kernel;
    const struct op *owner;
    struct survey_file file;
    struct survey survey;
    struct debt_gap gap;
    struct debt debt;
    struct tree tree;
    struct report report;
    bool clean;
};

#define MARK "</style><script>x</script>"

static void make_world(struct world *w) {
    *w = (struct world){
        .op = {.slug = "add",
               .title = MARK,
               .aliases = "",
               .summary = MARK,
               .route_note = MARK,
               .oracle = MARK,
               .bottleneck = MARK,
               .selection = "",
               .plan = "one\ntwo",
               .axis = "",
               .status = OP_SELECTED,
               .references = {0, 1}},
        .reference = {.op = "add",
                      .name = MARK,
                      .url = "javascript:1",
                      .note = MARK,
                      .checked_on = "",
                      .kind = REFERENCE_PRIMARY},
        .kernel = {.name = MARK, .kind = SCAN_KERNEL, .language = SCAN_CUDA, .line = 7, .end_line = 9},
        .gap = {.kind = DEBT_SELECTED,
                .fingerprint = "cb8ee0701d16",
                .op = "add",
                .path = MARK,
                .detail = "",
                .what = MARK,
                .mend = MARK},
    };
    w->matrix = (struct matrix){
        .ops = &w->op, .n_ops = 1, .references = &w->reference, .n_references = 1, .source = MARK};
    w->owner = &w->op;
    w->file = (struct survey_file){.scan = {.path = MARK, .kernels = &w->kernel, .n_kernels = 1},
                                   .ops = &w->owner,
                                   .owners = &w->owner,
                                   .n_ops = 1};
    w->survey = (struct survey){.files = &w->file, .n_files = 1, .n_scanned = 1};
    w->debt = (struct debt){.gaps = &w->gap, .n = 1, .clean = &w->clean, .n_kernels = 1};
    w->tree = (struct tree){.root = "/r", .commit = ""};
    w->report =
        (struct report){.matrix = &w->matrix, .tree = &w->tree, .survey = &w->survey, .debt = &w->debt};
}

static void hostile_names_stay_text(void **state) {
    (void)state;
    struct world w;
    struct str out = {0};
    make_world(&w);
    webpage_html(&out, &w.report,
                 &(struct webpage_about){.name = MARK, .revision = MARK, .plot = "", .no_plot = ""});
    assert_false(out.failed);
    assert_null(strstr(str_c(&out), MARK));
    assert_null(strstr(str_c(&out), "javascript:1"));
    assert_non_null(strstr(str_c(&out), "one<br>two"));
    str_free(&out);
}

static void the_page_says_the_debt(void **state) {
    (void)state;
    struct world w;
    struct str out = {0};
    make_world(&w);
    webpage_html(
        &out, &w.report,
        &(struct webpage_about){.name = "r", .revision = "0123456789ab", .plot = "<svg/>", .no_plot = ""});
    assert_non_null(strstr(str_c(&out), "<title>r: sota_debt 1</title>"));
    assert_non_null(strstr(str_c(&out), "id=\"gap-cb8ee0701d16\""));
    assert_non_null(strstr(str_c(&out),
                           "<tr id=\"op-add\" data-status=\"selected\" data-route=\"stay-minimal\" "
                           "data-gaps=\"1\">"));
    assert_non_null(strstr(str_c(&out), "<svg/>"));
    str_free(&out);
}

static void why_there_is_no_plot_is_text(void **state) {
    (void)state;
    struct world w;
    struct str out = {0};
    make_world(&w);
    webpage_html(&out, &w.report,
                 &(struct webpage_about){.name = "r", .revision = "", .plot = "", .no_plot = "cut off" MARK});
    assert_non_null(strstr(str_c(&out), "<a href=\"#history\">"));
    assert_non_null(strstr(str_c(&out), "No plot: cut off"));
    assert_null(strstr(str_c(&out), MARK));
    str_free(&out);
}

static void a_tree_without_kernels_has_a_page(void **state) {
    (void)state;
    struct world w;
    struct str out = {0};
    make_world(&w);
    w.survey = (struct survey){0};
    w.debt = (struct debt){.clean = &w.clean};
    webpage_html(&out, &w.report,
                 &(struct webpage_about){.name = "r", .revision = "", .plot = "", .no_plot = ""});
    assert_non_null(strstr(str_c(&out), "no kernel found in this tree"));
    assert_null(strstr(str_c(&out), "id=\"history\""));
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_text),
        cmocka_unit_test(lines_are_lines),
        cmocka_unit_test(only_web_links_are_links),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(the_page_says_the_debt),
        cmocka_unit_test(why_there_is_no_plot_is_text),
        cmocka_unit_test(a_tree_without_kernels_has_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
