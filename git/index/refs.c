#include "git/index/refs.h"

#include "git/index/mapguard.h"
#include "git/index/objid.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool refuse(struct status *st, const char *what) {
    return status_fail(st, STATUS_UNSUPPORTED, "%s", what);
}

/* packed-refs, or nothing where there is none. */
static bool map_packed(struct mapping *map, const struct gitdir *git, struct status *st) {
    struct str path = {0};
    struct stat info;
    *map = (struct mapping){0};
    str_printf(&path, "%s/packed-refs", str_c(&git->common));
    bool ok = str_ok(&path, st);
    if (ok && stat(path.at, &info) == 0) ok = mapguard_open(map, path.at, st);
    else if (ok && errno != ENOENT) ok = status_fail_errno(st, "cannot read '%s'", path.at);
    str_free(&path);
    return ok;
}

/* What would put other objects in the place of those that names name. */
bool refs_plain(const struct gitdir *git, struct status *st) {
    static const char replace[] = " refs/replace/";
    struct mapping packed;
    if (gitdir_has(&git->common, "info/grafts")) return refuse(st, "the repository has grafts");
    if (!map_packed(&packed, git, st)) return false;
    bool replaced = gitdir_has(&git->common, "refs/replace") ||
                    (packed.at && memmem(packed.at, packed.n, replace, sizeof replace - 1));
    bool ok = replaced ? refuse(st, "the repository has replace refs") : mapguard_sound(st);
    mapguard_close(&packed);
    return ok;
}

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
    ok = ok && mapguard_sound(st);
    mapguard_close(&map);
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
    bool ok = gitdir_read(&text, &missing, is_per_worktree(ref) ? &git->dir : &git->common, ref.at,
                          GITDIR_SMALL, st);
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

bool refs_head(char oid[OID_TEXT], const struct gitdir *git, struct status *st) {
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
