/* trailer: our parser against the rules, and against git itself. */
#include "git/plumbing/process.h"
#include "hooks/trailer/append.h"
#include "hooks/trailer/trailer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct trailer_rules plain = {"#", ":"};

/* What a message's trailers are, in the form that `git interpret-trailers --parse` prints. */
static char *parsed(const char *message, size_t n, const struct trailer_rules *rules) {
    struct arena arena = {0};
    struct trailer_list list;
    struct status st;
    struct str out = {0};
    assert_true(trailer_parse(&list, (struct view){message, n}, rules, &arena, &st));
    str_puts(&out, "");
    for (size_t i = 0; i < list.n; i++) {
        const struct trailer *trailer = &list.at[i];
        str_add(&out, trailer->key.at, trailer->key.n);
        str_printf(&out, "%c ", rules->separators[0]);
        str_add(&out, trailer->value.at, trailer->value.n);
        str_putc(&out, '\n');
    }
    arena_release(&arena);
    return out.at;
}

static void expect(const char *message, const char *want) {
    char *got = parsed(message, strlen(message), &plain);
    assert_string_equal(got, want);
    free(got);
}

static void last_paragraph_only_and_never_the_first(void **state) {
    (void)state;
    expect("subject\n\nPrior-art: x\n", "Prior-art: x\n");
    expect("Prior-art: x\n", "");
    expect("Prior-art: x", "");
    expect("subject\nPrior-art: x\n", "");
    expect("subject\n\nPrior-art: x\n\nmore prose\n", "");
    expect("\n\nsubject\n\nPrior-art: x\n", "Prior-art: x\n"); /* leading blank lines */
}

static void keys_and_values_are_trimmed_and_folded(void **state) {
    (void)state;
    expect("s\n\nPrior-art : x  \n", "Prior-art: x\n");
    expect("s\n\nPRIOR-ART:x\r\nA: b\r\n", "PRIOR-ART: x\nA: b\n");
    expect("s\n\nPrior-art: one\n  two\n\tthree\n", "Prior-art: one two three\n");
    expect("s\n\nEmpty:\nPrior-art: x\n", "Empty: \nPrior-art: x\n");
    expect("s\n\nPrior_art: x\n", "");
    expect("s\n\nPrior art x\n", "");
    expect("s\n\nPrior-art=x\n", "");
}

static void prose_needs_a_line_that_git_writes(void **state) {
    (void)state;
    expect("s\n\nprose\nPrior-art: x\n", "");
    expect("s\n\na b\nc d\ne f\nSigned-off-by: x\nPrior-art: x\n", "Signed-off-by: x\nPrior-art: x\n");
    expect("s\n\n1 .\n2 .\n3 .\n4 .\n5 .\n6 .\n7 .\nSigned-off-by: x\nPrior-art: x\n", "");
    expect("s\n\n(cherry picked from commit 12)\nPrior-art: x\n", "Prior-art: x\n");
}

/* libgit2/libgit2#6760: a line of dashes hid everything below it (and above). */
static void dashes_in_the_body_hide_nothing(void **state) {
    (void)state;
    expect("s\n\nHeading\n-------\n\n---\ntext\n\nPrior-art: x\n", "Prior-art: x\n");
}

/* conventional-changelog/commitlint#1809: template lines taken as the last lines of the message. */
static void comments_and_scissors_are_not_the_message(void **state) {
    (void)state;
    expect("s\n\nPrior-art: x\n# a\n# b\n#\n\n# c\n", "Prior-art: x\n");
    expect("s\n\nPrior-art: x\n# ------------------------ >8 ------------------------\ndiff --git\n\nB: c\n",
           "Prior-art: x\n");
    expect("s\n\nPrior-art: x\n\nConflicts:\n\ta.c\n\tb.c\n", "Prior-art: x\n");
    expect("s\n\n# Prior-art: x\n", "");
}

static void comment_may_be_any_text(void **state) {
    (void)state;
    const char *message = "s\n\nPrior-art: x\n\xe2\x80\xa3 one\n\xe2\x80\xa3 two\n";
    struct trailer_rules rules = {"\xe2\x80\xa3", ":"};
    char *got = parsed(message, strlen(message), &rules);
    assert_string_equal(got, "Prior-art: x\n");
    free(got);
    assert_string_equal(trailer_auto_comment(view_of("#1\n\nA: b\n; Please\n; enter\n;\n")), ";");
    assert_string_equal(trailer_auto_comment(view_of("#1\n\nA: b\n# Please\n# enter\n")), "#");
    assert_string_equal(trailer_auto_comment(view_of("a\n\n! one bang\n")), "#");
    assert_string_equal(
        trailer_auto_comment(view_of("a\n% ------------------------ >8 ------------------------\nx\n")), "%");
}

static void line_numbers_are_those_of_the_message(void **state) {
    (void)state;
    struct arena arena = {0};
    struct trailer_list list;
    struct status st;
    assert_true(
        trailer_parse(&list, view_of("s\n\nA: b\n c\nPrior-art: x\nPRIOR-ART: y\n"), &plain, &arena, &st));
    const struct trailer *found = trailer_find(&list, "prior-art");
    assert_non_null(found);
    assert_true(view_is(found->value, "y"));
    assert_int_equal(found->line, 6);
    assert_int_equal(list.at[1].line, 5);
    assert_null(trailer_find(&list, "prior"));
    arena_release(&arena);
}

static void a_nul_byte_ends_the_message(void **state) {
    (void)state;
    const char message[] = "s\n\nPrior-art: x\n\0\nmore prose\n";
    char *got = parsed(message, sizeof message - 1, &plain);
    assert_string_equal(got, "Prior-art: x\n");
    free(got);
}

/* --- putting one in ------------------------------------------------------------------------------------ */

static char *appended(struct view message, const char *trailer, const struct trailer_rules *rules) {
    struct arena arena = {0};
    struct status st;
    struct str out = {0};
    assert_true(append_trailer(&out, message, view_of(trailer), rules, &arena, &st));
    arena_release(&arena);
    return out.at;
}

static void expect_appended(const char *message, const char *trailer, const char *want) {
    char *got = appended(view_of(message), trailer, &plain);
    assert_string_equal(got, want);
    free(got);
}

static void a_trailer_goes_where_git_would_put_it(void **state) {
    (void)state;
    expect_appended("s\n", "Prior-art: x", "s\n\nPrior-art: x\n");
    expect_appended("s", "Prior-art: x", "s\n\nPrior-art: x\n");
    expect_appended("s\n\nbody\n", "Prior-art: x", "s\n\nbody\n\nPrior-art: x\n");
    expect_appended("s\n\nA: b\n", "Prior-art: x", "s\n\nA: b\nPrior-art: x\n");
    expect_appended("s\n\n# Please\n# enter\n", "Prior-art: x", "s\n\nPrior-art: x\n\n# Please\n# enter\n");
    expect_appended(
        "s\n\nA: b\n# ------------------------ >8 ------------------------\ndiff\n", "Prior-art: x",
        "s\n\nA: b\nPrior-art: x\n# ------------------------ >8 ------------------------\ndiff\n");
    expect_appended("", "Prior-art: x", "\n\nPrior-art: x\n");
    expect_appended("\n# Please\n", "Prior-art: x", "\n\nPrior-art: x\n\n# Please\n");
}

static void the_same_statement_is_replaced(void **state) {
    (void)state;
    expect_appended("s\n\nPrior-art: a; one\nB: c\n", "Prior-art: a; two", "s\n\nPrior-art: a; two\nB: c\n");
    expect_appended("s\n\nPRIOR-ART: a;\n one\n# c\n", "Prior-art: a; two", "s\n\nPrior-art: a; two\n# c\n");
    expect_appended("s\n\nPrior-art: a; one\n", "Prior-art: a, b; two",
                    "s\n\nPrior-art: a; one\nPrior-art: a, b; two\n");
}

/* --- against git ------------------------------------------------------------------------------------ */

static uint32_t seed;
static uint32_t random_below(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static const char *const pieces[] = {
    "subject line\n",
    "\n",
    "\n",
    "\n",
    "Prior-art: gemm-q4\n",
    "Prior-art: a\n",
    "  folded\n",
    "\ttabbed: x\n",
    "Signed-off-by: A <a@b>\n",
    "(cherry picked from commit 0123)\n",
    "prose that is none: of those\n",
    "prose without colon\n",
    "-----\n",
    "---\n",
    "# comment\n",
    "#\n",
    "; other comment\n",
    " \n",
    "\t\r\n",
    "Conflicts:\n",
    "\tpath/a.c\n",
    "# Conflicts:\n",
    "Key-1 : v  \n",
    "Key:\n",
    "Key=v\n",
    "Key = v\n",
    ":x\n",
    "-: dash\n",
    "Crlf: yes\r\n",
    "\r\n",
    "# ------------------------ >8 ------------------------\n",
    "; ------------------------ >8 ------------------------\n",
    "http://a.b/c\n",
    "Caf\xc3\xa9: x\n",
    "no newline at the end",
    "Tail: no newline",
    "Two words: x\n",
    "a:b:c\n",
    "Signed-off-by:nospace\n",
};

static void make_message(struct str *out) {
    str_clear(out);
    for (uint32_t i = 0, n = 1 + random_below(12); i < n; i++)
        str_puts(out, pieces[random_below(sizeof pieces / sizeof *pieces)]);
}

static void write_file(const char *path, const char *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

enum { BATCH = 400 };

/* One git process reads many files; between them stands a message that only we write. */
static void compare_batch(const char *dir, const char *const options[4], const struct trailer_rules *rules) {
    static char paths[BATCH][256];
    static const char *argv[BATCH * 2 + 16];
    static struct str messages[BATCH];
    char mark[300];
    size_t n = 0;
    argv[n++] = "git";
    for (size_t i = 0; i < 4 && options[i]; i++) argv[n++] = options[i];
    argv[n++] = "interpret-trailers", argv[n++] = "--parse", argv[n++] = "--no-divider";
    snprintf(mark, sizeof mark, "%s/mark", dir);
    char text[64];
    snprintf(text, sizeof text, "s\n\nEnd-Of-One%c 1\n", rules->separators[0]);
    write_file(mark, text, strlen(text));
    for (size_t i = 0; i < BATCH; i++) {
        make_message(&messages[i]);
        snprintf(paths[i], sizeof paths[i], "%s/%zu", dir, i);
        write_file(paths[i], messages[i].at, messages[i].n);
        argv[n++] = paths[i], argv[n++] = mark;
    }
    argv[n] = NULL;
    struct process git;
    struct status st;
    assert_true(process_run(&git, argv, &st));
    assert_int_equal(git.exit_code, 0);
    snprintf(text, sizeof text, "End-Of-One%c 1\n", rules->separators[0]);
    const char *at = str_c(&git.out);
    for (size_t i = 0; i < BATCH; i++) {
        const char *end = strstr(at, text);
        assert_non_null(end);
        char *got = parsed(messages[i].at, messages[i].n, rules);
        if (strlen(got) != (size_t)(end - at) || memcmp(got, at, strlen(got)) != 0)
            fail_msg("message %zu:\n%s\n-- git:\n%.*s-- ours:\n%s", i, messages[i].at, (int)(end - at), at,
                     got);
        free(got);
        at = end + strlen(text);
        str_free(&messages[i]);
        unlink(paths[i]);
    }
    unlink(mark);
    process_free(&git);
}

/* git finds all the trailers that were there, and behind them the new one. (What git's own --in-place writes
 * loses some where lines of blanks end the block.) */
static void compare_appended(const char *dir) {
    static const char added[] = "Prior-art: rope; RoFormer";
    struct str message = {0}, want = {0};
    char before[300], after[300];
    snprintf(before, sizeof before, "%s/before", dir);
    snprintf(after, sizeof after, "%s/after", dir);
    make_message(&message);
    char *got = appended((struct view){message.at, message.n}, added, &plain);
    write_file(before, message.at, message.n);
    write_file(after, got, strlen(got));
    struct process a, b;
    struct status st;
    const char *parse[] = {"git", "interpret-trailers", "--parse", "--no-divider", before, NULL};
    assert_true(process_run(&a, parse, &st));
    parse[4] = after;
    assert_true(process_run(&b, parse, &st));
    str_printf(&want, "%s%s\n", str_c(&a.out), added);
    if (strcmp(want.at, str_c(&b.out)) != 0)
        fail_msg("message:\n%s\n-- ours:\n%s\n-- wanted:\n%s-- git finds:\n%s", message.at, got, want.at,
                 str_c(&b.out));
    process_free(&a);
    process_free(&b);
    free(got);
    str_free(&message);
    str_free(&want);
    unlink(before);
    unlink(after);
}

static void git_finds_what_was_appended(void **state) {
    (void)state;
    struct process git;
    struct status st;
    if (!process_run(&git, (const char *const[]){"git", "version", NULL}, &st)) skip();
    process_free(&git);
    char dir[] = "/tmp/fak-trailer-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const char *rounds = getenv("N");
    seed = 7;
    for (int i = 0, n = rounds ? atoi(rounds) : 60; i < n; i++) compare_appended(dir);
    rmdir(dir);
}

static void same_as_git(void **state) {
    (void)state;
    struct process git;
    struct status st;
    if (!process_run(&git, (const char *const[]){"git", "version", NULL}, &st)) skip();
    process_free(&git);
    char dir[] = "/tmp/fak-trailer-XXXXXX";
    assert_non_null(mkdtemp(dir));
    seed = 1;
    for (int i = 0; i < 4; i++) {
        compare_batch(dir, (const char *const[4]){NULL}, &plain);
        compare_batch(dir, (const char *const[4]){"-c", "core.commentChar=;", NULL},
                      &(struct trailer_rules){";", ":"});
        compare_batch(dir, (const char *const[4]){"-c", "trailer.separators==:", NULL},
                      &(struct trailer_rules){"#", "=:"});
    }
    rmdir(dir);
}

int main(void) {
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_paragraph_only_and_never_the_first),
        cmocka_unit_test(keys_and_values_are_trimmed_and_folded),
        cmocka_unit_test(prose_needs_a_line_that_git_writes),
        cmocka_unit_test(dashes_in_the_body_hide_nothing),
        cmocka_unit_test(comments_and_scissors_are_not_the_message),
        cmocka_unit_test(comment_may_be_any_text),
        cmocka_unit_test(line_numbers_are_those_of_the_message),
        cmocka_unit_test(a_nul_byte_ends_the_message),
        cmocka_unit_test(a_trailer_goes_where_git_would_put_it),
        cmocka_unit_test(the_same_statement_is_replaced),
        cmocka_unit_test(same_as_git),
        cmocka_unit_test(git_finds_what_was_appended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
