#include "git/index/gitdir.h"

#include "base/file.h"
#include "git/index/objid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL_FILE = 1 << 20 };

static bool refuse(struct status *st, const char *what) {
    return status_fail(st, STATUS_UNSUPPORTED, "%s", what);
}

/* --- paths
 * ---------------------------------------------------------------------------------------------------- */

/* *out = `path` as seen from `dir`, unless it is absolute. */
static bool resolve(struct str *out, const char *dir, struct view path, struct status *st) {
    str_clear(out);
    if (path.n == 0 || path.at[0] != '/') str_printf(out, "%s/", dir);
    str_add(out, path.at, path.n);
    return str_ok(out, st);
}

static bool exists_in(const struct str *dir, const char *name) {
    struct str path = {0};
    str_printf(&path, "%s/%s", str_c(dir), name);
    bool there = path.at && !path.failed && access(path.at, F_OK) == 0;
    str_free(&path);
    return there;
}

/* Appends DIR/NAME; *missing when there is no such file. */
static bool read_in(struct str *out, bool *missing, const struct str *dir, const char *name, size_t limit,
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

static bool is_ours(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && info.st_uid == geteuid();
}

/* --- which repository
 * ------------------------------------------------------------------------------------------ */

static bool refuse_settings(struct status *st) {
    static const char *const names[] = {"GIT_COMMON_DIR",
                                        "GIT_OBJECT_DIRECTORY",
                                        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                        "GIT_CEILING_DIRECTORIES",
                                        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
                                        "GIT_GRAFT_FILE",
                                        "GIT_REPLACE_REF_BASE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return status_fail(st, STATUS_UNSUPPORTED, "%s is set", names[i]);
    return true;
}

/* A .git that is a file: "gitdir: PATH". */
static bool follow_file(struct str *dir, const char *root, struct status *st) {
    struct str text = {0}, at = {0};
    bool missing;
    str_puts(&at, root);
    bool ok = str_ok(&at, st) && read_in(&text, &missing, &at, ".git", SMALL_FILE, st);
    struct view path = {str_c(&text), text.n};
    while (path.n && (path.at[path.n - 1] == '\n' || path.at[path.n - 1] == '\r')) path.n--;
    if (ok && !view_starts(path, "gitdir: ")) ok = refuse(st, ".git is a file that names no repository");
    if (ok) ok = resolve(dir, root, (struct view){path.at + 8, path.n - 8}, st);
    str_free(&text);
    str_free(&at);
    return ok;
}

/* The first folder at or above the working directory with a .git; *root becomes that folder. */
static bool discover(struct str *dir, struct str *root, struct status *st) {
    struct stat info, here;
    if (stat(str_c(root), &here) != 0) return status_fail_errno(st, "cannot read '%s'", str_c(root));
    for (;;) {
        if (!resolve(dir, str_c(root), view_of(".git"), st)) return false;
        if (lstat(str_c(dir), &info) == 0) break;
        if (exists_in(root, "HEAD") && exists_in(root, "objects"))
            return refuse(st, "the working directory is inside a repository's own folder");
        char *slash = strrchr(root->at, '/');
        if (!slash || root->n == 1) return status_fail(st, STATUS_NOT_FOUND, "this is no git repository");
        root->n = slash == root->at ? 1 : (size_t)(slash - root->at);
        root->at[root->n] = '\0';
        if (stat(root->at, &info) != 0 || info.st_dev != here.st_dev)
            return refuse(st, "the repository is beyond this file system");
    }
    if (!is_ours(dir->at) || !is_ours(root->at)) return refuse(st, "another user owns the repository");
    if (S_ISREG(info.st_mode) && !follow_file(dir, str_c(root), st)) return false;
    return is_ours(dir->at) ? true : refuse(st, "another user owns the repository");
}

static bool find_dir(struct gitdir *git, struct str *root, struct status *st) {
    const char *set = getenv("GIT_DIR");
    char *here = getcwd(NULL, 0);
    if (!here) return status_fail_errno(st, "cannot tell the working directory");
    str_puts(root, here);
    free(here);
    if (!str_ok(root, st)) return false;
    if (!set) {
        if (getenv("GIT_WORK_TREE")) return refuse(st, "GIT_WORK_TREE is set without GIT_DIR");
        return discover(&git->dir, root, st);
    }
    struct stat info;
    if (!resolve(&git->dir, str_c(root), view_of(set), st)) return false;
    if (stat(git->dir.at, &info) != 0 || !S_ISDIR(info.st_mode)) return refuse(st, "GIT_DIR is no folder");
    return true;
}

/* `commondir` of a linked worktree: where it keeps what it shares. */
static bool find_common(struct gitdir *git, bool *linked, struct status *st) {
    struct str text = {0};
    bool missing;
    bool ok = read_in(&text, &missing, &git->dir, "commondir", SMALL_FILE, st);
    *linked = !missing;
    struct view path = {str_c(&text), text.n};
    while (path.n && (path.at[path.n - 1] == '\n' || path.at[path.n - 1] == '\r')) path.n--;
    if (ok && missing) str_add(&git->common, str_c(&git->dir), git->dir.n);
    else if (ok) ok = resolve(&git->common, str_c(&git->dir), path, st);
    str_free(&text);
    return ok && str_ok(&git->common, st);
}

static bool read_format(struct gitdir *git, bool linked, struct status *st) {
    struct str text = {0};
    bool missing;
    git->format = (struct repoformat){.n_id = OBJID_SHA1};
    bool ok = read_in(&text, &missing, &git->common, "config", SMALL_FILE, st) &&
              repoformat_read(&git->format, (struct view){str_c(&text), text.n}, st);
    if (ok && git->format.own_config) {
        str_clear(&text);
        struct repoformat own = {.n_id = OBJID_SHA1, .bare = git->format.bare && !linked};
        ok = read_in(&text, &missing, &git->dir, "config.worktree", SMALL_FILE, st) &&
             repoformat_read(&own, (struct view){str_c(&text), text.n}, st);
        git->format.bare = own.bare;
    } else if (linked) {
        git->format.bare = false;
    }
    str_free(&text);
    if (ok && git->format.bare) return refuse(st, "the repository is bare");
    return ok;
}

/* packed-refs, or nothing where there is none. */
static bool map_packed(struct mapping *map, const struct gitdir *git, struct status *st) {
    struct str path = {0};
    struct stat info;
    *map = (struct mapping){0};
    str_printf(&path, "%s/packed-refs", str_c(&git->common));
    bool ok = str_ok(&path, st);
    if (ok && stat(path.at, &info) == 0) ok = mapping_open(map, path.at, st);
    else if (ok && errno != ENOENT) ok = status_fail_errno(st, "cannot read '%s'", path.at);
    str_free(&path);
    return ok;
}

/* What would put other objects in the place of those that names name. */
static bool refuse_replaced(const struct gitdir *git, struct status *st) {
    static const char replace[] = " refs/replace/";
    struct mapping packed;
    if (exists_in(&git->common, "info/grafts")) return refuse(st, "the repository has grafts");
    if (!map_packed(&packed, git, st)) return false;
    bool replaced = exists_in(&git->common, "refs/replace") ||
                    (packed.at && memmem(packed.at, packed.n, replace, sizeof replace - 1));
    mapping_close(&packed);
    return replaced ? refuse(st, "the repository has replace refs") : true;
}

static bool find_index(struct gitdir *git, const struct str *root, struct status *st) {
    const char *set = getenv("GIT_INDEX_FILE");
    if (!set) return resolve(&git->index, str_c(&git->dir), view_of("index"), st);
    if (set[0] != '/' && getenv("GIT_WORK_TREE"))
        return refuse(st, "GIT_WORK_TREE is set and GIT_INDEX_FILE is relative");
    return resolve(&git->index, str_c(root), view_of(set), st);
}

bool gitdir_open(struct gitdir *out, struct status *st) {
    struct str root = {0};
    bool linked = false;
    *out = (struct gitdir){0};
    bool ok = refuse_settings(st) && find_dir(out, &root, st) && find_common(out, &linked, st) &&
              read_format(out, linked, st) && refuse_replaced(out, st) && find_index(out, &root, st);
    str_free(&root);
    if (!ok) gitdir_close(out);
    return ok;
}

void gitdir_close(struct gitdir *git) {
    str_free(&git->dir);
    str_free(&git->common);
    str_free(&git->index);
}

/* --- HEAD
 * ------------------------------------------------------------------------------------------------------ */

static bool is_sound_ref(struct view name) {
    if (!view_starts(name, "refs/") || memchr(name.at, '\0', name.n) || memchr(name.at, '\n', name.n))
        return false;
    return !memmem(name.at, name.n, "..", 2) && !memmem(name.at, name.n, "//", 2);
}

/* A line "ID REF" of packed-refs. */
static bool find_packed(char oid[OID_TEXT], const struct gitdir *git, struct view name, struct status *st) {
    struct str line = {0};
    struct mapping map;
    uint8_t id[OBJID_MAX];
    str_printf(&line, " %.*s\n", (int)name.n, name.at);
    bool ok = str_ok(&line, st) && map_packed(&map, git, st);
    if (!ok) goto out;
    const uint8_t *hit = map.at ? memmem(map.at, map.n, line.at, line.n) : NULL;
    size_t n = 2 * git->format.n_id, before = hit ? (size_t)(hit - map.at) : 0;
    if (hit) {
        ok = before >= n && (before == n || hit[-(ptrdiff_t)n - 1] == '\n') &&
             objid_from_text(id, (struct view){(const char *)hit - n, n}, git->format.n_id);
        if (ok) objid_to_text(oid, id, git->format.n_id);
        else status_fail(st, STATUS_BAD_INPUT, "packed-refs is damaged");
    }
    mapping_close(&map);
out:
    str_free(&line);
    return ok;
}

/* These belong to one worktree (gitrepository-layout(5)). */
static bool is_per_worktree(struct view name) {
    return view_starts(name, "refs/bisect/") || view_starts(name, "refs/worktree/") ||
           view_starts(name, "refs/rewritten/") || !view_starts(name, "refs/");
}

/* One step from the ref in *name: to a commit, to nothing, or to another ref (*name then, *done = false). */
static bool step(char oid[OID_TEXT], struct str *name, bool *done, const struct gitdir *git,
                 struct status *st) {
    struct str text = {0};
    bool missing;
    uint8_t id[OBJID_MAX];
    struct view ref = {str_c(name), name->n};
    bool ok =
        read_in(&text, &missing, is_per_worktree(ref) ? &git->dir : &git->common, ref.at, SMALL_FILE, st);
    struct view value = view_trim((struct view){str_c(&text), text.n});
    *done = true;
    if (!ok) goto out;
    if (missing) {
        ok = view_is(ref, "HEAD") ? refuse(st, "HEAD is missing") : find_packed(oid, git, ref, st);
    } else if (view_starts(value, "ref:")) {
        struct view to = view_trim((struct view){value.at + 4, value.n - 4});
        *done = false;
        str_clear(name);
        str_add(name, to.at, to.n);
        ok = str_ok(name, st) && (is_sound_ref(to) || refuse(st, "HEAD names no ref that is understood"));
    } else if (objid_from_text(id, value, git->format.n_id)) {
        objid_to_text(oid, id, git->format.n_id);
    } else {
        ok = status_fail(st, STATUS_BAD_INPUT, "the ref '%s' is damaged", ref.at);
    }
out:
    str_free(&text);
    return ok;
}

bool gitdir_head(char oid[OID_TEXT], const struct gitdir *git, struct status *st) {
    enum { STEPS = 6 };
    struct str name = {0};
    bool done = false;
    oid[0] = '\0';
    str_puts(&name, "HEAD");
    bool ok = str_ok(&name, st);
    for (int i = 0; ok && !done && i < STEPS; i++) ok = step(oid, &name, &done, git, st);
    if (ok && !done) ok = refuse(st, "HEAD is a symbolic ref of too many steps");
    str_free(&name);
    return ok;
}
