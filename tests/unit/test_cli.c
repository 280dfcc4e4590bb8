/* cli: options, arguments and help from one row of a table. */
#include "cmd/cli/cli.h"
#include "cmd/cli/completion.h"
#include "cmd/cli/manpage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct cli_option options[] = {
    {"-n, --tokens", "N", "how many"},      {"--isa", "ref|c|avx2|auto", "which lane"},
    {"-p", "TEXT", "the prompt"},           {"--json", NULL, "write JSON"},
    {"--markdown", NULL, "write Markdown"}, {0}};
static const struct cli_command table[] = {
    {.name = "run",
     .usage = "[MODEL] [-p TEXT]",
     .summary = "write text",
     .description = "One. Two's \\ and .three",
     .options = options,
     .examples = "fak run -p \"a b\"\twrites",
     .positional = "model"},
    {.name = "sota", .usage = "OP", .summary = "look up", .positional = "op command"},
    {.name = "sota list", .usage = "", .summary = "list"},
    {0}};

enum { MAX = 16 };
struct line {
    char *argv[MAX + 1];
    int argc;
};

/* The words of a line, after the command's own name. */
static struct line words(const char *first, ...) {
    struct line line = {.argv = {(char *)"run"}, .argc = 1};
    va_list args;
    va_start(args, first);
    for (const char *word = first; word; word = va_arg(args, const char *))
        line.argv[line.argc++] = (char *)word;
    va_end(args);
    return line;
}

static void an_option_takes_its_value_in_every_spelling(void **state) {
    (void)state;
    const struct line lines[] = {words("-n", "5", NULL), words("-n5", NULL), words("--tokens", "5", NULL),
                                 words("--tokens=5", NULL)};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct line line = lines[i];
        struct cli_args args;
        struct status st;
        long n;
        assert_true(cli_parse(&args, &table[0], line.argc, line.argv, &st));
        assert_true(cli_number(&n, &args, "--tokens", 1, 9, 3, &st));
        assert_int_equal(n, 5);
        assert_int_equal(args.n_positional, 0);
    }
}

static void a_negative_number_is_a_value_and_an_argument(void **state) {
    (void)state;
    struct cli_args args;
    struct status st;
    long n;
    struct line line = words("-n", "-5", "-7", "-1.5e3", "-", NULL);
    assert_true(cli_parse(&args, &table[0], line.argc, line.argv, &st));
    assert_true(cli_number(&n, &args, "--tokens", -9, 9, 3, &st));
    assert_int_equal(n, -5);
    assert_int_equal(args.n_positional, 3);
    assert_string_equal(args.positional[0], "-7");
    assert_string_equal(args.positional[1], "-1.5e3");
    assert_string_equal(args.positional[2], "-");
}

static void two_dashes_end_the_options(void **state) {
    (void)state;
    struct cli_args args;
    struct status st;
    struct line line = words("--json", "--", "--nothing", "--", NULL);
    assert_true(cli_parse(&args, &table[0], line.argc, line.argv, &st));
    assert_true(cli_given(&args, "--json"));
    assert_int_equal(args.n_positional, 2);
    assert_string_equal(args.positional[1], "--");
}

/* The line is wrong usage, and the message holds `part`. */
static void refuse(struct line line, const char *part) {
    struct cli_args args;
    struct status st = {0};
    assert_false(cli_parse(&args, &table[0], line.argc, line.argv, &st));
    assert_int_equal(st.code, STATUS_USAGE);
    assert_non_null(strstr(st.message, part));
}

static void wrong_usage_says_what_was_meant(void **state) {
    (void)state;
    refuse(words("--jsn", NULL), "did you mean '--json'?");
    refuse(words("--nothing-like-it", NULL), "unknown option '--nothing-like-it'");
    refuse(words("-x", NULL), "unknown option '-x'");
    refuse(words("-n", NULL), "needs a value");
    refuse(words("--json=yes", NULL), "takes no value");
    refuse(words("--isa", "avx9", NULL), "'avx9' is none of ref|c|avx2|auto");
}

static void numbers_are_whole_and_within_range(void **state) {
    (void)state;
    const char *const bad[] = {"", "x", "5x", "1.5", "0", "10", "99999999999999999999", " "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct line line = words("-n", bad[i], NULL);
        struct cli_args args;
        struct status st;
        long n;
        assert_true(cli_parse(&args, &table[0], line.argc, line.argv, &st));
        assert_false(cli_number(&n, &args, "--tokens", 1, 9, 3, &st));
        assert_int_equal(st.code, STATUS_USAGE);
    }
}

static void arguments_are_counted(void **state) {
    (void)state;
    struct cli_args args;
    struct status st;
    struct line line = words("a", "b", NULL);
    assert_true(cli_parse(&args, &table[0], line.argc, line.argv, &st));
    assert_true(cli_expect(&args, 0, 2, &st));
    assert_false(cli_expect(&args, 0, 1, &st));
    assert_non_null(strstr(st.message, "'b' is one argument too many"));
    assert_false(cli_expect(&args, 3, 4, &st));
    assert_int_equal(st.code, STATUS_USAGE);
}

static void one_form_is_asked_for(void **state) {
    (void)state;
    struct cli_args args;
    struct status st;
    enum cli_format format = CLI_JSON;
    struct line none = words(NULL, NULL), json = words("--json", NULL),
                two = words("--json", "--markdown", NULL);
    assert_true(cli_parse(&args, &table[0], none.argc, none.argv, &st) && cli_format(&format, &args, &st));
    assert_int_equal(format, CLI_TEXT);
    assert_true(cli_parse(&args, &table[0], json.argc, json.argv, &st) && cli_format(&format, &args, &st));
    assert_int_equal(format, CLI_JSON);
    assert_true(cli_parse(&args, &table[0], two.argc, two.argv, &st));
    assert_false(cli_format(&format, &args, &st));
}

static void help_is_asked_for_only_where_no_value_stands(void **state) {
    (void)state;
    struct line help = words("x", "--help", NULL), shortly = words("-h", NULL),
                value = words("-p", "--help", NULL), after = words("--", "-h", NULL),
                glued = words("-p--help", NULL);
    assert_true(cli_wants_help(&table[0], help.argc, help.argv));
    assert_true(cli_wants_help(&table[0], shortly.argc, shortly.argv));
    assert_false(cli_wants_help(&table[0], value.argc, value.argv));
    assert_false(cli_wants_help(&table[0], after.argc, after.argv));
    assert_false(cli_wants_help(&table[0], glued.argc, glued.argv));
}

static void distance_counts_typing_errors(void **state) {
    (void)state;
    assert_int_equal(cli_distance("list", "list"), 0);
    assert_int_equal(cli_distance("lits", "list"), 1); /* two letters changed places */
    assert_int_equal(cli_distance("", "abc"), 3);
    assert_int_equal(cli_distance("kitten", "sitting"), 3);
    char longest[200];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(cli_distance(longest, "x"), 63);
}

static void a_command_within_is_told_by_its_name(void **state) {
    (void)state;
    assert_true(cli_is_within(&table[2], &table[1]));
    assert_false(cli_is_within(&table[1], &table[1]));
    assert_false(cli_is_within(&table[0], &table[1]));
    assert_false(cli_is_within(&(struct cli_command){.name = "sotas x"}, &table[1]));
}

static void a_man_page_hides_what_roff_would_read(void **state) {
    (void)state;
    const struct manpage about = {"fak", "a tagline", "1", "May 1, 2026", table};
    struct str out = {0};
    manpage_write(&out, &about, &table[0]);
    assert_non_null(strstr(str_c(&out), "\n.Nm \"fak\\-run\"\n"));
    assert_non_null(strstr(str_c(&out), "One.\nTwo's \\e and .three\n"));
    assert_non_null(strstr(str_c(&out), ".It Li \"fak run \\-p \\(dqa b\\(dq\"\n"));
    str_clear(&out);
    manpage_write(&out, &about, &table[2]);
    assert_non_null(strstr(str_c(&out), ".Sh SEE ALSO\n.Xr fak-sota 1\n"));
    str_free(&out);
}

static void completion_knows_every_command(void **state) {
    (void)state;
    struct str out = {0};
    completion_bash(&out, "fak", table);
    assert_non_null(strstr(str_c(&out), "'run'|'sota'|'sota list')"));
    assert_non_null(strstr(str_c(&out), "'run --isa') COMPREPLY=($(compgen -W 'ref c avx2 auto'"));
    assert_non_null(strstr(str_c(&out), "'run -n'|'run --tokens') return ;;"));
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_takes_its_value_in_every_spelling),
        cmocka_unit_test(a_negative_number_is_a_value_and_an_argument),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(wrong_usage_says_what_was_meant),
        cmocka_unit_test(numbers_are_whole_and_within_range),
        cmocka_unit_test(arguments_are_counted),
        cmocka_unit_test(one_form_is_asked_for),
        cmocka_unit_test(help_is_asked_for_only_where_no_value_stands),
        cmocka_unit_test(distance_counts_typing_errors),
        cmocka_unit_test(a_command_within_is_told_by_its_name),
        cmocka_unit_test(a_man_page_hides_what_roff_would_read),
        cmocka_unit_test(completion_knows_every_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
