/* plumbing: reads a repository by asking the git program, where libgit2 cannot. */
#include "git/plumbing/process.h"
#include "git/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ARGS = 20 };

#define CONFIG_KEYS                                                                                          \
    "^(fak\\..*|hook\\.fak-.*|core\\.(comment.*|hookspath)|trailer\\.separators|commit\\.cleanup)$"

struct plumbing {
    struct str config; /* `git config -z` output, once asked */
    bool config_read;
};

/* The path in "fatal: detected dubious ownership in repository at '/a/b'". */
static bool say_foreign(const char *complaint, struct status *st) {
    const char *from = strchr(complaint, '\'');
    const char *to = from ? strchr(from + 1, '\'') : NULL;
    int n = to ? (int)(to - from - 1) : 0;
    return status_fail(st, STATUS_SYSTEM,
                       "git refuses this repository because another user owns it; if you trust it, run: "
                       "git config --global --add safe.directory '%.*s'",
                       n, to ? from + 1 : "");
}

/* git's own complaint, without its prefix, as one line. */
static bool say_why(const struct process *p, const char *what, struct status *st) {
    const char *text = str_c(&p->err);
    if (strstr(text, "dubious ownership")) return say_foreign(text, st);
    const char *fatal = strstr(text, "fatal: ");
    const char *error = strstr(text, "error: ");
    const char *from = fatal ? fatal + 7 : error ? error + 7 : text;
    int n = (int)strcspn(from, "\n");
    if (n == 0)
        return status_fail(st, STATUS_BAD_INPUT, "git %s failed without a word (exit %d)", what,
                           p->exit_code);
    return status_fail(st, STATUS_BAD_INPUT, "git %s: %.*s", what, n < 300 ? n : 300, from);
}

/* Runs `git ARGS...`; exit code 1 is an answer when `may_say_no`. */
static bool git(struct process *p, const char *const args[], bool may_say_no, struct status *st) {
    const char *argv[ARGS + 2] = {"git"};
    for (size_t i = 0; i < ARGS && args[i]; i++) argv[i + 1] = args[i];
    if (!process_run(p, argv, st)) return false;
    if (p->exit_code == 0 || (may_say_no && p->exit_code == 1)) return true;
    return say_why(p, args[0], st);
}

static bool plumbing_open(void **handle, struct status *st) {
    *handle = calloc(1, sizeof(struct plumbing));
    return *handle ? true : status_fail(st, STATUS_NO_MEMORY, "out of memory");
}

static void plumbing_close(void *handle) {
    struct plumbing *plumbing = handle;
    if (!plumbing) return;
    str_free(&plumbing->config);
    free(plumbing);
}

/* The text without the newline that ends it, so that one in a path survives. */
static char *copy_path(struct view text, struct arena *arena, struct status *st) {
    if (text.n && text.at[text.n - 1] == '\n') text.n--;
    return arena_copy(arena, text.at, text.n, st);
}

static bool ask_path(char **out, const char *option, struct arena *arena, struct status *st) {
    struct process p;
    *out = NULL;
    if (git(&p, (const char *const[]){"rev-parse", "--path-format=absolute", option, NULL}, false, st))
        *out = copy_path((struct view){str_c(&p.out), p.out.n}, arena, st);
    process_free(&p);
    return *out != NULL;
}

static bool plumbing_facts(struct repo_facts *out, void *handle, struct arena *arena, struct status *st) {
    (void)handle;
    struct process p;
    bool ok = git(&p, (const char *const[]){"rev-parse", "--is-bare-repository", "--absolute-git-dir", NULL},
                  false, st);
    if (ok) {
        struct view line = {0}, rest = {str_c(&p.out), p.out.n};
        bool bare = view_line(&line, &rest) && view_is(line, "true");
        *out = (struct repo_facts){.bare = bare, .git_dir = copy_path(rest, arena, st)};
        ok = out->git_dir && ask_path(&out->common_dir, "--git-common-dir", arena, st);
    }
    process_free(&p);
    return ok;
}

static bool copy_oid(char oid[OID_TEXT], struct view text, struct status *st) {
    if (text.n >= OID_TEXT) return status_fail(st, STATUS_BAD_INPUT, "git gave an object name that is none");
    memcpy(oid, text.at, text.n);
    oid[text.n] = '\0';
    return true;
}

static bool plumbing_head(char oid[OID_TEXT], void *handle, struct status *st) {
    (void)handle;
    struct process p;
    bool ok = git(&p, (const char *const[]){"rev-parse", "-q", "--verify", "HEAD", NULL}, true, st);
    oid[0] = '\0';
    if (ok && p.exit_code == 0) ok = copy_oid(oid, view_trim((struct view){str_c(&p.out), p.out.n}), st);
    process_free(&p);
    return ok;
}

/* "TIME PARENT PARENT ...": the words of one line. */
static bool parse_commit(struct commit *out, struct view text, struct status *st) {
    *out = (struct commit){0};
    char *end;
    out->author_time = strtoll(text.at, &end, 10);
    struct view rest = view_trim((struct view){end, text.n - (size_t)(end - text.at)});
    while (rest.n && out->n_parents < COMMIT_PARENTS) {
        const char *blank = memchr(rest.at, ' ', rest.n);
        size_t n = blank ? (size_t)(blank - rest.at) : rest.n;
        if (!copy_oid(out->parents[out->n_parents++], (struct view){rest.at, n}, st)) return false;
        rest = view_trim((struct view){rest.at + n, rest.n - n});
    }
    return true;
}

static bool plumbing_commit(struct commit *out, void *handle, const char *oid, struct status *st) {
    (void)handle;
    struct process p;
    bool ok = git(&p,
                  (const char *const[]){"log", "-1", "--no-show-signature", "--no-color", "--format=%at %P",
                                        oid, "--", NULL},
                  false, st);
    if (ok) ok = parse_commit(out, (struct view){str_c(&p.out), p.out.n}, st);
    process_free(&p);
    return ok;
}

/* One record of `diff --raw -z`: ":MODE MODE OID OID S\0PATH\0". */
static bool parse_record(struct change *change, struct view *rest, size_t *n_path, struct status *st) {
    char line[256];
    const char *end = memchr(rest->at, '\0', rest->n);
    size_t n = end ? (size_t)(end - rest->at) : 0;
    const char *path = end ? end + 1 : NULL;
    const char *path_end = path ? memchr(path, '\0', rest->n - n - 1) : NULL;
    if (!path_end || n >= sizeof line) goto broken;
    memcpy(line, rest->at, n + 1);
    char old_mode[8], new_mode[8];
    if (sscanf(line, ":%7[0-7] %7[0-7] %64[0-9a-f] %64[0-9a-f] %c", old_mode, new_mode, change->old_oid,
               change->new_oid, &change->status) != 5)
        goto broken;
    change->old_mode = (unsigned)strtoul(old_mode, NULL, 8);
    change->new_mode = (unsigned)strtoul(new_mode, NULL, 8);
    change->path = path;
    *n_path = (size_t)(path_end - path);
    *rest = (struct view){path_end + 1, rest->n - (size_t)(path_end + 1 - rest->at)};
    return true;
broken:
    return status_fail(st, STATUS_BAD_INPUT, "git diff: a record that is not understood");
}

static bool parse_changes(struct change_list *out, struct view rest, struct arena *arena, struct status *st) {
    while (rest.n) {
        struct change change = {0};
        size_t n_path = 0;
        if (!parse_record(&change, &rest, &n_path, st)) return false;
        if (!strchr("ADMT", change.status)) continue; /* unmerged: not part of any commit */
        if (!change_add(out, &change, n_path, arena, st)) return false;
    }
    return true;
}

/* The name of the tree without files, in the repository's own hash. Nothing is written (no -w). */
static bool empty_tree(char oid[OID_TEXT], struct status *st) {
    struct process p;
    bool ok = git(&p, (const char *const[]){"hash-object", "-t", "tree", "/dev/null", NULL}, false, st);
    if (ok) ok = copy_oid(oid, view_trim((struct view){str_c(&p.out), p.out.n}), st);
    process_free(&p);
    return ok;
}

/* `commit`, or the tree without files for "". */
static bool or_empty_tree(const char **out, char empty[OID_TEXT], const char *commit, struct status *st) {
    *out = commit[0] ? commit : empty;
    return commit[0] || empty_tree(empty, st);
}

/* `diff --cached`, not `diff-index`: that one expands a sparse index and writes the trees it lacks
 * (git 2.39). The options undo what a user's configuration may have changed. */
static bool plumbing_staged(struct change_list *out, void *handle, const char *commit, struct arena *arena,
                            struct status *st) {
    (void)handle;
    char empty[OID_TEXT];
    const char *tree;
    if (!or_empty_tree(&tree, empty, commit, st)) return false;
    struct process p;
    bool ok = git(&p,
                  (const char *const[]){"diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames",
                                        "--no-relative", "--no-ext-diff", "--no-textconv", "--no-color",
                                        "--ignore-submodules=dirty", tree, "--", NULL},
                  false, st);
    if (ok) ok = parse_changes(out, (struct view){str_c(&p.out), p.out.n}, arena, st);
    process_free(&p);
    return ok;
}

static bool plumbing_between(struct change_list *out, void *handle, const char *before, const char *after,
                             struct arena *arena, struct status *st) {
    (void)handle;
    char empty[2][OID_TEXT];
    const char *trees[2];
    if (!or_empty_tree(&trees[0], empty[0], before, st) || !or_empty_tree(&trees[1], empty[1], after, st))
        return false;
    struct process p;
    bool ok = git(&p,
                  (const char *const[]){"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
                                        "--no-relative", "--no-ext-diff", "--no-textconv", trees[0], trees[1],
                                        "--", NULL},
                  false, st);
    if (ok) ok = parse_changes(out, (struct view){str_c(&p.out), p.out.n}, arena, st);
    process_free(&p);
    return ok;
}

static bool plumbing_message(struct str *out, void *handle, const char *oid, struct status *st) {
    (void)handle;
    struct process p;
    bool ok = git(&p, (const char *const[]){"cat-file", "commit", oid, NULL}, false, st);
    struct view line, rest = {str_c(&p.out), p.out.n};
    while (ok && view_line(&line, &rest) && line.n) {
    }
    if (ok) str_add(out, rest.at, rest.n);
    process_free(&p);
    return ok && str_ok(out, st);
}

static bool plumbing_text(struct str *out, void *handle, const char *oid, size_t limit, struct status *st) {
    (void)handle;
    struct process p;
    bool ok = git(&p, (const char *const[]){"cat-file", "blob", oid, NULL}, false, st);
    if (ok && p.out.n > limit)
        ok = status_fail(st, STATUS_UNSUPPORTED, "blob %s is longer than %zu bytes", oid, limit);
    if (ok) str_add(out, str_c(&p.out), p.out.n);
    process_free(&p);
    return ok && str_ok(out, st);
}

/* One process for all keys that are ever asked. */
static bool read_config(struct plumbing *plumbing, struct status *st) {
    if (plumbing->config_read) return true;
    struct process p;
    bool ok = git(&p, (const char *const[]){"config", "-z", "--get-regexp", CONFIG_KEYS, NULL}, true, st);
    if (ok) {
        plumbing->config = p.out;
        p.out = (struct str){0};
        plumbing->config_read = true;
    }
    process_free(&p);
    return ok;
}

/* Entries are "key\nvalue\0", or "key\0" for a key without a value, which means true; the last one wins. */
static bool plumbing_config(struct str *out, bool *found, void *handle, const char *key, struct status *st) {
    struct plumbing *plumbing = handle;
    *found = false;
    if (!read_config(plumbing, st)) return false;
    const char *at = str_c(&plumbing->config), *end = at + plumbing->config.n, *value = NULL;
    size_t n_key = strlen(key);
    for (; at < end; at += strlen(at) + 1)
        if (strncasecmp(at, key, n_key) == 0 && (at[n_key] == '\n' || at[n_key] == '\0'))
            value = at[n_key] ? at + n_key + 1 : "true";
    *found = value != NULL;
    if (value) str_puts(out, value);
    return str_ok(out, st);
}

const struct reader plumbing_reader = {
    .name = "git",
    .open = plumbing_open,
    .close = plumbing_close,
    .facts = plumbing_facts,
    .head = plumbing_head,
    .commit = plumbing_commit,
    .staged = plumbing_staged,
    .between = plumbing_between,
    .message = plumbing_message,
    .text = plumbing_text,
    .config = plumbing_config,
};
