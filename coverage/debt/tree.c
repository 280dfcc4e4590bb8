#include "coverage/debt/tree.h"

#include "git/plumbing/catfile.h"
#include "git/plumbing/process.h"
#include "sotadb/glob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- asking git ---------------------------------------------------------------------------------- */

static const char shallow_mend[] =
    "fetch it whole: `git fetch --unshallow`, in GitHub Actions `fetch-depth: 0` "
    "of actions/checkout, in GitLab `GIT_DEPTH: 0`";

static bool says(const struct process *git, const char *part) {
    return strstr(str_c(&git->err), part) != NULL;
}

static bool complain(const char *folder, const struct process *git, struct status *st) {
    if (says(git, "not a git repository"))
        return status_fail(
            st, STATUS_NOT_FOUND,
            "%s lies in no git repository; go into one, name one with -C DIR, or make one with `git init`",
            folder);
    if (says(git, "dubious ownership"))
        return status_fail(
            st, STATUS_SYSTEM,
            "git refuses %s because another user owns it; if you trust it: `git config --global "
            "--add safe.directory DIR`",
            folder);
    if (says(git, "must be run in a work tree"))
        return status_fail(st, STATUS_UNSUPPORTED,
                           "%s is no working tree; go into the root, or name a revision", folder);
    if (says(git, "lazy fetching disabled") || says(git, "promisor") || says(git, "could not fetch"))
        return status_fail(
            st, STATUS_NOT_FOUND,
            "%s is a partial clone and lacks objects; `git fetch --refetch --no-filter` brings them", folder);
    struct view line = {0}, rest = {str_c(&git->err), git->err.n};
    bool warning = true;
    while (warning && view_line(&line, &rest)) warning = view_starts(line, "warning:");
    if (warning) line = view_of("it said nothing");
    return status_fail(st, STATUS_SYSTEM, "git cannot read %s: %.*s", folder, (int)line.n, line.at);
}

/* Exit codes above `allowed` are failures. */
static bool ask(struct process *git, int allowed, const char *const argv[], struct status *st) {
    if (!process_run(git, argv, st)) {
        status_wrap(st, "only git knows which files count: install it");
        return false;
    }
    return git->exit_code <= allowed || complain(argv[2], git, st);
}

/* *out = what git says, without the line feed at its end */
static bool keep_line(const char **out, const struct process *git, struct arena *arena, struct status *st) {
    size_t n = git->out.n && git->out.at[git->out.n - 1] == '\n' ? git->out.n - 1 : git->out.n;
    *out = arena_copy(arena, str_c(&git->out), n, st);
    return *out != NULL;
}

/* --- the list ------------------------------------------------------------------------------------ */

struct listed {
    const char *path, *oid;
    bool is_link, is_sparse;
    char stage; /* '0', of a conflict '1' to '3' */
};

static int by_path(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : x->stage - y->stage;
}

enum entry { ENTRY_FILE, ENTRY_FOLDER, ENTRY_ABSENT }; /* a folder is a submodule */

static enum entry look_at(const char *root, const char *path) {
    struct str full = {0};
    struct stat info;
    str_printf(&full, "%s/%s", root, path);
    bool there = !full.failed && lstat(str_c(&full), &info) == 0;
    str_free(&full);
    return !there ? ENTRY_ABSENT : S_ISDIR(info.st_mode) ? ENTRY_FOLDER : ENTRY_FILE;
}

/* "TAG MODE OID STAGE\tPATH" of ls-files, where the tag S is of what a sparse checkout leaves out, "MODE TYPE
 * OID\tPATH" of ls-tree; text is cut in place. */
static bool parse_entry(struct listed *out, char *text, bool of_commit) {
    char *tab = strchr(text, '\t'), *oid, *last;
    if (!tab) return false;
    *tab = 0;
    out->is_sparse = !of_commit && text[0] == 'S';
    if (!of_commit) text += 2;
    last = strrchr(text, ' ');
    if (!last) return false;
    oid = last + 1;
    out->stage = '0';
    if (!of_commit) {
        out->stage = last[1];
        *last = 0;
        oid = strrchr(text, ' ');
        if (!oid) return false;
        oid++;
    }
    out->path = tab + 1;
    out->oid = oid;
    out->is_link = strncmp(text, "120000", 6) == 0;
    return strncmp(text, "160000", 6) != 0; /* a submodule is no file */
}

/* Of an unmerged file, our side (stage 2) stands for it where there is one. */
static size_t fold_stages(struct listed *all, size_t n) {
    size_t used = 0;
    if (n) qsort(all, n, sizeof *all, by_path);
    for (size_t i = 0; i < n; i++) {
        if (used && strcmp(all[used - 1].path, all[i].path) == 0) {
            if (all[i].stage == '2') all[used - 1] = all[i];
        } else {
            all[used++] = all[i];
        }
    }
    return used;
}

static bool keep_list(struct tree *tree, const struct listed *all, size_t n, struct arena *arena,
                      struct status *st) {
    const char **paths = arena_alloc(arena, n, sizeof *paths, st);
    struct tree_blob *blobs = arena_alloc(arena, n, sizeof *blobs, st);
    if (!paths || !blobs) return false;
    tree->paths = paths;
    tree->blobs = blobs;
    for (size_t i = 0; i < n; i++) {
        enum entry entry = tree->kind == TREE_WORK ? look_at(tree->root, all[i].path) : ENTRY_FILE;
        bool sparse = entry == ENTRY_ABSENT && all[i].is_sparse, on_disk = tree->kind == TREE_WORK && !sparse;
        tree->n_sparse += sparse;
        tree->n_absent += entry == ENTRY_ABSENT && !sparse;
        if (entry != ENTRY_FILE && !sparse) continue;
        blobs[tree->n] = (struct tree_blob){on_disk ? NULL : all[i].oid, all[i].is_link};
        paths[tree->n++] = all[i].path;
    }
    return true;
}

static bool cut_list(struct tree *tree, const struct str *said, struct arena *arena, struct status *st) {
    size_t count = 0, used = 0;
    for (size_t i = 0; i < said->n; i++) count += said->at[i] == 0;
    struct listed *all = malloc((count + 1) * sizeof *all);
    char *text = arena_copy(arena, str_c(said), said->n, st);
    bool ok = all && text;
    if (!all) status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu paths", count);
    for (char *at = text; ok && at < text + said->n;) {
        char *next = at + strlen(at) + 1;
        used += parse_entry(&all[used], at, tree->kind == TREE_COMMIT);
        at = next;
    }
    ok = ok && keep_list(tree, all, fold_stages(all, used), arena, st);
    free(all);
    return ok;
}

/* One folder that a sparse index leaves out ("S 040000 OID 0\tPATH/"), as the entries that it stands for. */
static bool put_folder(struct str *out, const struct tree *tree, const char *entry, struct status *st) {
    struct process git;
    char oid[65] = "";
    const char *prefix = strchr(entry, '\t') + 1;
    const char *const argv[] = {"git", "-C", tree->folder, "ls-tree", "-r", "-z", "--full-tree", oid, NULL};
    const char *name = entry + strlen("S 040000 ");
    memcpy(oid, name, strcspn(name, " ") < sizeof oid ? strcspn(name, " ") : sizeof oid - 1);
    bool ok = ask(&git, 0, argv, st);
    for (const char *at = str_c(&git.out), *end = at + git.out.n; ok && at < end; at += strlen(at) + 1) {
        const char *tab = strchr(at, '\t'); /* "MODE TYPE OID\tPATH" */
        const char *id = tab ? memrchr(at, ' ', (size_t)(tab - at)) : NULL;
        if (!tab || !id) continue;
        str_printf(out, "S %.6s %.*s 0\t%s%s", at, (int)(tab - id - 1), id + 1, prefix, tab + 1);
        str_putc(out, '\0');
    }
    process_free(&git);
    return ok && str_ok(out, st);
}

/* `git ls-files` without --sparse writes the trees of such folders (git 2.39). */
static bool put_folders(struct str *list, const struct tree *tree, struct status *st) {
    struct str out = {0};
    bool ok = true, any = false;
    for (const char *at = str_c(list), *end = at + list->n; ok && at < end; at += strlen(at) + 1) {
        bool folder = strncmp(at, "S 040000 ", 9) == 0 && strchr(at, '\t');
        any |= folder;
        if (folder) ok = put_folder(&out, tree, at, st);
        else str_add(&out, at, strlen(at) + 1);
    }
    ok = ok && str_ok(&out, st);
    struct str *dropped = ok && any ? list : &out;
    str_free(dropped);
    if (ok && any) *list = out;
    return ok;
}

static bool list_files(struct tree *tree, struct arena *arena, struct status *st) {
    struct process git;
    const char *const staged[] = {"git", "-C", tree->folder, "ls-files", "-s", "-t", "-z", "--sparse", NULL};
    const char *const committed[] = {"git", "-C",          tree->folder, "ls-tree", "-r",
                                     "-z",  "--full-tree", tree->commit, NULL};
    bool of_commit = tree->kind == TREE_COMMIT;
    bool ok = ask(&git, 0, of_commit ? committed : staged, st) &&
              (of_commit || put_folders(&git.out, tree, st)) && cut_list(tree, &git.out, arena, st);
    process_free(&git);
    return ok;
}

/* --- the repository ------------------------------------------------------------------------------ */

/* What git says line by line: bare, shallow, and (not in a bare one) the root, which may hold line feeds. */
static bool read_facts(struct tree *tree, const char *folder, struct arena *arena, struct status *st) {
    struct process git;
    const char *const argv[] = {"git",
                                "-C",
                                folder,
                                "rev-parse",
                                "--is-bare-repository",
                                "--is-shallow-repository",
                                "--show-toplevel",
                                NULL};
    bool ok = ask(&git, 128, argv, st);
    struct view bare = {0}, shallow = {0}, rest = {str_c(&git.out), git.out.n};
    if (ok && (!view_line(&bare, &rest) || !view_line(&shallow, &rest))) ok = complain(folder, &git, st);
    if (ok) {
        tree->bare = view_is(bare, "true");
        tree->shallow = view_is(shallow, "true");
        if (rest.n && rest.at[rest.n - 1] == '\n') rest.n--;
        if (!tree->bare && git.exit_code) ok = complain(folder, &git, st);
    }
    if (ok) {
        tree->root = tree->bare ? "" : arena_copy(arena, rest.at, rest.n, st);
        tree->folder = tree->bare ? arena_copy(arena, folder, strlen(folder), st) : tree->root;
        ok = tree->root && tree->folder;
    }
    process_free(&git);
    return ok;
}

bool tree_whole_history(const struct tree *tree, struct status *st) {
    return !tree->shallow || status_fail(st, STATUS_UNSUPPORTED,
                                         "this is a shallow clone, its history is cut off; %s", shallow_mend);
}

static bool resolve(const char **commit, const struct tree *tree, const char *rev, struct arena *arena,
                    struct status *st) {
    struct process git;
    struct str name = {0};
    str_printf(&name, "%s^{commit}", rev);
    const char *const argv[] = {"git",      "-C",      tree->folder,       "rev-parse",
                                "--verify", "--quiet", "--end-of-options", str_c(&name),
                                NULL};
    bool ok = str_ok(&name, st);
    if (ok) {
        ok = ask(&git, 128, argv, st);
        if (ok && git.exit_code != 0)
            ok = status_fail(
                st, STATUS_NOT_FOUND,
                tree->shallow
                    ? "'%s' names no commit in this shallow clone; %s"
                    : "'%s' names no commit here; fetch it, or see `git branch -a` and `git tag`%.0s",
                rev, shallow_mend);
        ok = ok && keep_line(commit, &git, arena, st);
        process_free(&git);
    }
    str_free(&name);
    return ok;
}

static bool open_commit(struct tree *tree, const char *rev, struct arena *arena, struct status *st) {
    tree->kind = TREE_COMMIT;
    tree->name = arena_copy(arena, rev, strlen(rev), st);
    return tree->name && resolve(&tree->commit, tree, rev, arena, st) && list_files(tree, arena, st);
}

bool tree_open(struct tree *tree, const char *folder, enum tree_kind kind, const char *rev,
               struct arena *arena, struct status *st) {
    *tree = (struct tree){.kind = kind, .name = kind == TREE_INDEX ? "index" : "working tree", .commit = ""};
    if (!read_facts(tree, folder, arena, st)) return false;
    if (tree->bare && kind == TREE_INDEX)
        return status_fail(st, STATUS_UNSUPPORTED,
                           "%s is a bare repository, which has no index; name a revision", folder);
    if (kind == TREE_COMMIT || tree->bare) return open_commit(tree, rev ? rev : "HEAD", arena, st);
    return list_files(tree, arena, st);
}

bool tree_open_commit(struct tree *tree, const struct tree *beside, const char *rev, struct arena *arena,
                      struct status *st) {
    *tree = (struct tree){.folder = beside->folder,
                          .root = beside->root,
                          .bare = beside->bare,
                          .shallow = beside->shallow,
                          .commit = ""};
    return open_commit(tree, rev, arena, st);
}

bool tree_config(const char **value, const struct tree *tree, const char *key, struct arena *arena,
                 struct status *st) {
    struct process git;
    *value = NULL;
    if (ask(&git, 1, (const char *const[]){"git", "-C", tree->folder, "config", "--get", key, NULL}, st))
        *value = arena_copy(arena, str_c(&git.out), git.exit_code == 0 && git.out.n ? git.out.n - 1 : 0, st);
    process_free(&git);
    return *value != NULL;
}

/* Does the history that git sees end at this commit only because the clone is shallow? */
static bool is_cut_off(bool *cut, const struct tree *tree, const char *commit, struct status *st) {
    struct process git;
    const char *const argv[] = {"git", "-C", tree->folder, "rev-list", "--parents", "-n", "1", commit, NULL};
    const char *const raw[] = {"git", "-C", tree->folder, "cat-file", "commit", commit, NULL};
    bool ok = ask(&git, 0, argv, st);
    bool has_parents = ok && strchr(str_c(&git.out), ' ');
    process_free(&git);
    if (!ok) return false;
    ok = ask(&git, 0, raw, st);
    const char *head_end = ok ? strstr(str_c(&git.out), "\n\n") : NULL;
    const char *parent = ok ? strstr(str_c(&git.out), "\nparent ") : NULL;
    *cut = parent && (!head_end || parent < head_end) && !has_parents;
    process_free(&git);
    return ok;
}

bool tree_merge_base(const char **base, const struct tree *tree, const char *rev, struct arena *arena,
                     struct status *st) {
    const char *other, *own = tree->commit[0] ? tree->commit : "HEAD";
    if (!resolve(&other, tree, rev, arena, st)) return false;
    if (!tree->commit[0] && !resolve(&own, tree, "HEAD", arena, st)) return false;
    struct process git;
    bool ok =
        ask(&git, 1, (const char *const[]){"git", "-C", tree->folder, "merge-base", other, own, NULL}, st);
    if (ok && git.exit_code == 1)
        ok = status_fail(st, STATUS_UNSUPPORTED,
                         tree->shallow
                             ? "'%s' and this tree have no common commit in this shallow clone; %s"
                             : "'%s' and this tree have no common commit; name the revision to compare "
                               "with by --exact%.0s",
                         rev, shallow_mend);
    ok = ok && keep_line(base, &git, arena, st);
    process_free(&git);
    bool cut = false;
    if (ok && tree->shallow) ok = is_cut_off(&cut, tree, *base, st);
    if (ok && cut)
        return status_fail(
            st, STATUS_UNSUPPORTED,
            "cannot tell where this tree left '%s': the shallow clone ends at that very commit; %s", rev,
            shallow_mend);
    return ok;
}

/* --- files --------------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool tree_find(size_t *at, const struct tree *tree, const char *path) {
    const char *const *found =
        tree->n ? bsearch(&path, tree->paths, tree->n, sizeof *tree->paths, by_bytes) : NULL;
    if (found) *at = (size_t)(found - tree->paths);
    return found != NULL;
}

bool tree_has(const struct tree *tree, const char *path) {
    size_t at;
    return tree_find(&at, tree, path);
}

bool tree_matches(const struct tree *tree, const char *glob) {
    size_t plain = glob_literal_prefix(glob), low = 0, high = tree->n;
    if (!glob[plain] && plain && glob[plain - 1] != '/') return tree_has(tree, glob);
    while (low < high) { /* the paths are sorted: those that share the plain start lie together */
        size_t middle = low + (high - low) / 2;
        if (strncmp(tree->paths[middle], glob, plain) < 0) low = middle + 1;
        else high = middle;
    }
    for (size_t i = low; i < tree->n && strncmp(tree->paths[i], glob, plain) == 0; i++)
        if (glob_match(glob, tree->paths[i])) return true;
    return false;
}

static bool refuse(const char **refused, const char *why, struct arena *arena, struct status *st) {
    *refused = arena_copy(arena, why, strlen(why), st);
    return *refused != NULL;
}

/* Symbolic links are not followed, pipes and devices not opened. */
static bool read_file(struct str *out, const char **refused, const char *path, size_t limit,
                      struct arena *arena, struct status *st) {
    struct stat info;
    char chunk[32768];
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return refuse(refused, errno == ELOOP ? "symbolic link" : strerror(errno), arena, st);
    ssize_t n = 0;
    if (fstat(fd, &info) != 0) *refused = "cannot be looked at";
    else if (!S_ISREG(info.st_mode)) *refused = "not a regular file";
    else if ((uintmax_t)info.st_size > limit) *refused = "larger than the limit";
    while (!*refused && ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))) {
        if (n > 0) str_add(out, chunk, (size_t)n);
        if (out->n > limit) *refused = "larger than the limit"; /* it grew while it was read */
    }
    bool ok = n >= 0 || *refused || refuse(refused, strerror(errno), arena, st);
    close(fd);
    return ok && str_ok(out, st);
}

bool tree_text(struct str *out, const char **refused, const struct tree *tree, size_t i, size_t limit,
               struct catfile *blobs, struct arena *arena, struct status *st) {
    *refused = NULL;
    if (!tree->blobs[i].oid) {
        struct str full = {0};
        str_printf(&full, "%s/%s", tree->root, tree->paths[i]);
        bool ok = str_ok(&full, st) && read_file(out, refused, str_c(&full), limit, arena, st);
        str_free(&full);
        return ok;
    }
    struct status why = {0};
    if (tree->blobs[i].is_link) *refused = "symbolic link";
    if (*refused || catfile_read(out, blobs, tree->blobs[i].oid, limit, &why)) return true;
    if (why.code == STATUS_UNSUPPORTED) return refuse(refused, why.message, arena, st);
    return status_fail(st, why.code, "%s: %s", tree->paths[i], why.message);
}
