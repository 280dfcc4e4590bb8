/* status: how a call says what went wrong.
 *
 * Owns:    nothing; the caller's struct holds the text.
 * Trusts:  nothing; every text is cut to fit.
 * Threads: one struct, one thread.
 *
 * A function that can fail for a reason outside our control takes `struct status *st` last and returns
 * true when it did its work. On false, *st holds one sentence that says what, where and what to do.
 * A bug of ours is an assert, never a status. Nothing here prints: only cmd/ does.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* Why it failed, and with it the exit code that cmd/ gives (1 unless said otherwise). */
enum status_code {
    STATUS_OK = 0,
    STATUS_BAD_INPUT,   /* a file or text from outside is malformed */
    STATUS_UNSUPPORTED, /* well formed, but not something this build can do */
    STATUS_NOT_FOUND,   /* a name, path or symbol that is not there */
    STATUS_USAGE,       /* the caller asked wrongly: exit 2 */
    STATUS_SYSTEM,      /* the operating system refused (errno text is in the message) */
    STATUS_NO_MEMORY,
    STATUS_STOPPED, /* the caller asked it to */
};

struct status {
    enum status_code code;
    const char *file; /* our source file that refused, for debug builds and tests */
    int line;
    char message[480];
};

#if defined(__GNUC__)
#define STATUS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define STATUS_MUST_USE __attribute__((warn_unused_result))
#else
#define STATUS_PRINTF(fmt, args)
#define STATUS_MUST_USE
#endif

/* status_fail(st, code, "what, where, what to do", ...): fills *st and is false, so that
 * `return status_fail(...)` reads as one thought. A NULL st is allowed: the caller does not care why. */
#define status_fail(st, code, ...) status_set((st), (code), __FILE__, __LINE__, __VA_ARGS__)

/* As status_fail, with ": " and the text of errno appended. */
#define status_fail_errno(st, ...) status_set_errno((st), __FILE__, __LINE__, __VA_ARGS__)

bool status_set(struct status *st, enum status_code code, const char *file, int line, const char *format, ...)
    STATUS_PRINTF(5, 6);
bool status_set_errno(struct status *st, const char *file, int line, const char *format, ...)
    STATUS_PRINTF(4, 5);

/* Puts "context: " before the message that *st already holds; is false. */
bool status_wrap(struct status *st, const char *format, ...) STATUS_PRINTF(2, 3);

/* The exit code for a failed status: 2 for STATUS_USAGE, 1 for the rest. */
int status_exit_code(const struct status *st);

#endif
