/* history: the readers agree on what the commits of generated histories change, and ranges are git's. */
#include "tests/unit/made_repo.h"

#include "git/history.h"

/* libgit2 1.5 loses the memory of its regular expressions when it reads a configuration. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libpcre2"; }

static bool load(const struct reader **reader, struct status *st) {
    (void)st;
    *reader = &repo_reader;
    return true;
}

/* The index reader, libgit2, git. */
static const char *const readers[] = {"index", "libgit2", "git"};

static struct history *open_with(int which) {
    struct history *history;
    struct status st;
    struct history_options options = {.load = which == 2 ? NULL : load, .without_index = which > 0};
    if (!history_open(&history, &options, &st)) fail_msg("%s: %s", readers[which], st.message);
    assert_string_equal(history_reader(history), readers[which]);
    return history;
}

static struct history_list range_of(struct history *history, const char *revisions) {
    struct history_list list;
    struct status st;
    struct history_range range = {.revisions = {revisions}};
    if (!history_range(&list, history, &range, &st)) fail_msg("%s", st.message);
    return list;
}

/* Files that come, go, move into folders of their own name, change mode and become links; side branches. */
static void random_history(unsigned n) {
    sh("git commit -q --allow-empty -m root && git branch side");
    for (unsigned i = 0; i < n; i++) {
        unsigned folder = below(4), file = below(5);
        switch (below(7)) {
        case 0: sh("git rm -rqf --ignore-unmatch d%u/f%u", folder, file); break;
        case 1: sh("rm -rf d%u && echo %u >d%u && git add -A d%u", folder, i, folder, folder); break;
        case 2: sh("[ ! -d d%u ] || { ln -sfn x%u d%u/f%u && git add -A; }", folder, i, folder, file); break;
        case 3:
            sh("[ ! -f d%u/f%u ] || { chmod +x d%u/f%u && git add -A; }", folder, file, folder, file);
            break;
        case 4:
            sh("git stash -q 2>/dev/null; git checkout -q side && echo %u >s%u && git add s%u && git commit "
               "-qm s%u "
               "&& git checkout -q - && git merge -q --no-edit side 2>/dev/null || git merge --abort || :",
               i, file, file, i);
            break;
        default:
            sh("[ -d d%u ] || rm -f d%u; mkdir -p d%u/deep/er && echo %u >d%u/f%u && echo %u >d%u/deep/er/g "
               "&& git add "
               "-A",
               folder, folder, folder, i, folder, file, i, folder);
        }
        sh("git commit -q --allow-empty -m 'step %u' -m 'Body: %u'", i, i);
    }
}

/* Every commit of HEAD, against the first parent and against all, by three readers. */
static size_t compare_readers(void) {
    struct history *history[3];
    struct arena arena = {0};
    struct status st;
    size_t n_compared = 0;
    for (int i = 0; i < 3; i++) history[i] = open_with(i);
    struct history_list list = range_of(history[0], "HEAD");
    for (size_t c = 0; c < list.n; c++)
        for (int all = 0; all < 2; all++) {
            struct change_list changes[3];
            struct str messages[3] = {{0}};
            for (int i = 0; i < 3; i++) {
                if (!history_changes(&changes[i], history[i], &list.at[c], all, &arena, &st) ||
                    !history_message(&messages[i], history[i], list.at[c].oid, &st))
                    fail_msg("%s: %s", readers[i], st.message);
                if (!same_changes(&changes[i], &changes[0])) {
                    show_changes(readers[0], &changes[0]);
                    show_changes(readers[i], &changes[i]);
                    fail_msg("%s and %s do not agree on %s", readers[0], readers[i], list.at[c].oid);
                }
                assert_string_equal(str_c(&messages[i]), str_c(&messages[0]));
            }
            n_compared += changes[0].n;
            for (int i = 0; i < 3; i++) str_free(&messages[i]);
        }
    for (int i = 0; i < 3; i++) history_close(history[i]);
    arena_release(&arena);
    return n_compared;
}

static void all_readers_agree(void **state) {
    (void)state;
    seed = 5;
    fresh_repository("");
    random_history(24);
    if (compare_readers() < 40) fail_msg("too few changes");
    sh("git repack -qadf --depth=50 && git prune-packed && git pack-refs --all && git commit-graph write "
       "--reachable 2>/dev/null");
    if (compare_readers() < 40) fail_msg("too few changes");
}

/* The oids, joined, must be what git says. */
static void expect_range(const struct history_range *range, const char *command) {
    struct history *history = open_with(0);
    struct history_list list;
    struct status st;
    struct process p;
    struct str ours = {0};
    if (!history_range(&list, history, range, &st)) fail_msg("%s", st.message);
    for (size_t i = 0; i < list.n; i++) str_printf(&ours, "%s\n", list.at[i].oid);
    assert_true(process_run(&p, (const char *const[]){"sh", "-ec", command, NULL}, NULL));
    assert_int_equal(p.exit_code, 0);
    assert_string_equal(str_c(&ours), str_c(&p.out));
    process_free(&p);
    str_free(&ours);
    history_close(history);
}

static void ranges_are_those_of_git(void **state) {
    (void)state;
    seed = 9;
    fresh_repository("");
    random_history(14);
    expect_range(&(struct history_range){.revisions = {"HEAD~4..HEAD"}},
                 "git rev-list --topo-order HEAD~4..HEAD");
    expect_range(&(struct history_range){.revisions = {"side...HEAD~2"}},
                 "git rev-list --topo-order side...HEAD~2");
    expect_range(&(struct history_range){.revisions = {"HEAD", "^side"}, .first_parent = true},
                 "git rev-list --topo-order --first-parent HEAD ^side");
    expect_range(&(struct history_range){.revisions = {"HEAD"}, .limit = 3},
                 "git rev-list --topo-order -3 HEAD");
    expect_range(&(struct history_range){.revisions = {"HEAD"}, .path = "d1"},
                 "git rev-list --topo-order HEAD -- d1");
    expect_range(&(struct history_range){.revisions = {"HEAD..HEAD"}}, ":");
}

static void a_bad_range_says_so(void **state) {
    (void)state;
    fresh_repository("");
    sh("echo 1 >a && git add a && git commit -qm one");
    struct history *history = open_with(0);
    static const char *const bad[] = {"nowhere..HEAD", "--all", "0000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct history_list list;
        struct status st;
        struct history_range range = {.revisions = {bad[i]}};
        assert_false(history_range(&list, history, &range, &st));
        if (st.code != STATUS_NOT_FOUND) fail_msg("%s: %s", bad[i], st.message);
    }
    history_close(history);
}

static void a_merge_itself_changes_what_differs_from_all(void **state) {
    (void)state;
    struct arena arena = {0};
    struct change_list changes;
    struct status st;
    fresh_repository("");
    sh("echo 0 >a && echo 0 >b && git add . && git commit -qm base && git checkout -qb side && echo s >b && "
       "git "
       "commit -qam side && git checkout -q - && echo m >a && git commit -qam main && git merge -q "
       "--no-commit side "
       ">/dev/null && echo evil >c && git add c && git commit -qm merged");
    for (int i = 0; i < 3; i++) {
        struct history *history = open_with(i);
        struct history_list list = range_of(history, "HEAD");
        assert_int_equal(list.at[0].n_parents, 2);
        assert_true(history_changes(&changes, history, &list.at[0], false, &arena, &st));
        assert_int_equal(changes.n, 2);
        assert_true(history_changes(&changes, history, &list.at[0], true, &arena, &st));
        assert_int_equal(changes.n, 1);
        assert_string_equal(changes.at[0].path, "c");
        history_close(history);
    }
    arena_release(&arena);
}

static void the_edge_of_a_shallow_clone_is_no_root(void **state) {
    (void)state;
    struct arena arena = {0};
    struct change_list changes;
    struct status st;
    fresh_repository("");
    sh("for i in 1 2 3; do echo $i >a && git add a && git commit -qm $i; done && rm -rf ../tree && git clone "
       "-q "
       "--depth 2 \"file://$PWD\" ../tree");
    assert_int_equal(chdir("../tree"), 0);
    for (int i = 0; i < 3; i++) {
        struct history *history = open_with(i);
        struct history_list list = range_of(history, "HEAD");
        assert_int_equal(list.n, 2);
        assert_false(list.at[0].cut);
        assert_true(list.at[1].cut);
        assert_true(history_changes(&changes, history, &list.at[0], false, &arena, &st));
        assert_int_equal(changes.n, 1);
        assert_false(history_changes(&changes, history, &list.at[1], false, &arena, &st));
        assert_non_null(strstr(st.message, "--unshallow"));
        history_close(history);
    }
    arena_release(&arena);
}

/* A partial clone without its trees: an error, no fetch, nothing written. */
static void missing_objects_are_not_fetched(void **state) {
    (void)state;
    struct arena arena = {0};
    struct change_list changes;
    struct status st;
    fresh_repository("");
    sh("git config uploadpack.allowFilter true && git config uploadpack.allowAnySHA1InWant true && mkdir d "
       "&& for i in "
       "1 2 3; do echo $i >d/a && git add d && git commit -qm $i; done && rm -rf ../tree && git clone -q "
       "--no-checkout "
       "--filter=tree:0 \"file://$PWD\" ../tree");
    assert_int_equal(chdir("../tree"), 0);
    sh("find .git -printf '%%p %%s %%T@ %%C@\\n' | sort >../before");
    for (int i = 0; i < 3; i++) {
        struct history *history = open_with(i);
        struct history_list list = range_of(history, "HEAD");
        assert_int_equal(list.n, 3);
        if (history_changes(&changes, history, &list.at[0], false, &arena, &st))
            fail_msg("%s knew", readers[i]);
        history_close(history);
    }
    sh("find .git -printf '%%p %%s %%T@ %%C@\\n' | sort >../after; diff ../before ../after >&2");
    arena_release(&arena);
}

/* As on a server: no index, no working tree; found from below too. */
static void a_bare_repository_has_a_history(void **state) {
    (void)state;
    seed = 3;
    fresh_repository("");
    random_history(6);
    sh("rm -rf ../tree && git clone -q --bare . ../tree");
    assert_int_equal(chdir("../tree"), 0);
    assert_true(compare_readers() > 0);
    assert_int_equal(chdir("refs/heads"), 0);
    assert_true(compare_readers() > 0);
}

/* As in pre-receive: new objects are in quarantine, the repository's own are an alternate. */
static void objects_in_quarantine_are_read(void **state) {
    (void)state;
    fresh_repository("");
    sh("echo 1 >a && git add a && git commit -qm one && mv .git/objects ../objects.own && mkdir .git/objects "
       "../quarantine && export GIT_OBJECT_DIRECTORY=$PWD/../quarantine "
       "GIT_ALTERNATE_OBJECT_DIRECTORIES=$PWD/../objects.own && echo 2 >a && git add a && git commit -qm "
       "two");
    setenv("GIT_OBJECT_DIRECTORY", "../quarantine", 1);
    setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", ":../none:../objects.own", 1);
    assert_int_equal(compare_readers(), 4);
    unsetenv("GIT_OBJECT_DIRECTORY");
    unsetenv("GIT_ALTERNATE_OBJECT_DIRECTORIES");
    sh("rm -rf ../objects.own ../quarantine");
}

int main(void) {
    if (!made_repo_begin()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_readers_agree),
        cmocka_unit_test(ranges_are_those_of_git),
        cmocka_unit_test(a_bad_range_says_so),
        cmocka_unit_test(a_merge_itself_changes_what_differs_from_all),
        cmocka_unit_test(the_edge_of_a_shallow_clone_is_no_root),
        cmocka_unit_test(missing_objects_are_not_fetched),
        cmocka_unit_test(a_bare_repository_has_a_history),
        cmocka_unit_test(objects_in_quarantine_are_read),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    made_repo_end();
    return code;
}
