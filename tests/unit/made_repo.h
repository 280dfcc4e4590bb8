/* made_repo: repositories made by the git program for the tests of the readers, and what readers say of them.
 */
#ifndef TESTS_UNIT_MADE_REPO_H
#define TESTS_UNIT_MADE_REPO_H

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

static char scratch[] = "/tmp/fak-repo-XXXXXX";

STATUS_PRINTF(1, 2) static inline void sh(const char *format, ...) {
    char command[2048] = "unset GIT_ALLOW_PROTOCOL; "; /* process_run forbids to fetch; tests clone */
    size_t n = strlen(command);
    va_list args;
    va_start(args, format);
    vsnprintf(command + n, sizeof command - n, format, args);
    va_end(args);
    struct process p;
    struct status st;
    assert_true(process_run(&p, (const char *const[]){"sh", "-ec", command, NULL}, &st));
    if (p.exit_code) fail_msg("exit %d: %s\n%s", p.exit_code, command, str_c(&p.err));
    process_free(&p);
}

/* An empty one in scratch/repo, which becomes the working directory. */
static inline void fresh_repository(const char *options) {
    assert_int_equal(chdir(scratch), 0);
    sh("rm -rf repo tree && git init -q %s repo", options);
    assert_int_equal(chdir("repo"), 0);
}

static uint32_t seed;
static inline uint32_t below(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static inline bool try_read(struct change_list *out, const struct reader *reader, struct arena *arena,
                            struct status *st) {
    void *handle = NULL;
    char head[OID_TEXT];
    struct repo_facts facts;
    *out = (struct change_list){0};
    bool ok = reader->open(&handle, st);
    ok = ok && reader->facts(&facts, handle, arena, st) && reader->head(head, handle, st) &&
         reader->staged(out, handle, head, arena, st);
    if (handle) reader->close(handle);
    change_sort(out);
    return ok;
}

static inline void read_with(struct change_list *out, const struct reader *reader, struct arena *arena) {
    struct status st = {.message = ""};
    if (!try_read(out, reader, arena, &st)) fail_msg("%s: %s", reader->name, st.message);
}

static inline bool same_changes(const struct change_list *a, const struct change_list *b) {
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        const struct change *x = &a->at[i], *y = &b->at[i];
        if (strcmp(x->path, y->path) != 0 || x->status != y->status || x->old_mode != y->old_mode ||
            x->new_mode != y->new_mode || strcmp(x->old_oid, y->old_oid) != 0 ||
            strcmp(x->new_oid, y->new_oid) != 0)
            return false;
    }
    return a->n == b->n;
}

static inline void show_changes(const char *who, const struct change_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        const struct change *c = &list->at[i];
        print_message("%s: %c %o %o %s %s %s\n", who, c->status, c->old_mode, c->new_mode, c->old_oid,
                      c->new_oid, c->path);
    }
}

/* Both say the same; how many changes that were. */
static inline size_t expect_same(const struct reader *reader, const struct reader *other) {
    struct arena arena = {0};
    struct change_list a, b;
    read_with(&a, reader, &arena);
    read_with(&b, other, &arena);
    if (!same_changes(&a, &b)) {
        show_changes(reader->name, &a);
        show_changes(other->name, &b);
        fail_msg("%s and %s do not agree", reader->name, other->name);
    }
    size_t n = a.n;
    arena_release(&arena);
    return n;
}

/* Nobody's configuration but the test's own. False when there is no scratch folder. */
static inline bool made_repo_begin(void) {
    static const char *const environment[][2] = {{"GIT_CONFIG_GLOBAL", "/dev/null"},
                                                 {"GIT_CONFIG_NOSYSTEM", "1"},
                                                 {"GIT_AUTHOR_NAME", "T"},
                                                 {"GIT_AUTHOR_EMAIL", "t@localhost"},
                                                 {"GIT_COMMITTER_NAME", "T"},
                                                 {"GIT_COMMITTER_EMAIL", "t@localhost"},
                                                 {"HOME", "/nonexistent"}};
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        setenv(environment[i][0], environment[i][1], 1);
    return mkdtemp(scratch) != NULL;
}

static inline void made_repo_end(void) {
    struct process p;
    if (chdir("/") == 0 && process_run(&p, (const char *const[]){"rm", "-rf", scratch, NULL}, NULL))
        process_free(&p);
}

#endif
