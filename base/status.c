#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct status *st, enum status_code code, const char *file, int line, const char *format,
                 va_list args) {
    st->code = code;
    st->file = file;
    st->line = line;
    vsnprintf(st->message, sizeof st->message, format, args);
}

bool status_set(struct status *st, enum status_code code, const char *file, int line, const char *format,
                ...) {
    if (!st) return false;
    va_list args;
    va_start(args, format);
    fill(st, code, file, line, format, args);
    va_end(args);
    return false;
}

bool status_set_errno(struct status *st, const char *file, int line, const char *format, ...) {
    int saved = errno;
    if (!st) return false;
    va_list args;
    va_start(args, format);
    fill(st, STATUS_SYSTEM, file, line, format, args);
    va_end(args);
    size_t used = strlen(st->message);
    snprintf(st->message + used, sizeof st->message - used, ": %s", strerror(saved));
    return false;
}

bool status_wrap(struct status *st, const char *format, ...) {
    if (!st) return false;
    char inner[sizeof st->message];
    memcpy(inner, st->message, sizeof inner);
    va_list args;
    va_start(args, format);
    int used = vsnprintf(st->message, sizeof st->message, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof st->message)
        snprintf(st->message + used, sizeof st->message - (size_t)used, ": %s", inner);
    return false;
}

int status_exit_code(const struct status *st) {
    if (st->code == STATUS_OK) return 0;
    return st->code == STATUS_USAGE ? 2 : 1;
}
