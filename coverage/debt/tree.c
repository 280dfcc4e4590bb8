#include "coverage/debt/tree.h"

#include "git/plumbing/process.h"
#include "sotadb/glob.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- asking git ---------------------------------------------------------------------------------- */

static bool complain(const char *folder, const struct process *git, struct status *st) {
    if (strstr(str_c(&git->err), "not a git repository"))
        return status_fail(
            st, STATUS_NOT_FOUND,
            "%s lies in no git repository; go into one, name one with -C DIR, or make one with `git init`",
            folder);
    if (strstr(str_c(&git->err), "must be run in a work tree"))
        return status_fail(st, STATUS_UNSUPPORTED,
                           "%s is a bare repository without files; check one out with `git worktree add`",
                           folder);
    struct view line, rest = {str_c(&git->err), git->err.n};
    if (!view_line(&line, &rest)) line = view_of("it said nothing");
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

/* --- the list ------------------------------------------------------------------------------------ */

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
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

static bool keep_paths(struct tree *tree, const char *listed, size_t n, struct arena *arena,
                       struct status *st) {
    size_t count = 0, used = 0;
    for (size_t i = 0; i < n; i++) count += listed[i] == 0;
    const char *before = NULL, **paths = arena_alloc(arena, count, sizeof *paths, st);
    char *text = arena_copy(arena, listed, n, st);
    if (!paths || !text) return false;
    for (const char *at = text; used < count; used++, at += strlen(at) + 1) paths[used] = at;
    if (count) qsort(paths, count, sizeof *paths, by_bytes);
    tree->paths = paths;
    for (size_t i = 0; i < count; i++) {
        if (i && strcmp(paths[i], before) == 0) continue; /* unmerged files are listed thrice */
        before = paths[i];
        enum entry entry = look_at(tree->root, before);
        tree->n_absent += entry == ENTRY_ABSENT;
        if (entry == ENTRY_FILE) paths[tree->n++] = before;
    }
    return true;
}

static bool read_root(struct tree *tree, const char *folder, struct arena *arena, struct status *st) {
    struct process git;
    bool ok =
        ask(&git, 0, (const char *const[]){"git", "-C", folder, "rev-parse", "--show-toplevel", NULL}, st);
    if (ok) {
        size_t n = git.out.n && git.out.at[git.out.n - 1] == '\n' ? git.out.n - 1 : git.out.n;
        tree->root = arena_copy(arena, str_c(&git.out), n, st);
        ok = tree->root != NULL;
    }
    process_free(&git);
    return ok;
}

bool tree_open(struct tree *tree, const char *folder, struct arena *arena, struct status *st) {
    *tree = (struct tree){0};
    if (!read_root(tree, folder, arena, st)) return false;
    struct process git;
    bool ok = ask(&git, 0, (const char *const[]){"git", "-C", tree->root, "ls-files", "-z", NULL}, st) &&
              keep_paths(tree, str_c(&git.out), git.out.n, arena, st);
    process_free(&git);
    return ok;
}

bool tree_config(const char **value, const struct tree *tree, const char *key, struct arena *arena,
                 struct status *st) {
    struct process git;
    *value = NULL;
    if (ask(&git, 1, (const char *const[]){"git", "-C", tree->root, "config", "--get", key, NULL}, st))
        *value = arena_copy(arena, str_c(&git.out), git.exit_code == 0 && git.out.n ? git.out.n - 1 : 0, st);
    process_free(&git);
    return *value != NULL;
}

bool tree_has(const struct tree *tree, const char *path) {
    return tree->n && bsearch(&path, tree->paths, tree->n, sizeof *tree->paths, by_bytes);
}

bool tree_matches(const struct tree *tree, const char *glob) {
    for (size_t i = 0; i < tree->n; i++)
        if (glob_match(glob, tree->paths[i])) return true;
    return false;
}
