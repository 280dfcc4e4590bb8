#include "hooks/install/install.h"

#include "base/file.h"
#include "base/shellword.h"
#include "git/plumbing/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCRIPT_LIMIT = 1 << 20 };

/* --- where --- */

static bool has_file(const struct str *dir, const char *name) {
    struct str path = {0};
    str_printf(&path, "%s/%s", str_c(dir), name);
    bool there = path.at && file_exists(path.at);
    str_free(&path);
    return there;
}

/* husky 9 sets core.hooksPath to .husky/_ and calls .husky/NAME from there. */
static void step_out_of_husky(struct install *place) {
    if (!view_ends((struct view){str_c(&place->dir), place->dir.n}, "/_") || !has_file(&place->dir, "h"))
        return;
    place->husky = true;
    place->dir.n -= 2;
    place->dir.at[place->dir.n] = '\0';
}

/* "local\tfile:.git/config\tVALUE" */
bool install_set_by(struct str *scope, struct str *origin, struct status *st) {
    struct process git;
    static const char *const argv[] = {
        "git", "config", "--show-scope", "--show-origin", "--get", "core.hooksPath", NULL};
    if (!process_run(&git, argv, st)) return false;
    const char *text = str_c(&git.out);
    size_t n = git.exit_code == 0 ? strcspn(text, "\t") : 0;
    if (n && text[n] == '\t') {
        str_add(scope, text, n);
        text += n + 1;
        str_add(origin, text, strcspn(text, "\t"));
    }
    process_free(&git);
    return str_ok(scope, st) && str_ok(origin, st);
}

bool install_find(struct install *out, struct status *st) {
    struct process git;
    *out = (struct install){0};
    if (!process_run(
            &git,
            (const char *const[]){"git", "rev-parse", "--path-format=absolute", "--git-path", "hooks", NULL},
            st))
        return false;
    struct view dir = {str_c(&git.out), git.out.n};
    if (dir.n && dir.at[dir.n - 1] == '\n') dir.n--;
    bool ok = git.exit_code == 0 && dir.n > 0;
    if (ok) {
        str_add(&out->dir, dir.at, dir.n);
        ok = str_ok(&out->dir, st);
        if (ok) step_out_of_husky(out);
    } else {
        const char *text = str_c(&git.err);
        text = strncmp(text, "fatal: ", 7) == 0 ? text + 7 : text;
        status_fail(st, STATUS_BAD_INPUT, "git does not say where hooks live: %.*s", (int)strcspn(text, "\n"),
                    text);
    }
    process_free(&git);
    return ok;
}

bool install_known(struct install *out, const char *hooks_path, const char *common_dir, struct status *st) {
    if (hooks_path && (hooks_path[0] == '~' || hooks_path[0] == '%')) return install_find(out, st);
    *out = (struct install){0};
    if (hooks_path) str_puts(&out->dir, hooks_path);
    else str_printf(&out->dir, "%s/hooks", common_dir);
    if (str_ok(&out->dir, st)) step_out_of_husky(out);
    return str_ok(&out->dir, st);
}

void install_close(struct install *place) { str_free(&place->dir); }

/* --- one hook file --- */

struct hook {
    const char *name;
    struct str path, previous; /* the hook, and where one that we cannot edit waits */
    struct str text;           /* of a regular file */
    bool exists, regular, link, runs;
    mode_t mode;
};

static bool hook_read(struct hook *hook, const struct install *place, const char *name, struct status *st) {
    struct stat info;
    *hook = (struct hook){.name = name};
    str_printf(&hook->path, "%s/%s", str_c(&place->dir), name);
    str_printf(&hook->previous, "%s/fak-previous/%s", str_c(&place->dir), name);
    if (!str_ok(&hook->path, st) || !str_ok(&hook->previous, st)) return false;
    if (lstat(hook->path.at, &info) != 0) {
        if (errno == ENOENT) return true;
        if (errno == ENOTDIR)
            return status_fail(st, STATUS_BAD_INPUT,
                               "git runs no hook here: core.hooksPath leads to '%s', which is no folder; "
                               "git config --show-origin core.hooksPath says where it is set",
                               str_c(&place->dir));
        return status_fail_errno(st, "cannot look at '%s'", hook->path.at);
    }
    hook->exists = true;
    hook->link = S_ISLNK(info.st_mode);
    hook->regular = S_ISREG(info.st_mode);
    hook->mode = info.st_mode & 07777;
    if (!hook->link && !hook->regular)
        return status_fail(st, STATUS_BAD_INPUT, "'%s' is neither file nor link; move it away",
                           hook->path.at);
    hook->runs = place->husky || access(hook->path.at, X_OK) == 0;
    return !file_exists(hook->path.at) || file_read(&hook->text, hook->path.at, SCRIPT_LIMIT, st);
}

static void hook_free(struct hook *hook) {
    str_free(&hook->path);
    str_free(&hook->previous);
    str_free(&hook->text);
}

static struct view hook_text(const struct hook *hook) {
    return (struct view){str_c(&hook->text), hook->text.n};
}

/* Is the text a shell script whose first line is complete? No "#!" at all is one too: git hands it to sh. */
static bool is_shell_script(struct view text) {
    static const char *const shells[] = {"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"};
    struct view line, rest = text;
    if (memchr(text.at, '\0', text.n) || !memchr(text.at, '\n', text.n) || !view_line(&line, &rest))
        return false;
    if (!view_starts(line, "#!")) return true;
    struct view words = {line.at + 2, line.n - 2};
    while (words.n) {
        words = view_trim(words);
        size_t n = 0, name = 0;
        for (; n < words.n && words.at[n] != ' ' && words.at[n] != '\t'; n++)
            if (words.at[n] == '/') name = n + 1;
        struct view word = {words.at + name, n - name};
        words = (struct view){words.at + n, words.n - n};
        if (view_is(word, "env") || view_starts(word, "-")) continue;
        for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
            if (view_is(word, shells[i])) return true;
        return false;
    }
    return false;
}

/* What put_call and add_file write, and nothing that somebody else may have written with our mark in it. */
static const char call_start[] = "if [ -x ", chain_start[] = "exec \"${0%/*}/fak-previous/";

static bool is_our_line(struct view line) {
    return view_ends(line, INSTALL_MARK) && (view_starts(line, call_start) || view_starts(line, chain_start));
}

/* How many lines are ours, and how many are not (a "#!/bin/sh" counts for neither). */
static void count_lines(int *ours, int *others, struct view text) {
    struct view line;
    *ours = *others = 0;
    while (view_line(&line, &text)) {
        if (is_our_line(line)) ++*ours;
        else if (!view_is(line, "#!/bin/sh")) ++*others;
    }
}

/* Does a line call us that is no comment? */
static bool has_call(struct view text, const char *hook) {
    char call[64];
    struct view line;
    snprintf(call, sizeof call, "hooks run %s", hook);
    while (view_line(&line, &text))
        if (!view_starts(view_trim(line), "#") && line.n && memmem(line.at, line.n, call, strlen(call)))
            return true;
    return false;
}

static enum install_state state_of(const struct hook *hook) {
    int ours, others;
    if (!hook->exists) return INSTALL_NONE;
    count_lines(&ours, &others, hook_text(hook));
    if (ours && hook->regular) return others ? INSTALL_LINE : INSTALL_OURS;
    return has_call(hook_text(hook), hook->name) ? INSTALL_CALLS : INSTALL_FOREIGN;
}

/* The word that our line tests and calls. */
static void read_program(struct str *out, struct view text) {
    struct view line;
    while (view_line(&line, &text)) {
        if (!is_our_line(line) || !view_starts(line, call_start)) continue;
        size_t n = sizeof call_start - 1;
        shellword_take(out, (struct view){line.at + n, line.n - n});
        return;
    }
}

static bool look_at(struct install_seen *out, const struct hook *file, const char *hook, struct status *st) {
    struct view text = hook_text(file);
    bool calls = false;
    out->state = state_of(file);
    out->exists = file->exists;
    out->runs = file->runs;
    out->runner = runner_of(text);
    str_puts(&out->path, file->path.at);
    read_program(&out->program, text);
    out->gone = out->program.n && access(out->program.at, X_OK) != 0;
    if (out->state == INSTALL_FOREIGN && !runner_calls(&calls, &out->config, out->runner, hook, st))
        return false;
    if (calls) out->state = INSTALL_RUNNER;
    return str_ok(&out->path, st) && str_ok(&out->program, st);
}

bool install_look(struct install_seen *out, const struct install *place, const char *hook,
                  struct status *st) {
    struct hook file;
    *out = (struct install_seen){0};
    bool ok = hook_read(&file, place, hook, st) && look_at(out, &file, hook, st);
    if (ok && place->husky) out->runner = RUNNER_HUSKY;
    hook_free(&file);
    return ok;
}

void install_seen_free(struct install_seen *seen) {
    str_free(&seen->path);
    str_free(&seen->config);
    str_free(&seen->program);
}

bool install_fires(const struct install_seen *seen) {
    return seen->runs && !seen->gone && seen->state != INSTALL_NONE && seen->state != INSTALL_FOREIGN;
}

/* --- adding --- */

/* A program that is gone is passed over; its input is not the hook's; what comes after knows that we spoke.
 */
static void put_call(struct str *out, const char *hook, const char *program) {
    struct str word = {0};
    shellword_put(&word, program);
    str_printf(out,
               "%s%s ]; then %s hooks run %s \"$@\" </dev/null || :; FAK_ADVISED=%s; export "
               "FAK_ADVISED; fi " INSTALL_MARK "\n",
               call_start, str_c(&word), str_c(&word), hook, hook);
    out->failed |= word.failed;
    str_free(&word);
}

static bool write_hook(const struct hook *hook, const struct str *text, mode_t mode, struct status *st) {
    if (!str_ok(text, st) || !file_replace(hook->path.at, text->at, text->n, st)) return false;
    if (chmod(hook->path.at, mode) == 0) return true;
    return status_fail_errno(st, "cannot make '%s' executable", hook->path.at);
}

static bool make_folder(const char *path, struct status *st) {
    struct str part = {0};
    bool ok = true;
    for (const char *slash = strchr(path + 1, '/'); ok; slash = slash ? strchr(slash + 1, '/') : NULL) {
        str_clear(&part);
        str_add(&part, path, slash ? (size_t)(slash - path) : strlen(path));
        ok = str_ok(&part, st);
        if (ok && mkdir(part.at, 0777) != 0 && errno != EEXIST && errno != EISDIR)
            ok = status_fail_errno(st, "cannot make the folder '%s'", part.at);
        if (!slash) break;
    }
    str_free(&part);
    return ok;
}

static bool make_previous_folder(const struct install *place, struct status *st) {
    struct str path = {0};
    str_printf(&path, "%s/fak-previous", str_c(&place->dir));
    bool ok = str_ok(&path, st) && make_folder(path.at, st);
    str_free(&path);
    return ok;
}

/* A relative link moves one folder down, so its target is one folder further up. */
static bool move_link(const char *from, const char *to, bool down, struct status *st) {
    char target[4096];
    ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0) return status_fail_errno(st, "cannot read the link '%s'", from);
    target[n] = '\0';
    struct str text = {0};
    if (target[0] == '/') str_puts(&text, target);
    else if (down) str_printf(&text, "../%s", target);
    else str_puts(&text, strncmp(target, "../", 3) == 0 ? target + 3 : target);
    bool ok = str_ok(&text, st);
    if (ok && (symlink(text.at, to) != 0 || unlink(from) != 0))
        ok = status_fail_errno(st, "cannot move '%s' to '%s'", from, to);
    str_free(&text);
    return ok;
}

static bool move_hook(const char *from, const char *to, bool link, bool down, struct status *st) {
    if (file_exists(to)) return status_fail(st, STATUS_BAD_INPUT, "'%s' is in the way; move it away", to);
    if (link) return move_link(from, to, down, st);
    if (rename(from, to) == 0) return true;
    return status_fail_errno(st, "cannot move '%s' to '%s'", from, to);
}

/* One line below the "#!", or at the top where there is none. */
static bool add_line(const struct hook *hook, const char *program, struct status *st) {
    struct view line = {0}, rest = hook_text(hook);
    struct str text = {0};
    bool shebang = view_starts(rest, "#!") && view_line(&line, &rest);
    if (shebang) str_printf(&text, "%.*s\n", (int)line.n, line.at);
    put_call(&text, hook->name, program);
    str_add(&text, rest.at, rest.n);
    bool ok = write_hook(hook, &text, hook->mode, st);
    str_free(&text);
    return ok;
}

static bool add_file(const struct hook *hook, const struct install *place, const char *program,
                     struct status *st) {
    struct str text = {0};
    str_puts(&text, "#!/bin/sh\n");
    put_call(&text, hook->name, program);
    bool chains = hook->exists && hook->runs;
    if (chains) str_printf(&text, "%s%s\" \"$@\" " INSTALL_MARK "\n", chain_start, hook->name);
    bool ok = make_folder(str_c(&place->dir), st);
    if (ok && hook->exists)
        ok = make_previous_folder(place, st) &&
             move_hook(hook->path.at, hook->previous.at, hook->link, true, st);
    if (ok && !write_hook(hook, &text, 0777 & ~(mode_t)022, st)) {
        if (hook->exists) (void)move_hook(hook->previous.at, hook->path.at, hook->link, false, NULL);
        ok = false;
    }
    str_free(&text);
    return ok;
}

bool install_add(const struct install *place, const char *hook, const char *program, struct status *st) {
    struct hook file;
    bool removed;
    if (!install_remove(&removed, place, hook, st)) return false;
    struct install_seen seen = {0};
    bool ok = hook_read(&file, place, hook, st) && look_at(&seen, &file, hook, st);
    bool called = seen.state == INSTALL_CALLS || seen.state == INSTALL_RUNNER;
    install_seen_free(&seen);
    if (ok && !called) {
        int ours, others; /* a script of nothing but "#!/bin/sh" would be taken for ours: it moves */
        count_lines(&ours, &others, hook_text(&file));
        bool editable =
            file.exists && file.regular && file.runs && others && is_shell_script(hook_text(&file));
        ok = editable ? add_line(&file, program, st) : add_file(&file, place, program, st);
    }
    hook_free(&file);
    return ok;
}

/* --- removing --- */

static bool remove_lines(const struct hook *hook, struct status *st) {
    struct view line, rest = hook_text(hook);
    struct str text = {0};
    for (struct view from = rest; view_line(&line, &rest); from = rest)
        if (!is_our_line(line)) str_add(&text, from.at, from.n - rest.n);
    bool ok = write_hook(hook, &text, hook->mode, st);
    str_free(&text);
    return ok;
}

static bool remove_file(const struct hook *hook, const struct install *place, struct status *st) {
    struct stat info;
    if (unlink(hook->path.at) != 0) return status_fail_errno(st, "cannot remove '%s'", hook->path.at);
    if (lstat(hook->previous.at, &info) != 0) return true;
    if (!move_hook(hook->previous.at, hook->path.at, S_ISLNK(info.st_mode), false, st)) return false;
    struct str folder = {0};
    str_printf(&folder, "%s/fak-previous", str_c(&place->dir));
    if (folder.at) (void)rmdir(folder.at); /* the other hook may still wait there */
    str_free(&folder);
    return true;
}

bool install_remove(bool *removed, const struct install *place, const char *hook, struct status *st) {
    struct hook file;
    bool ok = hook_read(&file, place, hook, st);
    enum install_state state = ok ? state_of(&file) : INSTALL_NONE;
    *removed = state == INSTALL_OURS || state == INSTALL_LINE;
    if (ok && state == INSTALL_OURS) ok = remove_file(&file, place, st);
    if (ok && state == INSTALL_LINE) ok = remove_lines(&file, st);
    hook_free(&file);
    return ok;
}
