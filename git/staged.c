#include "git/staged.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

struct staged {
    const struct reader *reader;
    void *handle;
    void *plumbing; /* for configuration that `reader` does not see; NULL until asked */
    struct staged_options options;
    struct repo_facts facts;
    struct change_list changes;
    struct arena arena;
    char fallback[sizeof((struct status *)0)->message];
};

/* --- which commits the index is compared with ----------------------------------------------------------- */

struct bases {
    char oid[COMMIT_PARENTS][OID_TEXT];
    size_t n;
};

static void bases_add(struct bases *bases, struct view oid) {
    if (bases->n == COMMIT_PARENTS || oid.n == 0 || oid.n >= OID_TEXT) return;
    memcpy(bases->oid[bases->n], oid.at, oid.n);
    bases->oid[bases->n++][oid.n] = '\0';
}

/* MERGE_HEAD is a file of one commit a line, whatever the ref format; absent when no merge is going on. */
static bool merge_heads(struct bases *bases, struct staged *staged, struct status *st) {
    enum { LIMIT = 65536 };
    struct str path = {0}, text = {0};
    str_printf(&path, "%s/MERGE_HEAD", staged->facts.git_dir);
    bool ok = str_ok(&path, st);
    if (ok && file_exists(path.at)) {
        ok = file_read(&text, path.at, LIMIT, st);
        struct view line, rest = {str_c(&text), text.n};
        while (ok && view_line(&line, &rest)) bases_add(bases, view_trim(line));
    }
    str_free(&path);
    str_free(&text);
    return ok;
}

/* The changes against the first base that are changes against all others too. */
static bool compare(struct staged *staged, const struct bases *bases, struct status *st) {
    const struct reader *reader = staged->reader;
    const char *first = bases->n ? bases->oid[0] : "";
    staged->changes = (struct change_list){0};
    if (!reader->staged(&staged->changes, staged->handle, first, &staged->arena, st)) return false;
    change_sort(&staged->changes);
    for (size_t i = 1; i < bases->n && staged->changes.n; i++) {
        struct change_list other = {0};
        if (!reader->staged(&other, staged->handle, bases->oid[i], &staged->arena, st)) return false;
        change_sort(&other);
        change_keep_common(&staged->changes, &other);
    }
    return true;
}

/* `commit --allow-empty` gives its author a new time, `commit --amend` keeps that of HEAD. */
static bool same_author_time(const struct staged *staged, const struct commit *head) {
    const char *date = staged->options.author_date;
    if (!date || date[0] != '@') return true;
    return strtoll(date + 1, NULL, 10) == head->author_time;
}

static bool compare_amend(struct staged *staged, const char *head, struct status *st) {
    struct commit commit;
    struct bases parents = {0};
    if (!staged->reader->commit(&commit, staged->handle, head, st)) return false;
    if (!same_author_time(staged, &commit)) return true;
    for (size_t i = 0; i < commit.n_parents; i++) bases_add(&parents, view_of(commit.parents[i]));
    return compare(staged, &parents, st);
}

static bool read_changes(struct staged *staged, struct status *st) {
    char head[OID_TEXT];
    struct bases bases = {0};
    const struct reader *reader = staged->reader;
    if (!reader->facts(&staged->facts, staged->handle, &staged->arena, st)) return false;
    if (staged->facts.bare)
        return status_fail(st, STATUS_UNSUPPORTED,
                           "this repository is bare, so nothing is staged in it; run this in a clone");
    if (!reader->head(head, staged->handle, st)) return false;
    bases_add(&bases, view_of(head));
    if (!merge_heads(&bases, staged, st) || !compare(staged, &bases, st)) return false;
    bool nothing = staged->changes.n == 0 && bases.n == 1;
    return nothing && staged->options.committing ? compare_amend(staged, head, st) : true;
}

/* --- which reader --------------------------------------------------------------------------------------- */

static bool try_reader(struct staged *staged, const struct reader *reader, struct status *st) {
    staged->reader = reader;
    staged->handle = NULL;
    if (!reader->open(&staged->handle, st)) return false;
    if (read_changes(staged, st)) return true;
    reader->close(staged->handle);
    staged->handle = NULL;
    return false;
}

/* A reader that refused leaves the question to the next one, unless nobody could answer it. */
static bool is_decided(const struct staged *staged, const struct status *why) {
    return staged->facts.bare || why->code == STATUS_NO_MEMORY;
}

static bool try_libgit2(struct staged *staged, struct status *st) {
    const struct reader *libgit2 = NULL;
    bool (*load)(const struct reader **reader, struct status *st) = staged->options.load;
    return load && load(&libgit2, st) && try_reader(staged, libgit2, st);
}

bool staged_open(struct staged **out, const struct staged_options *options, struct status *st) {
    struct staged *staged = calloc(1, sizeof *staged);
    *out = NULL;
    if (!staged) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    staged->options = *options;
    struct status why = {0};
    bool ok = !options->without_index && try_reader(staged, &index_reader, &why);
    ok = ok || (!is_decided(staged, &why) && try_libgit2(staged, &why));
    if (!ok && is_decided(staged, &why)) {
        if (st) *st = why;
    } else if (!ok) {
        memcpy(staged->fallback, why.message, sizeof staged->fallback);
        ok = try_reader(staged, &plumbing_reader, st);
    }
    if (ok) *out = staged;
    else staged_close(staged);
    return ok;
}

void staged_close(struct staged *staged) {
    if (!staged) return;
    if (staged->handle) staged->reader->close(staged->handle);
    if (staged->plumbing) plumbing_reader.close(staged->plumbing);
    arena_release(&staged->arena);
    free(staged);
}

const struct change_list *staged_changes(const struct staged *staged) { return &staged->changes; }

const struct repo_facts *staged_facts(const struct staged *staged) { return &staged->facts; }

const char *staged_reader(const struct staged *staged) { return staged->reader->name; }

const char *staged_fallback(const struct staged *staged) { return staged->fallback; }

bool staged_text(struct str *out, struct staged *staged, const char *oid, size_t limit, struct status *st) {
    return staged->reader->text(out, staged->handle, oid, limit, st);
}

/* One `git config` gives all keys, and is over before libgit2 has started. */
bool staged_config(struct str *out, bool *found, struct staged *staged, const char *key, struct status *st) {
    bool partial =
        staged->reader == &index_reader || staged->options.config_by_git || staged->facts.own_config;
    if (staged->reader == &plumbing_reader || !partial)
        return staged->reader->config(out, found, staged->handle, key, st);
    if (!staged->plumbing && !plumbing_reader.open(&staged->plumbing, st)) return false;
    return plumbing_reader.config(out, found, staged->plumbing, key, st);
}
