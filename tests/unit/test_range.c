/* range: the pure parts of fak gate --range. Whole ranges are tried by tests/e2e/test_range.sh. */
#include "hooks/range/mergemade.h"
#include "hooks/range/pointer.h"
#include "hooks/range/squashed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- squashed ------------------------------------------------------------------------------------------- */

static void expect_part(const struct squashed *parts, size_t i, int line, const char *text) {
    assert_true(i < parts->n);
    assert_int_equal(parts->at[i].line, line);
    if (!view_is(parts->at[i].text, text))
        fail_msg("part %zu: '%.*s', wanted '%s'", i, (int)parts->at[i].text.n, parts->at[i].text.at, text);
}

static void a_squash_of_github_has_a_part_for_each_bullet(void **state) {
    (void)state;
    struct arena arena = {0};
    struct squashed parts;
    struct status st;
    const char *message = "Title (#1)\n\n* one\n\nA: b\n\n* two\n";
    assert_true(squashed_split(&parts, view_of(message), &arena, &st));
    assert_int_equal(parts.n, 3);
    expect_part(&parts, 0, 1, message);
    expect_part(&parts, 1, 3, "one\n\nA: b\n\n");
    expect_part(&parts, 2, 7, "two\n");
    arena_release(&arena);
}

static void a_squash_of_git_is_unindented_line_by_line(void **state) {
    (void)state;
    struct arena arena = {0};
    struct squashed parts;
    struct status st;
    const char *message =
        "Squashed commit of the following:\n\ncommit 0123abc\nAuthor: A\n\n    one\n    \n    A: b\n\n"
        "commit 89abcdef\nAuthor: A\n\n    two\n";
    assert_true(squashed_split(&parts, view_of(message), &arena, &st));
    assert_int_equal(parts.n, 3);
    expect_part(&parts, 1, 3, "\n\n\none\n\nA: b\n\n");
    expect_part(&parts, 2, 10, "\n\n\ntwo\n");
    arena_release(&arena);
}

static void an_ordinary_message_is_one_part(void **state) {
    (void)state;
    struct arena arena = {0};
    struct squashed parts;
    struct status st;
    assert_true(squashed_split(&parts, view_of("s\n\ncommit early\n*bold*\n"), &arena, &st));
    assert_int_equal(parts.n, 1);
    assert_true(squashed_split(&parts, view_of(""), &arena, &st));
    assert_int_equal(parts.n, 1);
    arena_release(&arena);
}

/* --- pointer -------------------------------------------------------------------------------------------- */

static void expect_reverted(const char *message, const char *want) {
    char oid[OID_TEXT];
    pointer_reverted(oid, view_of(message));
    assert_string_equal(oid, want);
}

static void a_revert_names_its_commit(void **state) {
    (void)state;
    expect_reverted("Revert \"x\"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.\n",
                    "0123456789abcdef0123456789abcdef01234567");
    expect_reverted("This reverts commit 0123abc, reversing\nchanges made to 4567def.\n", "0123abc");
    expect_reverted("This reverts commit 0123ab.\n", "");
    expect_reverted("This reverts commit ", "");
    expect_reverted("This reverts nothing", "");
    expect_reverted("", "");
}

static void a_fixup_names_the_subject_it_is_meant_for(void **state) {
    (void)state;
    assert_true(view_is(pointer_target(view_of("fixup! a")), "a"));
    assert_true(view_is(pointer_target(view_of("fixup! squash! amend! fixup! a b ")), "a b"));
    assert_int_equal(pointer_target(view_of("a fixup! b")).n, 0);
    assert_int_equal(pointer_target(view_of("fixup!")).n, 0);
}

/* --- mergemade ------------------------------------------------------------------------------------------ */

static int made(const char *result, const char *one, const char *two) {
    struct status st;
    int line = -1;
    const struct view parents[] = {view_of(one), view_of(two)};
    assert_true(mergemade(&line, view_of(result), parents, 2, &st));
    return line;
}

static void a_merge_of_both_sides_made_nothing(void **state) {
    (void)state;
    assert_int_equal(made("A\nb\nC\n", "A\nb\nc\n", "a\nb\nC\n"), 0);
    assert_int_equal(made("a\n", "a\nb\n", "a\nc\n"), 0);        /* each side took the other's line away */
    assert_int_equal(made("  a\nb\n", "a\nb\n", "a\n\nb\n"), 0); /* blanks */
    assert_int_equal(made("", "", ""), 0);
}

static void what_no_parent_has_is_the_merges_own(void **state) {
    (void)state;
    assert_int_equal(made("a\nevil\nc\n", "a\nb\nc\n", "a\nb\n"), 2);
    assert_int_equal(made("a\n", "a\nb\n", "a\nb\n"), 1); /* what all have is gone */
    assert_int_equal(made("", "b\n", "b\n"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_squash_of_github_has_a_part_for_each_bullet),
        cmocka_unit_test(a_squash_of_git_is_unindented_line_by_line),
        cmocka_unit_test(an_ordinary_message_is_one_part),
        cmocka_unit_test(a_revert_names_its_commit),
        cmocka_unit_test(a_fixup_names_the_subject_it_is_meant_for),
        cmocka_unit_test(a_merge_of_both_sides_made_nothing),
        cmocka_unit_test(what_no_parent_has_is_the_merges_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
