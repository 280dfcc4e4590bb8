#include "git/index/gitdir.h"

#include "base/file.h"
#include "git/index/discover.h"
#include "git/index/objid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(struct status *st, const char *what) {
    return status_fail(st, STATUS_UNSUPPORTED, "%s", what);
}

/* --- files -----------------------------------------------------------------------------------------------
 */

bool gitdir_has(const struct str *dir, const char *name) {
    struct str path = {0};
    str_printf(&path, "%s/%s", str_c(dir), name);
    bool there = path.at && !path.failed && access(path.at, F_OK) == 0;
    str_free(&path);
    return there;
}

bool gitdir_read(struct str *out, bool *missing, const struct str *dir, const char *name, size_t limit,
                 struct status *st) {
    struct str path = {0};
    struct stat info;
    str_printf(&path, "%s/%s", str_c(dir), name);
    bool ok = str_ok(&path, st);
    *missing = false;
    if (ok && stat(path.at, &info) != 0) {
        *missing = errno == ENOENT || errno == ENOTDIR;
        if (!*missing) ok = status_fail_errno(st, "cannot read '%s'", path.at);
    } else if (ok && S_ISDIR(info.st_mode)) {
        *missing = true;
    } else if (ok) {
        ok = file_read(out, path.at, limit, st);
    }
    str_free(&path);
    return ok;
}

/* --- what belongs to it ----------------------------------------------------------------------------------
 */

static bool refuse_settings(struct status *st) {
    static const char *const names[] = {"GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return status_fail(st, STATUS_UNSUPPORTED, "%s is set", names[i]);
    return true;
}

/* `commondir` of a linked worktree, or $GIT_COMMON_DIR: where it keeps what it shares. */
static bool find_common(struct gitdir *git, const struct str *here, bool *linked, struct status *st) {
    const char *set = getenv("GIT_COMMON_DIR");
    struct str text = {0};
    bool missing = false;
    *linked = true;
    if (set) return discover_resolve(&git->common, str_c(here), view_of(set), st);
    bool ok = gitdir_read(&text, &missing, &git->dir, "commondir", GITDIR_SMALL, st);
    *linked = !missing;
    struct view path = {str_c(&text), text.n};
    while (path.n && (path.at[path.n - 1] == '\n' || path.at[path.n - 1] == '\r')) path.n--;
    if (ok && missing) str_add(&git->common, str_c(&git->dir), git->dir.n);
    else if (ok) ok = discover_resolve(&git->common, str_c(&git->dir), path, st);
    str_free(&text);
    return ok && str_ok(&git->common, st);
}

static bool read_config(struct repoformat *format, const struct str *dir, const char *name,
                        struct status *st) {
    struct str text = {0};
    bool missing;
    bool ok = gitdir_read(&text, &missing, dir, name, GITDIR_SMALL, st) &&
              repoformat_read(format, (struct view){str_c(&text), text.n}, st);
    str_free(&text);
    return ok;
}

/* core.bare and core.worktree of the shared configuration are not about linked worktrees. */
static bool read_format(struct gitdir *git, bool linked, struct status *st) {
    struct repoformat *format = &git->format;
    *format = (struct repoformat){.n_id = OBJID_SHA1};
    if (!read_config(format, &git->common, "config", st)) return false;
    if (format->own_config) {
        if (!read_config(format, &git->dir, "config.worktree", st)) return false;
        if (format->bare) return refuse(st, "core.bare is set beside extensions.worktreeConfig");
    } else if (linked) {
        format->bare = format->bare_set = false;
        format->worktree[0] = '\0';
    }
    return true;
}

/* Where git goes before it looks at relative paths: the top of the working tree, if that is around us. */
static bool find_root(struct str *root, const struct gitdir *git, const struct str *here, struct status *st) {
    const char *set = getenv("GIT_WORK_TREE"), *configured = git->format.worktree;
    struct str tree = {0};
    if (!set && !configured[0]) return true;
    bool ok = set ? discover_resolve(&tree, str_c(here), view_of(set), st)
                  : discover_resolve(&tree, str_c(&git->dir), view_of(configured), st);
    char *real = ok ? realpath(tree.at, NULL) : NULL;
    size_t n = real ? strlen(real) : 0;
    bool inside = n && strncmp(str_c(here), real, n) == 0 && (n == 1 || here->at[n] == '/' || !here->at[n]);
    str_clear(root);
    str_puts(root, inside ? real : str_c(here));
    str_free(&tree);
    free(real);
    return ok && str_ok(root, st);
}

static bool find_files(struct gitdir *git, const struct str *root, struct status *st) {
    const char *index = getenv("GIT_INDEX_FILE"), *objects = getenv("GIT_OBJECT_DIRECTORY");
    return discover_resolve(&git->index, index ? str_c(root) : str_c(&git->dir),
                            view_of(index ? index : "index"), st) &&
           discover_resolve(&git->objects, objects ? str_c(root) : str_c(&git->common),
                            view_of(objects ? objects : "objects"), st);
}

/* Folders with a colon between them; a quoted one would need git's own way of unquoting. */
static bool find_alternates(struct gitdir *git, const struct str *root, struct status *st) {
    const char *set = getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES");
    struct str path = {0};
    bool ok = true;
    for (size_t n; ok && set && *set; set += n + (set[n] == ':')) {
        n = strcspn(set, ":");
        if (n == 0) continue;
        if (*set == '"') ok = refuse(st, "GIT_ALTERNATE_OBJECT_DIRECTORIES has a quoted path");
        ok = ok && discover_resolve(&path, str_c(root), (struct view){set, n}, st);
        if (ok) str_printf(&git->alternates, "%s\n", path.at);
    }
    str_free(&path);
    return ok && str_ok(&git->alternates, st);
}

bool gitdir_open(struct gitdir *out, struct status *st) {
    struct str root = {0}, here = {0};
    bool linked = false, bare = false;
    *out = (struct gitdir){0};
    bool ok = refuse_settings(st) && discover(&out->dir, &root, &here, &bare, st) &&
              find_common(out, &here, &linked, st) && read_format(out, linked, st) &&
              find_root(&root, out, &here, st) && find_files(out, &root, st) &&
              find_alternates(out, &root, st);
    if (ok && bare && !out->format.bare_set) out->format.bare = true;
    if (getenv("GIT_WORK_TREE")) out->format.bare = false;
    str_free(&root);
    str_free(&here);
    if (!ok) gitdir_close(out);
    return ok;
}

void gitdir_close(struct gitdir *git) {
    str_free(&git->dir);
    str_free(&git->common);
    str_free(&git->index);
    str_free(&git->objects);
    str_free(&git->alternates);
}
