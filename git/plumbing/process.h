/* process: runs a program and keeps what it says.
 *
 * Owns:    the two texts of struct process; process_free.
 * Trusts:  argv. The program inherits the environment, reads nothing (stdin is /dev/null) and speaks English
 *          (LC_ALL=C), so that its complaints can be told apart.
 * Threads: any; each call is its own.
 */
#ifndef GIT_PLUMBING_PROCESS_H
#define GIT_PLUMBING_PROCESS_H

#include "base/str.h"

#include <sys/types.h>

struct process {
    struct str out, err;
    int exit_code; /* 128 + signal when it was killed */
};

/* Runs argv[0] (found on PATH) to its end. False only when it could not be run at all or said more than
 * 256 MiB; a program that fails is told by its exit code. */
bool process_run(struct process *p, const char *const argv[], struct status *st) STATUS_MUST_USE;
void process_free(struct process *p);

/* Starts argv[0] with these three streams (-1: /dev/null), for whoever talks with it while it runs, and waits
 * for its end: the exit code as above. */
bool process_start(pid_t *pid, const char *const argv[], int in, int out, int err,
                   struct status *st) STATUS_MUST_USE;
int process_wait(pid_t pid);

#endif
