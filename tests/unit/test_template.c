/* engine/token/template against transformers: the snippets of tests/golden/templates. Given files (as
 * golden/templates/cases of the shared material has them: arrays of cases with messages), it runs those
 * instead and says how many were equal. */
#include "base/file.h"
#include "base/utf8.h"
#include "engine/token/template.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const char suite[] = "tests/golden/templates/suite.json";
static const char hostile[] = "tests/golden/templates/hostile.json";

/* --- a case -------------------------------------------------------------------------------------------- */

static const struct tm clock_of_the_cases = {.tm_year = 124,
                                             .tm_mon = 6,
                                             .tm_mday = 26,
                                             .tm_hour = 14,
                                             .tm_min = 30,
                                             .tm_sec = 5,
                                             .tm_wday = 5,
                                             .tm_yday = 207};

static struct view view_of_json(const json_t *text) {
    return text ? (struct view){json_string_value(text), json_string_length(text)} : (struct view){0};
}

static struct view dumped(char **keep, const json_t *value) {
    *keep = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    return view_of(*keep);
}

struct outcome {
    bool ok;
    struct template_text text;
    struct template_fault fault;
    struct status st;
};

static void outcome_end(struct outcome *o) { template_text_free(&o->text); }

static struct outcome render(struct view source, const struct template_input *input) {
    struct outcome o = {0};
    struct template *t = NULL;
    o.ok = template_open(&t, source, &o.fault, &o.st) && template_render(&o.text, t, input, &o.fault, &o.st);
    template_close(t);
    return o;
}

/* The error of the case is the one that came; only what a template raises has to agree in every letter. */
static bool same_error(const struct outcome *o, const json_t *error) {
    const char *kind = json_string_value(json_object_get(error, "kind"));
    const char *message = json_string_value(json_object_get(error, "message"));
    if (o->ok || o->fault.kind == TEMPLATE_NO_FAULT) return false;
    if (strcmp(kind, template_kind_name(o->fault.kind)) != 0) return false;
    return o->fault.kind != TEMPLATE_RAISED || strcmp(o->fault.message, message) == 0;
}

static bool same_text(const struct outcome *o, const json_t *text) {
    struct view want = view_of_json(text);
    return text && o->ok && view_equal((struct view){o->text.at, o->text.n}, want);
}

static void complain(const json_t *c, const struct outcome *o) {
    char *want = json_dumps(c, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    printf("# %s: %s\n# got: %s\n", json_string_value(json_object_get(c, "id")),
           want && strlen(want) < 4000 ? want : "(long)", o->ok ? o->text.at : o->st.message);
    free(want);
}

/* --- the committed suites ------------------------------------------------------------------------------ */

static void load(struct str *out, const char *path) {
    struct status st;
    if (!file_read(out, path, 64 << 20, &st)) fail_msg("%s", st.message);
}

/* The value at a key of the outermost object, as text: jansson cannot hold the integers of the context. */
static struct view outer_member(const struct str *text, const char *from, const char *to) {
    const char *start = strstr(text->at, from);
    assert_non_null(start);
    start += strlen(from);
    const char *end = strstr(start, to);
    assert_non_null(end);
    return (struct view){start, (size_t)(end - start)};
}

static void snippets_are_equal(void **state) {
    (void)state;
    struct str text = {0};
    json_error_t error;
    load(&text, suite);
    struct view context = outer_member(&text, "\"context\": ", ",\n \"now\""),
                rest = outer_member(&text, "\"cases\": ", "\n}");
    json_t *cases = json_loadb(rest.at, rest.n, JSON_ALLOW_NUL, &error), *c;
    if (!cases) fail_msg("%s", error.text);
    size_t i, bad = 0;
    json_array_foreach(cases, i, c) {
        struct template_input input = {.context = context, .now = &clock_of_the_cases};
        struct outcome o = render(view_of_json(json_object_get(c, "template")), &input);
        const json_t *want = json_object_get(c, "error");
        bool same = want ? same_error(&o, want) : same_text(&o, json_object_get(c, "expected"));
        if (!same) complain(c, &o);
        bad += !same;
        outcome_end(&o);
    }
    assert_int_equal(json_array_size(cases), 303);
    json_decref(cases);
    str_free(&text);
    assert_int_equal(bad, 0);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SLOWER = 10 };
#elif defined(__OPTIMIZE__)
enum { SLOWER = 1 };
#else
enum { SLOWER = 4 };
#endif

static void hostile_snippets_end_in_a_bounded_error(void **state) {
    (void)state;
    struct str text = {0};
    json_error_t error;
    load(&text, hostile);
    json_t *cases = json_loadb(text.at, text.n, JSON_ALLOW_NUL, &error), *c;
    if (!cases) fail_msg("%s", error.text);
    size_t i, bad = 0;
    json_array_foreach(cases, i, c) {
        char *context;
        struct template_input input = {.context = dumped(&context, json_object_get(c, "context")),
                                       .now = &clock_of_the_cases};
        double start = seconds();
        struct outcome o = render(view_of_json(json_object_get(c, "template")), &input);
        const char *outcome = json_string_value(json_object_get(c, "outcome"));
        const json_t *python = json_object_get(json_object_get(c, "python_gives"), "expected");
        bool fine = o.ok ? strcmp(outcome, "bounded error") != 0 &&
                               (strncmp(outcome, "any", 3) == 0 || same_text(&o, python))
                         : o.fault.kind != TEMPLATE_NO_FAULT;
        double took = seconds() - start;
        if (!fine || took > 2.0 * SLOWER) {
            printf("# after %.2f s\n", took);
            complain(c, &o);
            bad++;
        }
        outcome_end(&o);
        free(context);
    }
    assert_int_equal(json_array_size(cases), 40);
    json_decref(cases);
    str_free(&text);
    assert_int_equal(bad, 0);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (SLOWER == 1) assert_true(usage.ru_maxrss < 256 << 10);
}

/* --- whose bytes --------------------------------------------------------------------------------------- */

/* The text with what came from outside between brackets. */
static void bracketed(struct str *out, const struct template_text *text) {
    bool inside = false;
    for (size_t i = 0; i <= text->n; i++) {
        bool marked = i < text->n && text->marks && text->marks[i];
        if (marked != inside) str_putc(out, marked ? '[' : ']');
        inside = marked;
        if (i < text->n) str_putc(out, text->at[i]);
    }
}

static void marks_follow_the_text_through_everything(void **state) {
    (void)state;
    static const struct {
        const char *template, *want;
    } cases[] = {
        {"<u>{{ m }}</u>", "<u>[ a|<B> ]</u>"},
        {"{{ '<u>' + m|trim + '</u>' }}", "<u>[a|<B>]</u>"},
        {"{{ '%s!' % m|trim }}", "[a|<B>]!"},
        {"{{ 'x{}y'.format(m|trim) }}", "x[a|<B>]y"},
        {"{{ m|tojson }}", "\"[ a|<B> ]\""},
        {"{{ m|e }}", "[ a|&lt;B&gt; ]"},
        {"{{ [m] }}", "['[ a|<B> ]']"},
        {"{{ m.split('|')|join('-') }}", "[ a]-[<B> ]"},
        {"{{ m|upper|replace('A', '<s>') }}", "[ ]<s>[|<B> ]"},
        {"{{ m[1:3] ~ m[::-1] }}", "[a| >B<|a ]"},
        {"{% set x %}<{{ m|trim }}>{% endset %}{{ x|title }}", "<[A|<B>]>"},
        {"{% macro f(v) %}<{{ v }}>{% endmacro %}{{ f(m|trim) }}", "<[a|<B>]>"},
        {"{% for c in m|trim %}{{ c }},{% endfor %}", "[a],[|],[<],[B],[>],"},
        {"{{ messages[0]['content']|trim|indent(1, true) }}", " [a|<B>]"},
        {"{% for k in messages[0] %}{{ k }};{% endfor %}", "[role];[content];"},
        {"{{ bos_token ~ m|trim|length ~ 'a|<B>' }}", "<s>5a|<B>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str source = {0}, shown = {0};
        str_printf(&source, "{%% set m = messages[0].content %%}%s", cases[i].template);
        struct template_input input = {
            .messages = view_of("[{\"role\": \"user\", \"content\": \" a|<B> \"}]"), .bos = view_of("<s>")};
        struct outcome o = render(view_of(source.at), &input);
        if (!o.ok) fail_msg("%s: %s", cases[i].template, o.st.message);
        bracketed(&shown, &o.text);
        assert_string_equal(str_c(&shown), cases[i].want);
        str_free(&source);
        str_free(&shown);
        outcome_end(&o);
    }
}

/* --- numbers and JSON ---------------------------------------------------------------------------------- */

static void json_of_any_kind_is_read(void **state) {
    (void)state;
    static const struct {
        const char *json, *want;
    } cases[] = {
        {"{\"x\": 123456789012345678901234567890}", "123456789012345678901234567890"},
        {"{\"x\": -9223372036854775809}", "-9223372036854775809"},
        {"{\"x\": \"9223372036854775808\"}", "'9223372036854775808'"},
        {"{\"x\": \"\\u0000007\"}", "'\\x00007'"},
        {"{\"x\": \"\\u0000\\u0000\"}", "'\\x00\\x00'"},
        {"{\"x\": [1e2, -0.5, null, true, \"\\\\\\\"\"]}", "[100.0, -0.5, None, True, '\\\\\"']"},
        {"{\"x\": {\"b\": 1, \"a\": {}}}", "{'b': 1, 'a': {}}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct template_input input = {.context = view_of(cases[i].json)};
        struct outcome o = render(view_of("{{ [x] }}"), &input);
        if (!o.ok) fail_msg("%s: %s", cases[i].json, o.st.message);
        struct str want = {0};
        str_printf(&want, "[%s]", cases[i].want);
        assert_string_equal(o.text.at, str_c(&want));
        str_free(&want);
        outcome_end(&o);
    }
}

static void bad_json_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"[",
                                      "{}",
                                      "[1] 2",
                                      "[\"\\ud800\"]",
                                      "[1e999]",
                                      "nul",
                                      "[1234567890123456789012345678901234567890123456789]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct template_input input = {.messages = view_of(bad[i])};
        struct outcome o = render(view_of("x"), &input);
        assert_false(o.ok);
        assert_true(strlen(o.st.message) > 10);
        outcome_end(&o);
    }
}

static void a_fault_names_line_and_kind(void **state) {
    (void)state;
    static const struct {
        const char *template;
        int line;
        const char *part;
    } cases[] = {
        {"a\nb\n{{ c.d }}", 3, "line 3 (undefined): 'c' is undefined"},
        {"a\r\nb{% if %}", 2, "line 2 (syntax): expected an expression"},
        {"{# a\nb #}\n\n{{ raise_exception('no') }}", 4, "refuses, in line 4: no"},
        {"\n{% for x in [1] %}\n{{ 'a' + x }}{% endfor %}", 3, "line 3 (type)"},
        {"\n\n{{ x | f }}", 3, "line 3 (syntax): No filter named 'f'"},
        {"\xff", 1, "not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct template_input input = {0};
        struct outcome o = render(view_of(cases[i].template), &input);
        assert_false(o.ok);
        assert_int_equal(o.fault.line, cases[i].line);
        if (!strstr(o.st.message, cases[i].part)) fail_msg("'%s' is not in: %s", cases[i].part, o.st.message);
        outcome_end(&o);
    }
}

/* --- cases with messages, from files ------------------------------------------------------------------- */

static bool run_case(const json_t *c, const char *folder) {
    char path[4608], *messages, *tools, *documents, *context;
    struct str source = {0};
    struct status st;
    snprintf(path, sizeof path, "%s/../%s", folder, json_string_value(json_object_get(c, "template")));
    if (!file_read(&source, path, TEMPLATE_SOURCE, &st)) {
        printf("# %s\n", st.message);
        return false;
    }
    struct template_input input = {
        .messages = dumped(&messages, json_object_get(c, "messages")),
        .tools = dumped(&tools, json_object_get(c, "tools")),
        .documents = dumped(&documents, json_object_get(c, "documents")),
        .context = dumped(&context, json_object_get(c, "context")),
        .bos = view_of_json(json_object_get(c, "bos_token")),
        .eos = view_of_json(json_object_get(c, "eos_token")),
        .add_generation_prompt = json_is_true(json_object_get(c, "add_generation_prompt")),
        .continue_final_message = json_is_true(json_object_get(c, "continue_final_message")),
        .now = &clock_of_the_cases,
    };
    struct outcome o = render((struct view){str_c(&source), source.n}, &input);
    const json_t *error = json_object_get(c, "error");
    bool same = error ? same_error(&o, error) : same_text(&o, json_object_get(c, "expected"));
    if (!same) complain(c, &o);
    outcome_end(&o);
    free(messages);
    free(tools);
    free(documents);
    free(context);
    str_free(&source);
    return same;
}

static bool run_file(const char *path) {
    json_error_t error;
    char folder[4096];
    json_t *cases = json_load_file(path, 0, &error), *c;
    size_t i, equal = 0;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (!cases) {
        printf("%s: %s\n", path, error.text);
        return false;
    }
    json_array_foreach(cases, i, c) equal += run_case(c, folder);
    size_t n = json_array_size(cases);
    printf("%zu of %zu cases equal\n", equal, n);
    json_decref(cases);
    return equal == n && n > 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snippets_are_equal),
        cmocka_unit_test(hostile_snippets_end_in_a_bounded_error),
        cmocka_unit_test(marks_follow_the_text_through_everything),
        cmocka_unit_test(json_of_any_kind_is_read),
        cmocka_unit_test(bad_json_is_refused),
        cmocka_unit_test(a_fault_names_line_and_kind),
    };
    bool ok = true;
    for (int i = 1; i < argc; i++) ok = run_file(argv[i]) && ok;
    return argc > 1 ? !ok : cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
