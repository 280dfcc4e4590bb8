#include "coverage/history/gitlog.h"

#include "git/plumbing/process.h"

#include <stdlib.h>
#include <string.h>

/* What git writes, cut at its NULs: \1 OID TREE TIME PARENTS... \1 AUTHOR \1 SUBJECT, then for each change
 * :MODE MODE OID OID STATUS and the path behind its own NUL. */
#define FORMAT "--format=%x01%H %T %ct %P%x01%aN%x01%s"

struct reader {
    struct gitlog *log;
    struct arena *arena;
    struct status *st;
    char *at, *end;
    struct gitlog_change *changes;
    const char **named; /* the path of each change, before paths are numbered */
    size_t n_changes;
    char **parents; /* the texts, before commits are numbered */
};

static bool bad(struct reader *r, const char *what) {
    return status_fail(r->st, STATUS_BAD_INPUT, "git log says what was not expected: %.40s", what);
}

static char *next_token(struct reader *r) {
    char *token = r->at;
    r->at += strlen(token) + 1;
    return token;
}

/* The word up to the next blank, which is cut off. */
static char *next_word(char **rest) {
    char *word = *rest, *blank = strchr(word, ' ');
    if (blank) *blank = 0;
    *rest = blank ? blank + 1 : word + strlen(word);
    return word;
}

static bool read_commit(struct reader *r, char *token) {
    struct gitlog_commit *c = &r->log->commits[r->log->n];
    char *author = strchr(token + 1, '\1'), *subject = author ? strchr(author + 1, '\1') : NULL;
    if (!subject) return bad(r, token);
    *author = *subject = 0;
    char *rest = token + 1;
    c->oid = next_word(&rest);
    c->tree = next_word(&rest);
    c->time = strtoll(next_word(&rest), NULL, 10);
    c->author = author + 1;
    c->subject = subject + 1;
    c->first_change = (uint32_t)r->n_changes;
    r->parents[r->log->n++] = rest;
    return true;
}

static struct gitlog_blob blob_of(const char *mode, const char *oid) {
    bool file = strncmp(mode, "100", 3) == 0, link = strcmp(mode, "120000") == 0;
    return (struct gitlog_blob){file || link ? oid : NULL, link};
}

static bool read_change(struct reader *r, char *token) {
    if (!r->log->n || r->at >= r->end) return bad(r, token);
    char *rest = token + 1;
    const char *mode = next_word(&rest), *mode_after = next_word(&rest);
    const char *oid = next_word(&rest), *oid_after = next_word(&rest);
    struct gitlog_change *change = &r->changes[r->n_changes];
    change->before = blob_of(mode, oid);
    change->after = blob_of(mode_after, oid_after);
    r->named[r->n_changes++] = next_token(r);
    r->log->commits[r->log->n - 1].n_changes++;
    return true;
}

/* --- numbers for names ---------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool number_paths(struct reader *r) {
    size_t n = r->n_changes, used = 0;
    const char **paths = arena_alloc(r->arena, n, sizeof *paths, r->st);
    if (!paths) return false;
    if (n) memcpy(paths, r->named, n * sizeof *paths);
    if (n) qsort(paths, n, sizeof *paths, by_bytes);
    for (size_t i = 0; i < n; i++)
        if (!used || strcmp(paths[used - 1], paths[i]) != 0) paths[used++] = paths[i];
    for (size_t i = 0; i < n; i++) {
        const char **found = bsearch(&r->named[i], paths, used, sizeof *paths, by_bytes);
        r->changes[i].path = (uint32_t)(found - paths);
    }
    r->log->paths = paths;
    r->log->n_paths = used;
    return true;
}

struct numbered {
    const char *oid;
    uint32_t at;
};

static uint32_t find(const struct numbered *all, size_t n, const char *oid) {
    const struct numbered *found = bsearch(&oid, all, n, sizeof *all, by_bytes);
    return found ? found->at : GITLOG_NONE;
}

static bool number_parents(struct reader *r) {
    struct gitlog *log = r->log;
    struct numbered *all = malloc((log->n + 1) * sizeof *all);
    if (!all) return status_fail(r->st, STATUS_NO_MEMORY, "out of memory for %zu commits", log->n);
    for (size_t i = 0; i < log->n; i++) all[i] = (struct numbered){log->commits[i].oid, (uint32_t)i};
    if (log->n) qsort(all, log->n, sizeof *all, by_bytes);
    bool ok = true;
    for (size_t i = 0; ok && i < log->n; i++) {
        size_t room = strlen(r->parents[i]) / 40 + 1;
        uint32_t *parents = arena_alloc(r->arena, room, sizeof *parents, r->st);
        ok = parents != NULL;
        for (char *rest = r->parents[i]; ok && *rest;) {
            uint32_t at = find(all, log->n, next_word(&rest));
            if (at == GITLOG_NONE) ok = bad(r, "a parent that is not in the log");
            else parents[log->commits[i].n_parents++] = at;
        }
        log->commits[i].parents = parents;
    }
    free(all);
    return ok;
}

/* --- reading ---------------------------------------------------------------------------------------------
 */

static bool make_room(struct reader *r, const struct str *said) {
    size_t tokens = 1;
    if (said->n >= UINT32_MAX) return bad(r, "too much");
    for (size_t i = 0; i < said->n; i++) tokens += said->at[i] == 0;
    r->at = arena_copy(r->arena, str_c(said), said->n, r->st);
    r->log->commits = arena_alloc(r->arena, tokens, sizeof *r->log->commits, r->st);
    r->changes = arena_alloc(r->arena, tokens, sizeof *r->changes, r->st);
    r->named = arena_alloc(r->arena, tokens, sizeof *r->named, r->st);
    r->parents = arena_alloc(r->arena, tokens, sizeof *r->parents, r->st);
    return r->at && r->log->commits && r->changes && r->named && r->parents;
}

static bool parse(struct reader *r, const struct str *said) {
    if (!make_room(r, said)) return false;
    r->end = r->at + said->n;
    while (r->at < r->end) {
        char *token = next_token(r);
        token += *token == '\n';
        bool ok = *token == '\1' ? read_commit(r, token) : *token == ':' ? read_change(r, token) : !*token;
        if (!ok) return *token == '\1' || *token == ':' ? false : bad(r, token);
    }
    r->log->changes = r->changes;
    return number_paths(r) && number_parents(r);
}

bool gitlog_read(struct gitlog *log, const struct tree *tree, struct arena *arena, struct status *st) {
    *log = (struct gitlog){0};
    if (!tree_whole_history(tree, st)) return false;
    /* What a user may have configured about logs does not count here. */
    const char *argv[] = {"git",
                          "-C",
                          tree->folder,
                          "-c",
                          "log.showRoot=true",
                          "-c",
                          "log.showSignature=false",
                          "log",
                          "--topo-order",
                          "--raw",
                          "-z",
                          "--no-abbrev",
                          "--no-renames",
                          "--no-ext-diff",
                          "--no-notes",
                          "--diff-merges=first-parent",
                          "--encoding=UTF-8",
                          FORMAT,
                          "--end-of-options",
                          tree->commit,
                          NULL};
    struct process git;
    struct reader r = {.log = log, .arena = arena, .st = st};
    bool ok = process_run(&git, argv, st);
    if (ok && git.exit_code != 0)
        ok = status_fail(st, STATUS_SYSTEM, "git cannot tell the history of %s: %.*s", tree->name,
                         (int)strcspn(str_c(&git.err), "\n"), str_c(&git.err));
    ok = ok && parse(&r, &git.out);
    process_free(&git);
    return ok;
}
