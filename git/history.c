#include "git/history.h"

#include "base/file.h"
#include "git/plumbing/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHALLOW_LIMIT = 64 << 20 };

struct history {
    const struct reader *reader;
    void *handle;
    struct arena arena;
    char fallback[sizeof((struct status *)0)->message];
};

/* --- which reader ----------------------------------------------------------------------------------------
 */

/* One that cannot say what HEAD is cannot say what else there is. */
static bool try_reader(struct history *history, const struct reader *reader, struct status *st) {
    char head[OID_TEXT];
    history->reader = reader;
    history->handle = NULL;
    if (!reader->open(&history->handle, st)) return false;
    if (reader->head(head, history->handle, st)) return true;
    reader->close(history->handle);
    history->handle = NULL;
    return false;
}

static bool try_libgit2(struct history *history, const struct history_options *options, struct status *st) {
    const struct reader *libgit2 = NULL;
    return options->load && options->load(&libgit2, st) && try_reader(history, libgit2, st);
}

bool history_open(struct history **out, const struct history_options *options, struct status *st) {
    struct history *history = calloc(1, sizeof *history);
    *out = NULL;
    if (!history) return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    struct status why = {0};
    bool ok = !options->without_index && try_reader(history, &index_reader, &why);
    ok = ok || (why.code != STATUS_NO_MEMORY && try_libgit2(history, options, &why));
    if (!ok && why.code == STATUS_NO_MEMORY) {
        if (st) *st = why;
    } else if (!ok) {
        memcpy(history->fallback, why.message, sizeof history->fallback);
        ok = try_reader(history, &plumbing_reader, st);
    }
    if (ok) *out = history;
    else history_close(history);
    return ok;
}

void history_close(struct history *history) {
    if (!history) return;
    if (history->handle) history->reader->close(history->handle);
    arena_release(&history->arena);
    free(history);
}

const char *history_reader(const struct history *history) { return history->reader->name; }

const char *history_fallback(const struct history *history) { return history->fallback; }

/* --- which commits ---------------------------------------------------------------------------------------
 */

static bool rev_list(struct process *p, const struct history_range *range, struct status *st) {
    enum { REVISIONS = sizeof range->revisions / sizeof *range->revisions };
    const char *argv[REVISIONS + 12] = {"git", "rev-list", "--parents", "--topo-order"};
    char limit[48];
    size_t n = 4;
    if (range->first_parent) argv[n++] = "--first-parent";
    if (range->limit) {
        snprintf(limit, sizeof limit, "--max-count=%zu", range->limit);
        argv[n++] = limit;
    }
    argv[n++] = "--end-of-options";
    for (size_t i = 0; i < REVISIONS && range->revisions[i]; i++) argv[n++] = range->revisions[i];
    argv[n++] = "--";
    if (range->path) argv[n++] = range->path;
    if (!process_run(p, argv, st)) return false;
    if (p->exit_code == 0) return true;
    const char *text = str_c(&p->err), *fatal = strstr(text, "fatal: ");
    if (fatal) text = fatal + 7;
    bool unknown =
        strstr(text, "bad revision") || strstr(text, "bad object") || strstr(text, "unknown revision");
    return status_fail(st, unknown ? STATUS_NOT_FOUND : STATUS_BAD_INPUT, "git rev-list: %.*s",
                       (int)strcspn(text, "\n"), text);
}

/* "OID PARENT PARENT ...", the words become texts in place. */
static bool take_line(struct history_commit *commit, char *line, struct arena *arena, struct status *st) {
    size_t n = 0;
    for (const char *c = line; *c; c++) n += *c == ' ';
    const char **parents = arena_alloc(arena, n, sizeof *parents, st);
    if (!parents) return false;
    *commit = (struct history_commit){.oid = line, .parents = parents, .n_parents = n};
    for (size_t i = 0; i < n; i++) {
        line = strchr(line, ' ');
        *line++ = '\0';
        parents[i] = line;
    }
    return true;
}

static bool take_lines(struct history_list *out, char *text, struct arena *arena, struct status *st) {
    size_t n = 0;
    for (const char *c = text; *c; c++) n += *c == '\n';
    out->at = arena_alloc(arena, n, sizeof *out->at, st);
    if (!out->at) return false;
    for (char *end; (end = strchr(text, '\n')); text = end + 1) {
        *end = '\0';
        if (!take_line(&out->at[out->n++], text, arena, st)) return false;
    }
    return true;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `git rev-parse` says where the file `shallow` is; it has one commit a line. */
static bool read_shallow(struct str *out, struct status *st) {
    struct process p;
    bool ok = process_run(&p, (const char *const[]){"git", "rev-parse", "--git-path", "shallow", NULL}, st);
    if (ok && p.exit_code == 0 && p.out.n > 1) {
        p.out.at[p.out.n - 1] = '\0';
        if (file_exists(p.out.at)) ok = file_read(out, p.out.at, SHALLOW_LIMIT, st);
    }
    process_free(&p);
    return ok;
}

/* Only a commit without parents can be one that was cut. */
static bool mark_cut(struct history_list *list, struct arena *arena, struct status *st) {
    struct str text = {0};
    size_t n = 0, i = 0;
    for (i = 0; i < list->n && list->at[i].n_parents; i++) {
    }
    if (i == list->n) return true;
    if (!read_shallow(&text, st)) return false;
    for (const char *c = str_c(&text); *c; c++) n += *c == '\n';
    const char **cut = arena_alloc(arena, n, sizeof *cut, st);
    bool ok = cut != NULL;
    char *at = text.at;
    for (size_t k = 0; ok && k < n; k++) {
        cut[k] = at;
        at = strchr(at, '\n');
        *at++ = '\0';
    }
    if (ok && n) qsort(cut, n, sizeof *cut, by_text);
    for (i = 0; ok && n && i < list->n; i++)
        if (!list->at[i].n_parents)
            list->at[i].cut = bsearch(&list->at[i].oid, cut, n, sizeof *cut, by_text) != NULL;
    str_free(&text);
    return ok;
}

bool history_range(struct history_list *out, struct history *history, const struct history_range *range,
                   struct status *st) {
    struct process p;
    *out = (struct history_list){0};
    bool ok = rev_list(&p, range, st);
    char *text = ok ? arena_copy(&history->arena, str_c(&p.out), p.out.n, st) : NULL;
    process_free(&p);
    return text && take_lines(out, text, &history->arena, st) && mark_cut(out, &history->arena, st);
}

/* --- what is in them -------------------------------------------------------------------------------------
 */

/* What a reader refuses midway (an old kind of pack, an object that it does not find) git is asked. */
static bool next_reader(struct history *history, const struct status *why, struct status *st) {
    if (history->reader == &plumbing_reader || why->code == STATUS_NO_MEMORY) {
        if (st) *st = *why;
        return false;
    }
    history->reader->close(history->handle);
    memcpy(history->fallback, why->message, sizeof history->fallback);
    return try_reader(history, &plumbing_reader, st);
}

bool history_between(struct change_list *out, struct history *history, const char *before, const char *after,
                     struct arena *arena, struct status *st) {
    struct status why;
    for (;;) {
        *out = (struct change_list){0};
        if (history->reader->between(out, history->handle, before, after, arena, &why)) break;
        if (!next_reader(history, &why, st)) return false;
    }
    change_sort(out);
    return true;
}

bool history_changes(struct change_list *out, struct history *history, const struct history_commit *commit,
                     bool all_parents, struct arena *arena, struct status *st) {
    *out = (struct change_list){0};
    if (commit->cut)
        return status_fail(
            st, STATUS_NOT_FOUND,
            "the clone is shallow and ends at %.12s, so what that commit changes cannot be told; "
            "run: git fetch --unshallow",
            commit->oid);
    const char *first = commit->n_parents ? commit->parents[0] : "";
    if (!history_between(out, history, first, commit->oid, arena, st)) return false;
    for (size_t i = 1; all_parents && i < commit->n_parents && out->n; i++) {
        struct change_list other;
        if (!history_between(&other, history, commit->parents[i], commit->oid, arena, st)) return false;
        change_keep_common(out, &other);
    }
    return true;
}

bool history_message(struct str *out, struct history *history, const char *oid, struct status *st) {
    struct status why;
    while (!history->reader->message(out, history->handle, oid, &why))
        if (!next_reader(history, &why, st)) return false;
    return true;
}

bool history_text(struct str *out, struct history *history, const char *oid, size_t limit,
                  struct status *st) {
    return history->reader->text(out, history->handle, oid, limit, st);
}
