/* failalloc: loaded before a program (LD_PRELOAD), makes its FAIL_AT-th allocation fail, and with FAIL_ON
 * every one behind it. FAIL_LOG names a file that gets an 'x' when one failed. Programs that it starts are
 * left alone. glibc. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

#define EXPORT __attribute__((visibility("default")))

static long n, fail_at; /* 0: not yet, or never */
static int on, log_fd = -1;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT"), *log = getenv("FAIL_LOG");
    on = getenv("FAIL_ON") != NULL;
    if (log) log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    unsetenv("LD_PRELOAD");
    fail_at = at ? atol(at) : 0;
}

static int refuses(void) {
    if (!fail_at) return 0;
    n++;
    if (on ? n < fail_at : n != fail_at) return 0;
    if (log_fd >= 0 && write(log_fd, "x", 1) != 1) log_fd = -1;
    errno = ENOMEM;
    return 1;
}

EXPORT void *malloc(size_t size) { return refuses() ? NULL : __libc_malloc(size); }
EXPORT void *calloc(size_t count, size_t size) { return refuses() ? NULL : __libc_calloc(count, size); }
EXPORT void *realloc(void *at, size_t size) { return refuses() ? NULL : __libc_realloc(at, size); }
EXPORT void *memalign(size_t alignment, size_t size) {
    return refuses() ? NULL : __libc_memalign(alignment, size);
}
EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    return refuses() ? NULL : __libc_memalign(alignment, size);
}
EXPORT int posix_memalign(void **out, size_t alignment, size_t size) {
    if (refuses()) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}
