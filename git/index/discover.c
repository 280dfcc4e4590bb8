#include "git/index/discover.h"

#include "base/file.h"
#include "git/index/gitdir.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(struct status *st, const char *what) {
    return status_fail(st, STATUS_UNSUPPORTED, "%s", what);
}

bool discover_resolve(struct str *out, const char *dir, struct view path, struct status *st) {
    str_clear(out);
    if (path.n == 0 || path.at[0] != '/') str_printf(out, "%s/", dir);
    str_add(out, path.at, path.n);
    return str_ok(out, st);
}

static bool is_ours(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_uid == geteuid();
}

/* Does it look as a repository's own folder does? */
static bool is_repository(const struct str *dir) {
    const char *set = getenv("GIT_OBJECT_DIRECTORY");
    bool objects = set ? access(set, X_OK) == 0 : gitdir_has(dir, "objects");
    return gitdir_has(dir, "HEAD") && ((objects && gitdir_has(dir, "refs")) || gitdir_has(dir, "commondir"));
}

/* A .git that is a file: "gitdir: PATH", from the folder it is in. */
static bool follow_file(struct str *dir, struct status *st) {
    struct str text = {0}, from = {0};
    bool ok = file_read(&text, dir->at, GITDIR_SMALL, st);
    struct view path = {str_c(&text), text.n};
    while (path.n && (path.at[path.n - 1] == '\n' || path.at[path.n - 1] == '\r')) path.n--;
    if (ok && !view_starts(path, "gitdir: ")) ok = refuse(st, ".git is a file that names no repository");
    const char *slash = strrchr(dir->at, '/');
    str_add(&from, dir->at, (size_t)(slash - dir->at));
    ok = ok && str_ok(&from, st) &&
         discover_resolve(dir, str_c(&from), (struct view){path.at + 8, path.n - 8}, st);
    str_free(&text);
    str_free(&from);
    return ok;
}

/* --- how far up ------------------------------------------------------------------------------------------
 */

/* The length of the longest of $GIT_CEILING_DIRECTORIES that is above `path`: no look at it, or beyond it.
 * Behind an empty one nothing is a symbolic link. */
static size_t ceiling(const char *path) {
    const char *set = getenv("GIT_CEILING_DIRECTORIES");
    size_t longest = 0;
    bool literal = false;
    for (size_t n; set && *set; set += n + (set[n] == ':')) {
        char one[4096], *real = NULL;
        n = strcspn(set, ":");
        if (n == 0) literal = true;
        if (n == 0 || n >= sizeof one || *set != '/') continue;
        memcpy(one, set, n);
        one[n] = '\0';
        if (!literal) real = realpath(one, NULL);
        const char *at = real ? real : one;
        size_t length = strlen(at);
        while (length > 1 && at[length - 1] == '/') length--;
        bool above = length == 1 || (strncmp(path, at, length) == 0 && path[length] == '/');
        if (above && path[1] && length > longest) longest = length;
        free(real);
    }
    return longest;
}

static bool crosses_file_systems(void) {
    const char *set = getenv("GIT_DISCOVERY_ACROSS_FILESYSTEM");
    static const char *const words[] = {"true", "yes", "on", "1"};
    for (size_t i = 0; set && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(set, words[i]) == 0) return true;
    return false;
}

/* *root to the folder above it; false with a reason where there is none that git would look at. */
static bool step_up(struct str *root, size_t limit, dev_t device, struct status *st) {
    static const char none[] = "this is no git repository";
    struct stat info;
    char *slash = strrchr(root->at, '/');
    if (root->n == 1) return status_fail(st, STATUS_NOT_FOUND, "%s", none);
    root->n = slash == root->at ? 1 : (size_t)(slash - root->at);
    root->at[root->n] = '\0';
    if (root->n <= limit) return status_fail(st, STATUS_NOT_FOUND, "%s up to GIT_CEILING_DIRECTORIES", none);
    if (stat(root->at, &info) == 0 && (info.st_dev == device || crosses_file_systems())) return true;
    return refuse(st, "the repository is beyond this file system");
}

/* --- where -----------------------------------------------------------------------------------------------
 */

/* The first folder at or above the working directory that has a repository, or is one. */
static bool search(struct str *dir, struct str *root, bool *bare, struct status *st) {
    struct stat info, here;
    size_t limit = ceiling(root->at);
    if (stat(root->at, &here) != 0) return status_fail_errno(st, "cannot read '%s'", root->at);
    for (;;) {
        if (!discover_resolve(dir, root->n > 1 ? root->at : "", view_of(".git"), st)) return false;
        bool there = stat(dir->at, &info) == 0, file = there && S_ISREG(info.st_mode);
        if (there && (!is_ours(dir->at) || !is_ours(root->at)))
            return refuse(st, "another user owns the repository");
        if (file && !follow_file(dir, st)) return false;
        if (file || (there && is_repository(dir))) break;
        *bare = is_repository(root);
        if (*bare) {
            str_clear(dir);
            str_add(dir, root->at, root->n);
            break;
        }
        if (!step_up(root, limit, here.st_dev, st)) return false;
    }
    return is_ours(dir->at) ? str_ok(dir, st) : refuse(st, "another user owns the repository");
}

static bool named(struct str *dir, const struct str *here, const char *set, struct status *st) {
    struct stat info;
    if (!discover_resolve(dir, str_c(here), view_of(set), st)) return false;
    if (stat(dir->at, &info) == 0 && S_ISREG(info.st_mode) && !follow_file(dir, st)) return false;
    return is_repository(dir) ? true : refuse(st, "GIT_DIR names no repository");
}

bool discover(struct str *dir, struct str *root, struct str *here, bool *bare, struct status *st) {
    const char *set = getenv("GIT_DIR");
    char *cwd = getcwd(NULL, 0);
    *bare = false;
    if (!cwd) return status_fail_errno(st, "cannot tell the working directory");
    str_puts(root, cwd);
    str_puts(here, cwd);
    free(cwd);
    if (!str_ok(root, st) || !str_ok(here, st)) return false;
    return set ? named(dir, here, set, st) : search(dir, root, bare, st);
}
