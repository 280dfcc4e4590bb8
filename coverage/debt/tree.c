#include "coverage/debt/tree.h"

#include "sotadb/glob.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- running git ------------------------------------------------------------------------------------------
 */

enum { EXIT_NO_GIT = 127 };

static void become_git(const char *const argv[], int out, int err) {
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(EXIT_NO_GIT);
    setenv("LC_ALL", "C", 1);
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    execvp("git", (char *const *)(uintptr_t)argv);
    _exit(errno == ENOENT ? EXIT_NO_GIT : EXIT_NO_GIT - 1);
}

/* Reads both pipes to their ends, whichever speaks first. */
static bool drain(int fds[2], struct str *texts[2], struct status *st) {
    int open_pipes = 2;
    while (open_pipes) {
        struct pollfd wait[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
        if (poll(wait, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return status_fail_errno(st, "waiting for git");
        }
        for (int i = 0; i < 2; i++) {
            if (fds[i] < 0 || !wait[i].revents) continue;
            char buffer[16384];
            ssize_t n = read(fds[i], buffer, sizeof buffer);
            if (n < 0 && errno == EINTR) continue;
            if (n > 0) {
                str_add(texts[i], buffer, (size_t)n);
            } else {
                close(fds[i]);
                fds[i] = -1;
                open_pipes--;
            }
        }
    }
    return str_ok(texts[0], st) && str_ok(texts[1], st);
}

/* git's exit code in *code; what it says on stderr in *err. */
static bool run_git(struct str *out, struct str *err, int *code, const char *const argv[],
                    struct status *st) {
    int out_pipe[2], err_pipe[2];
    if (pipe2(out_pipe, O_CLOEXEC)) return status_fail_errno(st, "a pipe to git");
    if (pipe2(err_pipe, O_CLOEXEC)) {
        close(out_pipe[0]);
        close(out_pipe[1]);
        return status_fail_errno(st, "a pipe to git");
    }
    pid_t child = fork();
    if (child == 0) become_git(argv, out_pipe[1], err_pipe[1]);
    close(out_pipe[1]);
    close(err_pipe[1]);
    int fds[2] = {out_pipe[0], err_pipe[0]};
    bool ok = child > 0 ? drain(fds, (struct str *[2]){out, err}, st)
                        : status_fail_errno(st, "git cannot be started");
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0) close(fds[i]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return ok;
}

static bool complain(const char *folder, const struct str *err, int code, struct status *st) {
    if (code == EXIT_NO_GIT)
        return status_fail(st, STATUS_SYSTEM,
                           "git is not on PATH, and only git knows which files count; install it");
    if (strstr(str_c(err), "not a git repository"))
        return status_fail(
            st, STATUS_NOT_FOUND,
            "%s lies in no git repository; go into one, name one with -C DIR, or make one with `git init`",
            folder);
    if (strstr(str_c(err), "must be run in a work tree"))
        return status_fail(st, STATUS_UNSUPPORTED,
                           "%s is a bare repository without files; check one out with `git worktree add`",
                           folder);
    struct view line, rest = {str_c(err), err->n};
    if (!view_line(&line, &rest)) line = view_of("it said nothing");
    return status_fail(st, STATUS_SYSTEM, "git cannot list the files of %s: %.*s", folder, (int)line.n,
                       line.at);
}

/* --- the list ----------------------------------------------------------------------------------------------
 */

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_there(const char *root, const char *path) {
    struct str full = {0};
    struct stat info;
    str_printf(&full, "%s/%s", root, path);
    bool there =
        !full.failed && lstat(str_c(&full), &info) == 0 && !S_ISDIR(info.st_mode); /* a folder: a submodule */
    str_free(&full);
    return there;
}

static bool keep_paths(struct tree *tree, const char *listed, size_t n, struct arena *arena,
                       struct status *st) {
    size_t count = 0, used = 0, kept = 0;
    for (size_t i = 0; i < n; i++) count += listed[i] == 0;
    const char **paths = arena_alloc(arena, count, sizeof *paths, st);
    char *text = arena_copy(arena, listed, n, st);
    if (!paths || !text) return false;
    for (const char *at = text; used < count; used++, at += strlen(at) + 1) paths[used] = at;
    if (count) qsort(paths, count, sizeof *paths, by_bytes);
    for (size_t i = 0; i < count; i++) {
        bool again = kept && strcmp(paths[kept - 1], paths[i]) == 0; /* unmerged files are listed thrice */
        if (!again && is_there(tree->root, paths[i])) paths[kept++] = paths[i];
    }
    tree->paths = paths;
    tree->n = kept;
    return true;
}

static bool read_root(struct tree *tree, const char *folder, struct arena *arena, struct status *st) {
    struct str out = {0}, err = {0};
    int code;
    bool ok = run_git(&out, &err, &code,
                      (const char *const[]){"git", "-C", folder, "rev-parse", "--show-toplevel", NULL}, st);
    if (ok && code != 0) ok = complain(folder, &err, code, st);
    if (ok) {
        size_t n = out.n && out.at[out.n - 1] == '\n' ? out.n - 1 : out.n;
        tree->root = arena_copy(arena, str_c(&out), n, st);
        ok = tree->root != NULL;
    }
    str_free(&out);
    str_free(&err);
    return ok;
}

bool tree_open(struct tree *tree, const char *folder, struct arena *arena, struct status *st) {
    *tree = (struct tree){0};
    if (!read_root(tree, folder, arena, st)) return false;
    struct str out = {0}, err = {0};
    int code;
    bool ok = run_git(&out, &err, &code,
                      (const char *const[]){"git", "-C", tree->root, "ls-files", "-z", NULL}, st);
    if (ok && code != 0) ok = complain(folder, &err, code, st);
    ok = ok && keep_paths(tree, str_c(&out), out.n, arena, st);
    str_free(&out);
    str_free(&err);
    return ok;
}

bool tree_config(const char **value, const struct tree *tree, const char *key, struct arena *arena,
                 struct status *st) {
    struct str out = {0}, err = {0};
    int code;
    bool ok = run_git(&out, &err, &code,
                      (const char *const[]){"git", "-C", tree->root, "config", "--get", key, NULL}, st);
    if (ok && code > 1) ok = complain(tree->root, &err, code, st);
    size_t n = code == 0 && out.n ? out.n - 1 : 0;
    *value = ok ? arena_copy(arena, str_c(&out), n, st) : NULL;
    str_free(&out);
    str_free(&err);
    return ok && *value;
}

bool tree_has(const struct tree *tree, const char *path) {
    return tree->n && bsearch(&path, tree->paths, tree->n, sizeof *tree->paths, by_bytes);
}

bool tree_matches(const struct tree *tree, const char *glob) {
    for (size_t i = 0; i < tree->n; i++)
        if (glob_match(glob, tree->paths[i])) return true;
    return false;
}
