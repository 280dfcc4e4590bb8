#include "cmd/fak/gh.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts gh; quiet: its output goes nowhere. *child is 0 when there is no gh. */
static bool start(pid_t *child, char *const argv[], int in, bool quiet, struct status *st) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (in >= 0) posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    else posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (quiet) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    int error = posix_spawnp(child, "gh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return true;
    *child = 0;
    if (error == ENOENT)
        return status_fail(
            st, STATUS_NOT_FOUND,
            "there is no `gh` on the PATH; install GitHub's client and run `gh auth login`, or "
            "paste the text by hand");
    return status_fail(st, STATUS_SYSTEM, "cannot start gh: %s", strerror(error));
}

static bool finish(pid_t child, int *exit_code, struct status *st) {
    int state;
    pid_t got;
    do got = waitpid(child, &state, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return status_fail_errno(st, "cannot wait for gh");
    *exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return true;
}

bool gh_ready(struct status *st) {
    char *argv[] = {"gh", "auth", "status", NULL};
    pid_t child;
    int code;
    if (!start(&child, argv, -1, true, st) || !finish(child, &code, st)) return false;
    if (code == 0) return true;
    return status_fail(
        st, STATUS_NOT_FOUND,
        "`gh` is not logged in (`gh auth status` exits %d); run `gh auth login`, or paste the text "
        "by hand",
        code);
}

/* A gh that dies early closes the pipe: that is its failure to report, not a signal for us. */
static bool feed(int fd, struct view body) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    bool ok = true;
    while (ok && body.n > 0) {
        ssize_t n = write(fd, body.at, body.n);
        if (n < 0 && errno == EINTR) continue;
        ok = n >= 0;
        if (ok) body.at += n, body.n -= (size_t)n;
    }
    sigaction(SIGPIPE, &before, NULL);
    return ok;
}

bool gh_comment(long number, struct view body, struct status *st) {
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", number);
    char *argv[] = {"gh", "issue", "comment", digits, "--body-file", "-", NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return status_fail_errno(st, "cannot make a pipe to gh");
    pid_t child;
    int code;
    bool ok = start(&child, argv, ends[0], false, st);
    close(ends[0]);
    bool fed = ok && feed(ends[1], body);
    close(ends[1]);
    if (!ok || !finish(child, &code, st)) return false;
    if (code == 0 && fed) return true;
    return status_fail(st, STATUS_SYSTEM, "nothing was posted: `gh issue comment %ld` exits %d%s", number,
                       code, fed ? "" : " before it has read the text");
}
