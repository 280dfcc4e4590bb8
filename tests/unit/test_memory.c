/* memory: a whole run of the gate in which the n-th allocation fails, for every n, alone and with all that
 * follow it. It says why in one line or gives the whole advice, gives back what it took, and writes nothing.
 * The linker puts these allocators before our code's (Makefile, --wrap). */
#include "tests/unit/made_repo.h"

#include "git/history.h"
#include "hooks/stage/stage.h"

#include <dirent.h>
#include <errno.h>

/* --- the allocators --------------------------------------------------------------------------------------
 */

static struct plan {
    bool counts, on; /* every allocation behind the n-th fails too */
    size_t fail_at, n, live;
} plan;

static bool is_refused(void) {
    if (!plan.counts) return false;
    plan.n++;
    bool refused = plan.fail_at && (plan.on ? plan.n >= plan.fail_at : plan.n == plan.fail_at);
    if (refused) errno = ENOMEM;
    return refused;
}

static void *taken(void *at) {
    plan.live += plan.counts && at;
    return at;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *at, size_t n);
void __real_free(void *at);
char *__real_getcwd(char *room, size_t n);
char *__real_realpath(const char *path, char *room);
DIR *__real_opendir(const char *path);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *at, size_t n);
void __wrap_free(void *at);
char *__wrap_getcwd(char *room, size_t n);
char *__wrap_realpath(const char *path, char *room);
DIR *__wrap_opendir(const char *path);

void *__wrap_malloc(size_t n) { return is_refused() ? NULL : taken(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size) { return is_refused() ? NULL : taken(__real_calloc(n, size)); }
void *__wrap_realloc(void *at, size_t n) {
    if (is_refused()) return NULL;
    void *now = __real_realloc(at, n);
    return at ? now : taken(now);
}
void __wrap_free(void *at) {
    plan.live -= plan.counts && at;
    __real_free(at);
}
char *__wrap_getcwd(char *room, size_t n) { return is_refused() ? NULL : taken(__real_getcwd(room, n)); }
char *__wrap_realpath(const char *path, char *room) {
    return is_refused() ? NULL : taken(__real_realpath(path, room));
}
DIR *__wrap_opendir(const char *path) { return is_refused() ? NULL : __real_opendir(path); }

static void plan_failure(size_t n, bool on) { plan = (struct plan){.counts = true, .on = on, .fail_at = n}; }

/* --- the gate --------------------------------------------------------------------------------------------
 */

static bool no_libgit2(const struct reader **reader, struct status *st) {
    *reader = NULL;
    return status_fail(st, STATUS_NOT_FOUND, "no libgit2 here");
}

static bool run_gate(struct stage_output *out, struct status *st) {
    static const struct term term = {.width = 80};
    struct stage_input in = {
        .matrix = &sota_matrix,
        .term = &term,
        .repository = {.load = no_libgit2, .committing = true},
        .message_file = "../message",
        .source = "",
    };
    *out = (struct stage_output){0};
    return stage_commit_msg(out, &in, st);
}

static bool run_history(struct stage_output *out, struct status *st) {
    struct history *history;
    struct history_list list;
    struct change_list changes;
    struct arena arena = {0};
    struct history_range range = {.revisions = {"HEAD"}};
    *out = (struct stage_output){0};
    bool ok = history_open(&history, &(struct history_options){.load = no_libgit2}, st) &&
              history_range(&list, history, &range, st);
    for (size_t i = 0; ok && i < list.n; i++) {
        ok = history_changes(&changes, history, &list.at[i], true, &arena, st);
        for (size_t j = 0; ok && j < changes.n; j++)
            str_printf(&out->advice, "%c %s\n", changes.at[j].status, changes.at[j].path);
        ok = ok && history_message(&out->advice, history, list.at[i].oid, st);
    }
    if (ok) ok = str_ok(&out->advice, st);
    history_close(history);
    arena_release(&arena);
    return ok;
}

static void expect_one_line(const char *text, size_t n) {
    size_t length = strlen(text);
    if (length < 8 || strchr(text, '\n')) fail_msg("allocation %zu: the reason is '%s'", n, text);
}

static const char *first_difference(const struct str *a, const struct str *b) {
    size_t i = 0;
    while (i < a->n && i < b->n && a->at[i] == b->at[i]) i++;
    return str_c(a) + i;
}

static void try_each_allocation(bool (*run)(struct stage_output *out, struct status *st), bool on) {
    struct stage_output whole, out;
    struct status st;
    if (!run(&whole, &st)) fail_msg("%s", st.message);
    assert_true(whole.advice.n > 0);
    size_t n = 1, n_failed = 0;
    for (;; n++) {
        st.message[0] = '\0';
        plan_failure(n, on);
        bool ok = run(&out, &st);
        if (ok && strcmp(str_c(&out.advice), str_c(&whole.advice)) != 0)
            fail_msg("allocation %zu: another advice, first at '%.40s'", n,
                     first_difference(&out.advice, &whole.advice));
        stage_output_free(&out);
        plan.counts = false;
        if (plan.live)
            fail_msg("allocation %zu: %zd are not given back (%s)", n, (ssize_t)plan.live, st.message);
        if (plan.n < n) break;
        n_failed += !ok;
        if (!ok) expect_one_line(st.message, n);
    }
    if (n < 30 || n_failed < n / 2) fail_msg("only %zu of %zu allocations mattered", n_failed, n);
    stage_output_free(&whole);
}

static void prepare(const char *options, const char *more) {
    fresh_repository(options);
    sh("echo a message >../message && mkdir -p engine/kernels/ref x && echo 'int a;' "
       ">engine/kernels/ref/linear.c && "
       "for i in 1 2 3; do echo $i >x/$i; done && git add . && git commit -qm one && "
       "echo 'int b;' >engine/kernels/ref/linear.c && git commit -qam two && echo 3 >>x/3 && "
       "echo 'int c;' >engine/kernels/ref/linear.c && git add . && git write-tree >/dev/null && { %s; } && "
       "find .git ../message -printf '%%p %%s %%T@ %%C@\\n' | sort >../before",
       more);
}

static void expect_nothing_written(void) {
    sh("find .git ../message -printf '%%p %%s %%T@ %%C@\\n' | sort >../after; diff ../before ../after >&2");
}

static void try_kind(const char *options, const char *more) {
    for (int on = 0; on < 2; on++) {
        prepare(options, more);
        try_each_allocation(run_gate, on);
        try_each_allocation(run_history, on);
        expect_nothing_written();
    }
}

static void loose_objects(void **state) {
    (void)state;
    try_kind("", ":");
}

static void packs_and_a_split_index(void **state) {
    (void)state;
    try_kind("--object-format=sha256",
             "git update-index --index-version 4 --split-index && git repack -qadf && git "
             "prune-packed && git pack-refs --all");
}

/* What the mapped reader refuses git is asked for. */
static void by_git(void **state) {
    (void)state;
    try_kind("", "mkdir -p .git/refs/replace");
}

int main(void) {
    if (!made_repo_begin()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_objects),
        cmocka_unit_test(packs_and_a_split_index),
        cmocka_unit_test(by_git),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    made_repo_end();
    return code;
}
