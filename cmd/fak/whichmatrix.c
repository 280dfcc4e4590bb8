#include "cmd/fak/whichmatrix.h"

#include "base/file.h"
#include "base/module.h"
#include "cmd/fak/repo_path.h"
#include "cmd/fak/sql/reposeed.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFIG_LIMIT = 1 << 20, INCLUDES = 5 };

/* --- might fak.matrix be set? Yes is dear, and never wrong to say ------------------------------------------
 */

static bool may_name(const char *path, int depth);

static struct view unquoted(struct view text) {
    text = view_trim(text);
    if (text.n >= 2 && text.at[0] == '"' && text.at[text.n - 1] == '"')
        text = (struct view){text.at + 1, text.n - 2};
    return text;
}

/* The file that `path = ...` in an [include] names; what needs git's own rules counts as yes. */
static bool may_name_included(const char *from, struct view value, int depth) {
    struct str path = {0};
    const char *home = getenv("HOME"), *slash = strrchr(from, '/');
    value = unquoted(value);
    if (memchr(value.at, '\\', value.n) || view_starts(value, "%(")) return true;
    if (view_starts(value, "~/") && home) {
        str_printf(&path, "%s/", home);
        value = (struct view){value.at + 2, value.n - 2};
    } else if (view_starts(value, "~")) {
        return true;
    } else if (!view_starts(value, "/") && slash) {
        str_add(&path, from, (size_t)(slash - from) + 1);
    }
    str_add(&path, value.at, value.n);
    bool may = path.failed || may_name(str_c(&path), depth + 1);
    str_free(&path);
    return may;
}

static bool may_include(const char *from, struct view text, int depth) {
    struct view line, rest = text;
    while (view_line(&line, &rest)) {
        line = view_trim(line);
        const char *equals = memchr(line.at, '=', line.n);
        if (line.n < 4 || strncasecmp(line.at, "path", 4) != 0 || !equals) continue;
        struct view value = {equals + 1, line.n - (size_t)(equals + 1 - line.at)};
        if (depth == INCLUDES || may_name_included(from, value, depth)) return true;
    }
    return false;
}

static bool holds(struct view text, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= text.n; i++)
        if (strncasecmp(text.at + i, word, n) == 0) return true;
    return false;
}

/* One file of configuration, and those that it includes. One that is not there says nothing, nor does
 * /dev/null. */
static bool may_name(const char *path, int depth) {
    struct str text = {0};
    struct stat info;
    if (stat(path, &info) != 0 || S_ISCHR(info.st_mode)) return false;
    bool may = !file_read(&text, path, CONFIG_LIMIT, NULL);
    struct view all = {str_c(&text), text.n};
    may = may || holds(all, "matrix") || (holds(all, "[include") && may_include(path, all, depth));
    str_free(&text);
    return may;
}

static bool may_name_in(const char *folder, const char *name) {
    struct str path = {0};
    str_printf(&path, "%s/%s", folder, name);
    bool may = path.failed || may_name(str_c(&path), 0);
    str_free(&path);
    return may;
}

/* Where git looks beside the repository (git-config(1), FILES). */
static bool user_may_name(void) {
    const char *home = getenv("HOME"), *xdg = getenv("XDG_CONFIG_HOME"),
               *global = getenv("GIT_CONFIG_GLOBAL");
    const char *system = getenv("GIT_CONFIG_SYSTEM"), *no_system = getenv("GIT_CONFIG_NOSYSTEM");
    if (getenv("GIT_CONFIG_COUNT") || getenv("GIT_CONFIG_PARAMETERS")) return true;
    if (!no_system && may_name(system ? system : "/etc/gitconfig", 0)) return true;
    if (global) return may_name(global, 0);
    if (home && may_name_in(home, ".gitconfig")) return true;
    if (xdg && *xdg) return may_name_in(xdg, "git/config");
    return home && may_name_in(home, ".config/git/config");
}

/* The path in a small file of one line, behind a prefix, from the folder `base` unless absolute. Nothing is
 * appended when the file is not of that kind. */
static void follow(struct str *out, const char *file, const char *prefix, const char *base) {
    struct str text = {0};
    if (file_read(&text, file, CONFIG_LIMIT, NULL) &&
        view_starts((struct view){str_c(&text), text.n}, prefix)) {
        struct view path = {text.at + strlen(prefix), text.n - strlen(prefix)};
        while (path.n && (path.at[path.n - 1] == '\n' || path.at[path.n - 1] == '\r')) path.n--;
        if (!view_starts(path, "/")) str_printf(out, "%s/", base);
        str_add(out, path.at, path.n);
    }
    str_free(&text);
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A linked worktree's ".git" is a file that leads to its own folder, which leads to the one that it shares
 * (gitrepository-layout(5)). */
static bool repository_may_name(const char *root) {
    struct str dot_git = {0}, dir = {0}, file = {0}, common = {0};
    const char *set = getenv("GIT_DIR");
    if (set) str_puts(&dot_git, set);
    else str_printf(&dot_git, "%s/.git", root);
    if (!set && strcmp(root, ".") == 0) str_puts(&dir, root); /* bare */
    else if (is_folder(str_c(&dot_git))) str_puts(&dir, str_c(&dot_git));
    else follow(&dir, str_c(&dot_git), "gitdir: ", root);
    str_printf(&file, "%s/commondir", str_c(&dir));
    if (access(str_c(&file), F_OK) == 0) follow(&common, str_c(&file), "", str_c(&dir));
    else str_puts(&common, str_c(&dir));
    bool failed = dot_git.failed || dir.failed || file.failed || common.failed;
    bool may = failed || !common.n || may_name_in(str_c(&common), "config") ||
               may_name_in(str_c(&dir), "config.worktree");
    str_free(&dot_git);
    str_free(&dir);
    str_free(&file);
    str_free(&common);
    return may;
}

/* --- which it is -------------------------------------------------------------------------------------------
 */

static bool is_there(const char *root, const char *name) {
    struct str path = {0};
    str_printf(&path, "%s/%s", root, name);
    bool there = !path.failed && access(str_c(&path), F_OK) == 0;
    str_free(&path);
    return there;
}

static bool load(struct whichmatrix *out, const char *root, bool seeded, struct status *st) {
    const void *table;
    bool found;
    if (!module_table(&table, "fak-sql", "fak_reposeed", st)) return false;
    const struct reposeed_table *seed = table;
    if (!seed->load(&out->loaded, &found, root, seeded, &out->arena, st)) return false;
    if (found) out->m = &out->loaded;
    return true;
}

/* A bare repository, as it looks from within. */
static bool is_bare_here(void) {
    return is_folder("objects") && is_folder("refs") && access("HEAD", F_OK) == 0;
}

bool whichmatrix_open(struct whichmatrix *out, struct status *st) {
    struct str root = {0};
    *out = (struct whichmatrix){.m = &sota_matrix};
    if (!repo_path_at_root(&root, "", st)) return false;
    if (!root.n && !getenv("GIT_DIR") && !is_bare_here()) return true; /* not in a repository */
    if (!root.n) str_puts(&root, ".");
    else if (root.n > 1) root.at[--root.n] = '\0';
    if (!str_ok(&root, st)) return false;
    bool own = is_there(root.at, "sotadb/schema.sql");
    bool seeded = !own && is_there(root.at, "sotadb/seed");
    bool named = repository_may_name(root.at) || user_may_name();
    bool ok = true;
    if (seeded || named) ok = load(out, root.at, seeded, st);
    str_free(&root);
    if (!ok) whichmatrix_close(out);
    return ok;
}

void whichmatrix_close(struct whichmatrix *which) {
    arena_release(&which->arena);
    *which = (struct whichmatrix){.m = &sota_matrix};
}
