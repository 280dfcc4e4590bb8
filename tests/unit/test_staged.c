/* staged: the readers agree on generated repositories, and the facade compares with the right commits. */
#include "tests/unit/made_repo.h"

static bool load(const struct reader **reader, struct status *st) {
    (void)st;
    *reader = &repo_reader;
    return true;
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

static void all_readers_agree(void **state) {
    (void)state;
    size_t n_compared = 0;
    for (uint32_t round = 1; round <= 6; round++) {
        seed = round * 2654435761u;
        fresh_repository("");
        for (int half = 0; half < 2; half++) {
            if (half) sh("git commit -qm one --allow-empty");
            for (int i = 0; i < 12; i++) random_step();
            n_compared += expect_same(&repo_reader, &plumbing_reader);
            n_compared += expect_same(&index_reader, &plumbing_reader);
        }
    }
    if (n_compared < 80) fail_msg("only %zu changes were compared", n_compared);
}

/* The paths of the change, joined. */
static void expect_staged(bool committing, const char *author_date, const char *want) {
    struct staged *staged;
    struct status st;
    struct str paths = {0};
    struct staged_options options = {.load = load, .committing = committing, .author_date = author_date};
    static const char *const readers[] = {"index", "libgit2", "git"};
    for (int i = 0; i < 3; i++) {
        if (i == 1) options.without_index = true;
        if (i == 2) options.load = NULL;
        if (!staged_open(&staged, &options, &st)) fail_msg("%s", st.message);
        assert_string_equal(staged_reader(staged), readers[i]);
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
    fresh_repository("");
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
    fresh_repository("");
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

static void text_and_configuration_come_from_all(void **state) {
    (void)state;
    fresh_repository("");
    sh("printf 'one\\n' >a && git add a && git config fak.empty '' && git config fak.two 1 && git config "
       "--add fak.two 2 && "
       "printf '[fak]\\n\\tbare\\n' >>.git/config");
    for (int i = 0; i < 4; i++) {
        struct staged *staged;
        struct status st;
        struct staged_options options = {.load = i & 1 ? NULL : load, .without_index = i & 2};
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
    if (!made_repo_begin()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_readers_agree),
        cmocka_unit_test(an_amend_is_compared_with_the_parent),
        cmocka_unit_test(a_merge_counts_what_differs_from_every_parent),
        cmocka_unit_test(text_and_configuration_come_from_all),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    made_repo_end();
    return code;
}
