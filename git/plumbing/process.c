#include "git/plumbing/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_LIMIT = 256 << 20 };

/* Nothing is locked, nothing is translated, and a partial clone stays as it is: git before 2.44 does not know
 * GIT_NO_LAZY_FETCH, but no transport is allowed to it. */
static const char *const fixed[] = {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
                                    "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0"};
enum { N_FIXED = sizeof fixed / sizeof *fixed };

static bool is_fixed(const char *entry) {
    for (size_t i = 0; i < N_FIXED; i++) {
        size_t n = (size_t)(strchr(fixed[i], '=') - fixed[i]) + 1;
        if (strncmp(entry, fixed[i], n) == 0) return true;
    }
    return false;
}

/* The environment with our settings in place of inherited ones; the entries are borrowed. */
static char **environment(struct status *st) {
    size_t n = 0;
    while (environ && environ[n]) n++;
    char **out = calloc(n + N_FIXED + 1, sizeof *out);
    if (!out) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory for an environment of %zu entries", n);
        return NULL;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_fixed(environ[i])) out[kept++] = environ[i];
    for (size_t i = 0; i < N_FIXED; i++) out[kept++] = (char *)(uintptr_t)fixed[i];
    return out;
}

bool process_start(pid_t *pid, const char *const argv[], int in, int out, int err, struct status *st) {
    char **env = environment(st);
    if (!env) return false;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE); /* we may ignore it; the program must not */
    int error = posix_spawn_file_actions_init(&files);
    if (!error) error = posix_spawnattr_init(&attributes);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &defaults);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int ends[3] = {in, out, err};
    for (int i = 0; i < 3 && !error; i++)
        error = ends[i] < 0 ? posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0)
                            : posix_spawn_file_actions_adddup2(&files, ends[i], i);
    if (!error) error = posix_spawnp(pid, argv[0], &files, &attributes, (char **)(uintptr_t)argv, env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    free(env);
    errno = error;
    return error ? status_fail_errno(st, "cannot run '%s'", argv[0]) : true;
}

/* Takes what is there; false at the end of the stream. */
static bool take(struct str *text, int fd) {
    char chunk[16384];
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    if (n == 0) return false;
    if (text->n < OUTPUT_LIMIT) str_add(text, chunk, (size_t)n);
    return true;
}

/* Reads both streams as they come, so that neither fills up while we wait for the other. */
static void collect(struct process *p, int out, int err) {
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    struct str *texts[2] = {&p->out, &p->err};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
        for (int i = 0; i < 2; i++)
            if (fds[i].fd >= 0 && fds[i].revents && !take(texts[i], fds[i].fd)) fds[i].fd = -1;
    }
}

int process_wait(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool process_run(struct process *p, const char *const argv[], struct status *st) {
    *p = (struct process){0};
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t pid;
    bool ok = pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
    if (!ok) status_fail_errno(st, "cannot run '%s': no pipe", argv[0]);
    else ok = process_start(&pid, argv, -1, out[1], err[1], st);
    if (out[1] >= 0) close(out[1]);
    if (err[1] >= 0) close(err[1]);
    if (ok) {
        collect(p, out[0], err[0]);
        p->exit_code = process_wait(pid);
        ok = str_ok(&p->out, st) && str_ok(&p->err, st);
        if (ok && p->out.n >= OUTPUT_LIMIT)
            ok = status_fail(st, STATUS_UNSUPPORTED, "'%s' said more than 256 MiB", argv[0]);
    }
    if (out[0] >= 0) close(out[0]);
    if (err[0] >= 0) close(err[0]);
    return ok;
}

void process_free(struct process *p) {
    str_free(&p->out);
    str_free(&p->err);
    *p = (struct process){0};
}
