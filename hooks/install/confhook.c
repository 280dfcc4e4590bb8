#include "hooks/install/confhook.h"

#include "base/file.h"
#include "base/shellword.h"
#include "git/plumbing/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool complain(const struct process *git, const char *what, struct status *st) {
    const char *text = str_c(&git->err);
    for (const char *const *start = (const char *const[]){"fatal: ", "error: ", NULL}; *start; start++)
        if (strncmp(text, *start, strlen(*start)) == 0) text += strlen(*start);
    return status_fail(st, STATUS_BAD_INPUT, "git %s: %.*s", what, (int)strcspn(text, "\n"), text);
}

/* --- which git --------------------------------------------------------------------------------------- */

bool confhook_supported(bool *out, struct str *version, struct status *st) {
    static const char prefix[] = "git version ";
    struct process git;
    if (!process_run(&git, (const char *const[]){"git", "version", NULL}, st)) return false;
    const char *text = str_c(&git.out);
    int major = 0, minor = 0;
    bool ok = git.exit_code == 0 && strncmp(text, prefix, sizeof prefix - 1) == 0;
    if (ok) {
        text += sizeof prefix - 1;
        (void)sscanf(text, "%d.%d", &major, &minor);
        str_add(version, text, strcspn(text, " \n"));
        *out = major > 2 || (major == 2 && minor >= 54);
        ok = str_ok(version, st);
    } else {
        complain(&git, "version", st);
    }
    process_free(&git);
    return ok;
}

/* --- what is configured -------------------------------------------------------------------------------- */

enum { ENTRIES = 64 };

/* One record of `git config -z --show-scope`: "scope\0key\nvalue\0". */
static bool next_entry(struct view *scope, struct view *key, struct view *value, struct view *rest) {
    const char *end = memchr(rest->at, '\0', rest->n);
    if (!end) return false;
    *scope = (struct view){rest->at, (size_t)(end - rest->at)};
    struct view entry = {end + 1, rest->n - scope->n - 1};
    end = memchr(entry.at, '\0', entry.n);
    if (!end) return false;
    *rest = (struct view){end + 1, entry.n - (size_t)(end - entry.at) - 1};
    entry.n = (size_t)(end - entry.at);
    const char *line = memchr(entry.at, '\n', entry.n);
    *key = (struct view){entry.at, line ? (size_t)(line - entry.at) : entry.n};
    *value = line ? (struct view){line + 1, entry.n - key->n - 1} : view_of("true");
    return true;
}

/* "hook.NAME.VARIABLE": the name may hold dots. */
static bool split_key(struct view *name, struct view *variable, struct view key) {
    const char *dot = memrchr(key.at, '.', key.n);
    if (!view_starts(key, "hook.") || !dot || dot < key.at + 5) return false;
    *name = (struct view){key.at + 5, (size_t)(dot - key.at) - 5};
    *variable = (struct view){dot + 1, key.n - (size_t)(dot - key.at) - 1};
    return true;
}

static struct confhook *find(struct confhooks *hooks, struct view name) {
    for (size_t i = 0; i < hooks->n; i++)
        if (view_is(name, hooks->at[i].name)) return &hooks->at[i];
    return NULL;
}

static bool is_false(struct view value) {
    return value.n == 0 || view_is(value, "false") || view_is(value, "no") || view_is(value, "off") ||
           view_is(value, "0");
}

/* The hooks that name the event: an empty value takes all of a hook's events back. */
static bool read_events(struct confhooks *out, struct view rest, const char *event, struct arena *arena,
                        struct status *st) {
    struct view scope, key, value, name, variable;
    while (next_entry(&scope, &key, &value, &rest)) {
        if (!split_key(&name, &variable, key) || !view_is(variable, "event")) continue;
        struct confhook *hook = find(out, name);
        if (value.n == 0 && hook) *hook = out->at[--out->n];
        if (!view_is(value, event) || hook || out->n == ENTRIES) continue;
        hook = &out->at[out->n++];
        *hook = (struct confhook){.enabled = true, .command = ""};
        hook->name = arena_copy(arena, name.at, name.n, st);
        hook->scope = arena_copy(arena, scope.at, scope.n, st);
        if (!hook->name || !hook->scope) return false;
    }
    return true;
}

static bool read_rest(struct confhooks *out, struct view rest, const char *event, struct arena *arena,
                      struct status *st) {
    struct view scope, key, value, name, variable;
    while (next_entry(&scope, &key, &value, &rest)) {
        if (!split_key(&name, &variable, key)) continue;
        struct confhook *hook = find(out, name);
        if (view_is(variable, "enabled")) {
            if (hook) hook->enabled = !is_false(value);
            else if (view_is(name, event)) out->event_off = is_false(value);
        } else if (hook && view_is(variable, "command")) {
            hook->command = arena_copy(arena, value.at, value.n, st);
            if (!hook->command) return false;
        }
    }
    return true;
}

static const char command_start[] = "f() { [ ! -x ";

/* Only what put_command wrote: a command of the user's says itself what happens without the program. */
static bool find_gone(struct confhook *hook, struct arena *arena, struct status *st) {
    struct str program = {0};
    struct view command = view_of(hook->command);
    size_t n = sizeof command_start - 1;
    if (view_starts(command, command_start))
        shellword_take(&program, (struct view){command.at + n, command.n - n});
    bool ok = str_ok(&program, st);
    if (ok && program.n && access(program.at, X_OK) != 0) {
        hook->gone = arena_copy(arena, program.at, program.n, st);
        ok = hook->gone != NULL;
    }
    str_free(&program);
    return ok;
}

bool confhook_list(struct confhooks *out, const char *event, struct arena *arena, struct status *st) {
    struct process git;
    char call[64];
    *out = (struct confhooks){.at = arena_alloc(arena, ENTRIES, sizeof *out->at, st)};
    if (!out->at) return false;
    static const char *const argv[] = {"git",          "config",   "-z", "--show-scope",
                                       "--get-regexp", "^hook\\.", NULL};
    if (!process_run(&git, argv, st)) return false;
    struct view text = {str_c(&git.out), git.out.n};
    bool ok = git.exit_code <= 1 || complain(&git, "config", st);
    ok = ok && read_events(out, text, event, arena, st) && read_rest(out, text, event, arena, st);
    snprintf(call, sizeof call, "hooks run %s", event);
    for (size_t i = 0; ok && i < out->n; i++) {
        out->at[i].ours = strstr(out->at[i].command, call) != NULL;
        ok = find_gone(&out->at[i], arena, st);
    }
    process_free(&git);
    return ok;
}

bool confhook_fires(const struct confhooks *hooks) {
    for (size_t i = 0; i < hooks->n; i++)
        if (hooks->at[i].ours && hooks->at[i].enabled && !hooks->at[i].gone) return !hooks->event_off;
    return false;
}

/* --- writing ------------------------------------------------------------------------------------------- */

static bool git_config(bool *found, const char *const args[], struct status *st) {
    enum { NO_SECTION = 128 };
    const char *argv[8] = {"git", "config", "--local"};
    struct process git;
    for (size_t i = 0; args[i]; i++) argv[i + 3] = args[i];
    if (!process_run(&git, argv, st)) return false;
    bool ok = true;
    *found = git.exit_code == 0;
    if (git.exit_code != 0 && !(git.exit_code == NO_SECTION && strstr(str_c(&git.err), "no such section")))
        ok = complain(&git, "config", st);
    process_free(&git);
    return ok;
}

bool confhook_can_restore(bool *out, struct status *st) {
    enum { LIMIT = 16 << 20 };
    struct process git;
    static const char *const argv[] = {"git",        "rev-parse", "--path-format=absolute",
                                       "--git-path", "config",    NULL};
    if (!process_run(&git, argv, st)) return false;
    struct str text = {0};
    if (git.out.n && git.out.at[git.out.n - 1] == '\n') git.out.at[--git.out.n] = '\0';
    bool ok = git.exit_code == 0 || complain(&git, "rev-parse", st);
    ok = ok && file_read(&text, str_c(&git.out), LIMIT, st);
    *out = ok && (text.n == 0 || text.at[text.n - 1] == '\n');
    str_free(&text);
    process_free(&git);
    return ok;
}

bool confhook_remove(bool *removed, const char *event, struct status *st) {
    char section[64];
    snprintf(section, sizeof section, "hook.fak-%s", event);
    return git_config(removed, (const char *const[]){"--remove-section", section, NULL}, st);
}

/* git appends ` "$@"`: a function takes it. A program that is gone is passed over, and nothing we do counts.
 */
static void put_command(struct str *out, const char *event, const char *program) {
    struct str word = {0};
    shellword_put(&word, program);
    str_printf(out, "%s%s ] || " CONFHOOK_ENV "=1 %s hooks run %s \"$@\" </dev/null || :; }; f",
               command_start, str_c(&word), str_c(&word), event);
    out->failed |= word.failed;
    str_free(&word);
}

bool confhook_add(const char *event, const char *program, struct status *st) {
    char command_key[64], event_key[64];
    struct str command = {0};
    bool done;
    snprintf(command_key, sizeof command_key, "hook.fak-%s.command", event);
    snprintf(event_key, sizeof event_key, "hook.fak-%s.event", event);
    put_command(&command, event, program);
    bool ok = str_ok(&command, st) && confhook_remove(&done, event, st) &&
              git_config(&done, (const char *const[]){command_key, command.at, NULL}, st) &&
              git_config(&done, (const char *const[]){event_key, event, NULL}, st);
    str_free(&command);
    return ok;
}
