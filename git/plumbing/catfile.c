#include "git/plumbing/catfile.h"

#include "git/plumbing/process.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One socket is both ends of the conversation: writing to it after git died is an error, not a signal. */
bool catfile_open(struct catfile *out, const char *folder, struct status *st) {
    /* No transport may run: a git before 2.45 would fetch what a partial clone lacks. */
    const char *argv[] = {"git", "-C", folder, "-c", "protocol.allow=never", "cat-file", "--batch", NULL};
    int ends[2];
    *out = (struct catfile){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return status_fail_errno(st, "cannot talk with git");
    bool ok = process_start(&out->pid, argv, ends[1], ends[1], -1, st);
    close(ends[1]);
    if (ok) out->socket = ends[0];
    else close(ends[0]);
    return ok;
}

void catfile_close(struct catfile *catfile) {
    if (catfile->socket >= 0) {
        close(catfile->socket);
        process_wait(catfile->pid);
    }
    str_free(&catfile->buffer);
    *catfile = (struct catfile){.socket = -1};
}

/* Git gives up over the first object that a partial clone lacks and that it may not fetch. */
static bool lost(struct status *st, const char *name) {
    return status_fail(
        st, STATUS_NOT_FOUND,
        "the object %s cannot be read; if this is a partial clone, `git fetch --refetch --no-filter` "
        "brings it, else `git fsck` says why",
        name);
}

static bool ask(struct catfile *catfile, const char *name, struct status *st) {
    struct str line = {0};
    str_printf(&line, "%s\n", name);
    bool ok = str_ok(&line, st);
    for (size_t done = 0; ok && done < line.n;) {
        ssize_t n = send(catfile->socket, line.at + done, line.n - done, MSG_NOSIGNAL);
        if (n >= 0) done += (size_t)n;
        else if (errno != EINTR) ok = lost(st, name);
    }
    str_free(&line);
    return ok;
}

/* More of the answer into the buffer; false at its end. */
static bool more(struct catfile *catfile) {
    enum { CHUNK = 64 << 10 };
    char chunk[CHUNK];
    ssize_t n;
    do n = recv(catfile->socket, chunk, sizeof chunk, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0) return false;
    if (catfile->at == catfile->buffer.n) {
        str_clear(&catfile->buffer);
        catfile->at = 0;
    }
    str_add(&catfile->buffer, chunk, (size_t)n);
    return !catfile->buffer.failed;
}

static bool read_line(struct view *line, struct catfile *catfile) {
    for (;;) {
        struct str *b = &catfile->buffer;
        const char *from = b->at ? b->at + catfile->at : NULL;
        const char *end = from ? memchr(from, '\n', b->n - catfile->at) : NULL;
        if (end) {
            *line = (struct view){from, (size_t)(end - from)};
            catfile->at += line->n + 1;
            return true;
        }
        if (!more(catfile)) return false;
    }
}

/* The next `n` bytes, to `out` or to nowhere. */
static bool take(struct str *out, struct catfile *catfile, size_t n) {
    while (n) {
        size_t there = catfile->buffer.n - catfile->at;
        if (!there) {
            if (!more(catfile)) return false;
            continue;
        }
        if (there > n) there = n;
        if (out) str_add(out, catfile->buffer.at + catfile->at, there);
        catfile->at += there;
        n -= there;
    }
    return true;
}

/* "OID TYPE SIZE", or "NAME missing" */
static bool parse_head(struct view head, bool *is_blob, size_t *size) {
    const char *last = head.n ? memrchr(head.at, ' ', head.n) : NULL;
    if (!last) return false;
    struct view rest = {last + 1, head.n - (size_t)(last + 1 - head.at)};
    struct view before = {head.at, (size_t)(last - head.at)};
    *size = 0;
    for (size_t i = 0; i < rest.n; i++) {
        if (rest.at[i] < '0' || rest.at[i] > '9' || *size > SIZE_MAX / 16) return false;
        *size = *size * 10 + (size_t)(rest.at[i] - '0');
    }
    *is_blob = view_ends(before, " blob");
    return rest.n > 0;
}

bool catfile_read(struct str *out, struct catfile *catfile, const char *name, size_t limit,
                  struct status *st) {
    struct view head;
    bool is_blob;
    size_t size;
    if (strchr(name, '\n'))
        return status_fail(st, STATUS_UNSUPPORTED, "a name with a line feed cannot be asked for");
    if (!ask(catfile, name, st)) return false;
    if (!read_line(&head, catfile)) return lost(st, name);
    if (!parse_head(head, &is_blob, &size))
        return status_fail(st, STATUS_NOT_FOUND,
                           "the object %s is missing; `git fetch --refetch --no-filter` brings it", name);
    bool wanted = is_blob && size <= limit;
    if (!take(wanted ? out : NULL, catfile, size) || !take(NULL, catfile, 1)) return lost(st, name);
    if (!is_blob) return status_fail(st, STATUS_BAD_INPUT, "%s is no file", name);
    if (!wanted) return status_fail(st, STATUS_UNSUPPORTED, "larger than the limit");
    return str_ok(out, st);
}
