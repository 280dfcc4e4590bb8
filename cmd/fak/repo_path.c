#include "cmd/fak/repo_path.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void cut_to(struct str *s, size_t n) {
    if (s->at && n <= s->n) s->at[s->n = n] = '\0';
}

/* Takes the last component off, unless there is none, or it is "..". */
static bool drop_last(struct str *s, size_t root) {
    size_t n = s->n;
    while (n > root && s->at[n - 1] != '/') n--;
    if (s->n == root || strcmp(s->at + n, "..") == 0) return false;
    cut_to(s, n > root ? n - 1 : root);
    return true;
}

void repo_path_tidy(struct str *out, const char *given) {
    size_t root = out->n + (given[0] == '/');
    if (given[0] == '/') str_putc(out, '/');
    while (*given) {
        size_t n = strcspn(given, "/");
        bool up = n == 2 && memcmp(given, "..", 2) == 0;
        bool nothing = n == 0 || (n == 1 && *given == '.') || (up && drop_last(out, root)) ||
                       (up && root > 0 && out->n == root && out->at[root - 1] == '/');
        if (!nothing) {
            if (out->n > root) str_putc(out, '/');
            str_add(out, given, n);
        }
        given += n;
        given += *given == '/';
    }
}

/* The absolute path, its folder resolved as far as it exists: git never looks through a link to a folder. */
static bool absolute(struct str *out, const char *given, struct status *st) {
    struct str text = {0};
    char *cwd = given[0] == '/' ? NULL : getcwd(NULL, 0);
    if (given[0] != '/' && !cwd) return status_fail_errno(st, "cannot tell the working directory");
    if (cwd) str_printf(&text, "%s/", cwd);
    str_puts(&text, given);
    struct str tidy = {0};
    repo_path_tidy(&tidy, str_c(&text));
    char *slash = tidy.at ? strrchr(tidy.at, '/') : NULL;
    if (slash && slash != tidy.at) *slash = '\0';
    char *folder = slash && slash != tidy.at ? realpath(tidy.at, NULL) : NULL;
    if (slash && slash != tidy.at) *slash = '/';
    if (folder) str_printf(out, "%s%s", strcmp(folder, "/") == 0 ? "" : folder, slash);
    else str_puts(out, str_c(&tidy));
    free(folder);
    free(cwd);
    str_free(&text);
    bool ok = str_ok(&tidy, st) && str_ok(out, st);
    str_free(&tidy);
    return ok;
}

/* The length of the nearest folder above `path` that holds ".git", or 0. */
static size_t root_length(const char *path) {
    struct str folder = {0};
    size_t found = 0;
    str_puts(&folder, path);
    for (char *slash; !found && folder.at && (slash = strrchr(folder.at, '/'));) {
        cut_to(&folder, (size_t)(slash - folder.at));
        size_t n = folder.n;
        str_puts(&folder, "/.git");
        if (!folder.failed && access(folder.at, F_OK) == 0) found = n ? n : 1;
        cut_to(&folder, n);
    }
    str_free(&folder);
    return found;
}

bool repo_path_at_root(struct str *out, const char *given, struct status *st) {
    struct str inside = {0};
    bool ok = absolute(&inside, "x", st); /* a file of the working directory */
    size_t root = ok ? root_length(inside.at) : 0;
    if (root > 0) str_printf(out, "%.*s/%s", (int)root, inside.at, given);
    str_free(&inside);
    return ok && str_ok(out, st);
}

bool repo_path(struct str *out, const char *given, struct status *st) {
    struct str path = {0};
    bool ok = absolute(&path, given, st);
    if (!ok) goto out;
    size_t root = root_length(path.at);
    if (root > 0) str_puts(out, path.at + root + (path.at[root] == '/'));
    else repo_path_tidy(out, given);
    ok = str_ok(out, st);
out:
    str_free(&path);
    return ok;
}
