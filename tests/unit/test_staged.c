/* staged: the two readers agree on generated repositories, and the facade compares with the right commits. */
#include "git/plumbing/process.h"
#include "git/staged.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char scratch[] = "/tmp/fak-staged-XXXXXX";

static void sh(const char *format, ...) STATUS_PRINTF(1, 2);
static void sh(const char *format, ...) {
    char command[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    struct process p;
    struct status st;
    assert_true(process_run(&p, (const char *const[]){"sh", "-ec", command, NULL}, &st));
    if (p.exit_code) fail_msg("exit %d: %s\n%s", p.exit_code, command, str_c(&p.err));
    process_free(&p);
}

static void fresh_repository(void) {
    assert_int_equal(chdir(scratch), 0);
    sh("rm -rf repo && git init -q repo");
    assert_int_equal(chdir("repo"), 0);
}

static bool load(const struct reader **reader, struct status *st) {
    (void)st;
    *reader = &repo_reader;
    return true;
}

static uint32_t seed;
static uint32_t below(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Names that git quotes, that sort between a folder and its files, and that look like options. */
static const char *const names[] = {
    "a",     "a.c", "a/b.c",     "a-b",     "dir/x y.cu",  "dir/sub/k\xc3\xa9.c",
    "dir.c", "-n",  "q\"uote.c", "t\tab.c", "n\newline.c", "b\xe9.c"};

static void random_step(void) {
    const char *name = names[below(sizeof names / sizeof *names)];
    const char *other = names[below(sizeof names / sizeof *names)];
    switch (below(6)) {
    case 0:
    case 1:
        sh("f='./%s'; mkdir -p \"${f%%/*}\" 2>/dev/null && echo %u >>\"$f\" 2>/dev/null && git add -- \"$f\" "
           "|| :",
           name, below(9));
        break;
    case 2: sh("git rm -rqf --ignore-unmatch -- './%s'", name); break;
    case 3:
        sh("[ ! -f './%s' ] || [ -e './%s' ] || { d='./%s'; mkdir -p \"${d%%/*}\" && git mv './%s' \"$d\" "
           "2>/dev/null; } || :",
           name, other, other, name);
        break;
    case 4: sh("[ ! -f './%s' ] || { chmod +x './%s' && git add -- './%s'; }", name, name, name); break;
    default:
        sh("f='./%s'; [ -e \"$f\" ] || { mkdir -p \"${f%%/*}\" 2>/dev/null && echo i >\"$f\" 2>/dev/null && "
           "git add -N -- \"$f\"; } || :",
           name);
        break;
    }
}

static void read_with(struct change_list *out, const struct reader *reader, struct arena *arena) {
    void *handle;
    struct status st = {.message = ""};
    char head[OID_TEXT];
    struct repo_facts facts;
    if (!reader->open(&handle, &st) || !reader->facts(&facts, handle, arena, &st) ||
        !reader->head(head, handle, &st) || !reader->staged(out, handle, head, arena, &st))
        fail_msg("%s: %s", reader->name, st.message);
    change_sort(out);
    reader->close(handle);
}

static size_t n_compared;

static void expect_agreement(void) {
    struct arena arena = {0};
    struct change_list a = {0}, b = {0};
    read_with(&a, &repo_reader, &arena);
    read_with(&b, &plumbing_reader, &arena);
    for (size_t i = 0; i < a.n || i < b.n; i++) {
        const char *left = i < a.n ? a.at[i].path : "(nothing)",
                   *right = i < b.n ? b.at[i].path : "(nothing)";
        if (strcmp(left, right) != 0) fail_msg("libgit2 says %s, git says %s", left, right);
        assert_int_equal(a.at[i].status, b.at[i].status);
        assert_string_equal(a.at[i].old_oid, b.at[i].old_oid);
        assert_string_equal(a.at[i].new_oid, b.at[i].new_oid);
        assert_int_equal(a.at[i].old_mode, b.at[i].old_mode);
        assert_int_equal(a.at[i].new_mode, b.at[i].new_mode);
    }
    n_compared += a.n;
    arena_release(&arena);
}

static void both_readers_agree(void **state) {
    (void)state;
    for (uint32_t round = 1; round <= 6; round++) {
        seed = round * 2654435761u;
        fresh_repository();
        for (int i = 0; i < 12; i++) random_step();
        expect_agreement();
        sh("git commit -qm one --allow-empty");
        for (int i = 0; i < 12; i++) random_step();
        expect_agreement();
    }
    if (n_compared < 40) fail_msg("only %zu changes were compared", n_compared);
}

/* The paths of the change, joined. */
static void expect_staged(bool committing, const char *author_date, const char *want) {
    struct staged *staged;
    struct status st;
    struct str paths = {0};
    struct staged_options options = {.load = load, .committing = committing, .author_date = author_date};
    for (int i = 0; i < 2; i++, options.load = NULL) {
        if (!staged_open(&staged, &options, &st)) fail_msg("%s", st.message);
        assert_string_equal(staged_reader(staged), i ? "git" : "libgit2");
        str_clear(&paths);
        for (size_t j = 0; j < staged_changes(staged)->n; j++)
            str_printf(&paths, "%c %s,", staged_changes(staged)->at[j].status,
                       staged_changes(staged)->at[j].path);
        assert_string_equal(str_c(&paths), want);
        staged_close(staged);
    }
    str_free(&paths);
}

static void an_amend_is_compared_with_the_parent(void **state) {
    (void)state;
    fresh_repository();
    expect_staged(true, NULL, "");
    sh("echo 1 >a && git add a && GIT_AUTHOR_DATE='@1000 +0000' git commit -qm one");
    expect_staged(true, "@1000 +0000", "A a,");
    expect_staged(true, NULL, "A a,");
    expect_staged(false, NULL, "");
    sh("echo 2 >b && git add b && GIT_AUTHOR_DATE='@2000 +0000' git commit -qm two");
    expect_staged(true, "@2000 +0000", "A b,");
    expect_staged(true, "@3000 +0000", ""); /* commit --allow-empty */
    sh("git rm -q a");
    expect_staged(true, "@2000 +0000", "D a,");
}

static void a_merge_counts_what_differs_from_every_parent(void **state) {
    (void)state;
    fresh_repository();
    sh("echo 0 >a && echo 0 >b && git add . && git commit -qm base && git checkout -qb side && echo s >a && "
       "echo s >c && "
       "git add . && git commit -qm side && git checkout -q - && echo m >a && echo m >b && git add . && git "
       "commit -qm main; "
       "git merge side >/dev/null 2>&1 || :");
    expect_staged(true, NULL, ""); /* `a` is in conflict, `c` is theirs */
    sh("echo both >a && git add a");
    expect_staged(true, NULL, "M a,");
    sh("git commit -qm merged");
    expect_staged(true, NULL, "M a,"); /* amending the merge */
}

static void text_and_configuration_come_from_both(void **state) {
    (void)state;
    fresh_repository();
    sh("printf 'one\\n' >a && git add a && git config fak.empty '' && git config fak.two 1 && git config "
       "--add fak.two 2 && "
       "printf '[fak]\\n\\tbare\\n' >>.git/config");
    for (int i = 0; i < 2; i++) {
        struct staged *staged;
        struct status st;
        struct staged_options options = {.load = i ? NULL : load};
        struct str text = {0};
        bool found;
        assert_true(staged_open(&staged, &options, &st));
        assert_true(staged_text(&text, staged, staged_changes(staged)->at[0].new_oid, 100, &st));
        assert_string_equal(text.at, "one\n");
        assert_false(staged_text(&text, staged, staged_changes(staged)->at[0].new_oid, 3, &st));
        static const char *const cases[][2] = {{"fak.empty", ""}, {"fak.TWO", "2"}, {"fak.bare", "true"}};
        for (size_t j = 0; j < 3; j++) {
            str_clear(&text);
            assert_true(staged_config(&text, &found, staged, cases[j][0], &st) && found);
            assert_string_equal(str_c(&text), cases[j][1]);
        }
        assert_true(staged_config(&text, &found, staged, "fak.none", &st));
        assert_false(found);
        str_free(&text);
        staged_close(staged);
    }
}

int main(void) {
    static const char *const environment[][2] = {{"GIT_CONFIG_GLOBAL", "/dev/null"},
                                                 {"GIT_CONFIG_NOSYSTEM", "1"},
                                                 {"GIT_AUTHOR_NAME", "T"},
                                                 {"GIT_AUTHOR_EMAIL", "t@localhost"},
                                                 {"GIT_COMMITTER_NAME", "T"},
                                                 {"GIT_COMMITTER_EMAIL", "t@localhost"},
                                                 {"HOME", "/nonexistent"}};
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        setenv(environment[i][0], environment[i][1], 1);
    if (!mkdtemp(scratch)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_readers_agree),
        cmocka_unit_test(an_amend_is_compared_with_the_parent),
        cmocka_unit_test(a_merge_counts_what_differs_from_every_parent),
        cmocka_unit_test(text_and_configuration_come_from_both),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    struct process p;
    if (chdir("/") == 0 && process_run(&p, (const char *const[]){"rm", "-rf", scratch, NULL}, NULL))
        process_free(&p);
    return code;
}
