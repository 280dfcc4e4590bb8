#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_regular(size_t *size, const char *path, struct status *st) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        status_fail_errno(st, "cannot open '%s'", path);
        return -1;
    }
    struct stat info;
    if (fstat(fd, &info) != 0) {
        status_fail_errno(st, "cannot stat '%s'", path);
    } else if (!S_ISREG(info.st_mode)) {
        status_fail(st, STATUS_BAD_INPUT, "'%s' is %s, not a regular file", path,
                    S_ISDIR(info.st_mode) ? "a directory" : "a device or pipe");
    } else {
        *size = (size_t)info.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

bool mapping_open(struct mapping *map, const char *path, struct status *st) {
    *map = (struct mapping){0};
    size_t size;
    int fd = open_regular(&size, path, st);
    if (fd < 0) return false;
    bool ok = true;
    if (size > 0) {
        void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED) ok = status_fail_errno(st, "cannot map '%s'", path);
        else *map = (struct mapping){at, size};
    }
    close(fd);
    return ok;
}

void mapping_close(struct mapping *map) {
    if (map->at) munmap((void *)(uintptr_t)map->at, map->n);
    *map = (struct mapping){0};
}

void mapping_let_go(const struct mapping *map) {
    if (map->at) madvise((void *)(uintptr_t)map->at, map->n, MADV_DONTNEED);
}

bool mapping_holds(const struct mapping *map, const void *at) {
    return map->at && (uintptr_t)at - (uintptr_t)map->at < map->n;
}

static bool read_all(struct str *out, int fd, const char *path, size_t limit, struct status *st) {
    char chunk[16384];
    size_t total = 0;
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n == 0) return str_ok(out, st);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return status_fail_errno(st, "cannot read '%s'", path);
        total += (size_t)n;
        if (total > limit)
            return status_fail(st, STATUS_BAD_INPUT, "'%s' is longer than %zu bytes", path, limit);
        str_add(out, chunk, (size_t)n);
    }
}

bool file_read(struct str *out, const char *path, size_t limit, struct status *st) {
    size_t size;
    int fd = open_regular(&size, path, st);
    if (fd < 0) return false;
    bool ok = read_all(out, fd, path, limit, st);
    close(fd);
    return ok;
}

static bool write_all(int fd, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

static bool write_parts(int fd, const struct view *parts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!write_all(fd, parts[i].at, parts[i].n)) return false;
    return true;
}

static bool replace(const char *path, mode_t mode, const struct view *parts, size_t n, struct status *st) {
    struct str temp = {0};
    str_printf(&temp, "%s.XXXXXX", path);
    bool ok = str_ok(&temp, st);
    if (!ok) goto out;
    int fd = mkstemp(temp.at);
    if (fd < 0) {
        ok = status_fail_errno(st, "cannot write beside '%s'", path);
        goto out;
    }
    ok = write_parts(fd, parts, n) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
    if (close(fd) != 0) ok = false;
    if (ok) ok = rename(temp.at, path) == 0;
    if (!ok) {
        status_fail_errno(st, "cannot write '%s'", path);
        unlink(temp.at);
    }
out:
    str_free(&temp);
    return ok;
}

static bool write_into(const char *path, const struct view *parts, size_t n, struct status *st) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write_parts(fd, parts, n);
    if (!ok) status_fail_errno(st, "cannot write '%s'", path);
    if (fd >= 0 && close(fd) != 0 && ok) ok = status_fail_errno(st, "cannot write '%s'", path);
    return ok;
}

static mode_t mode_of_a_new_file(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

bool file_replace_parts(const char *path, const struct view *parts, size_t n, struct status *st) {
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && !S_ISREG(info.st_mode)) return write_into(path, parts, n, st);
    char *real = realpath(path, NULL); /* NULL: there is no such file yet */
    mode_t mode = there ? info.st_mode & 07777 : mode_of_a_new_file();
    bool ok = replace(real ? real : path, mode, parts, n, st);
    free(real);
    return ok;
}

bool file_replace(const char *path, const void *bytes, size_t n, struct status *st) {
    return file_replace_parts(path, &(struct view){bytes, n}, 1, st);
}

bool file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}
